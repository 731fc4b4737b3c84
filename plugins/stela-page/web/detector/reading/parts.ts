/** What schemes and hashers take: their parameters' own models, as scripts/write_schemas.py writes them down. */
import schemas from "../tables/schemas.json";
import { InvalidProfile } from "../types";
import { isObject } from "./json";
import { Checker, type Fields, Mistake, type Schema } from "./schema";

/** What a table is looked up by, and what it may hold where these are values. */
export interface TableRule {
  readonly key: string;
  readonly quantities?: readonly string[];
}

/** A weighting, and the table that it reads. */
export interface WeightingRule {
  readonly name: string;
  readonly table?: TableRule;
  /** Whether it looks at the token itself, so that it weighs evidence and no strength. */
  readonly token?: boolean;
}

/** What takes parameters. */
export interface Taken {
  readonly parameters: Checker;
}

/** A part of a mark. */
export interface Part extends Taken {
  /** Whether it chooses tokens; else it splits the vocabulary. */
  readonly samples?: boolean;
}

/** An encoder of messages. */
export interface EncoderPart extends Taken {
  /** Of parameters younger than the first profiles: what a profile stands for that does not name them. */
  readonly before?: Fields;
}

/** A scheme. */
export interface SchemePart extends Part, EncoderPart {
  readonly strength: WeightingRule;
  readonly evidence: WeightingRule;
}

/** A part whose parameters are those of a numbered model. */
type Numbered<T> = Omit<T, "parameters"> & { readonly parameters: number };

interface Written {
  readonly profile: Schema;
  /** What a parameter may be. */
  readonly fields: readonly Schema[];
  /** Of parameters: each has the number of what it may be, as many have the same. */
  readonly models: readonly (Omit<Schema, "properties"> & { readonly properties: Readonly<Record<string, number>> })[];
  readonly encoders: Readonly<Record<string, Numbered<EncoderPart>>>;
  readonly hashers: Readonly<Record<string, Numbered<Part>>>;
  readonly schemes: Readonly<Record<string, Omit<Numbered<SchemePart>, "evidence"> & Partial<Pick<SchemePart, "evidence">>>>;
}

const written = schemas as unknown as Written;
const models = written.models.map((model) => {
  const properties = Object.entries(model.properties).map(([name, number]) => [name, written.fields[number]!]);
  return new Checker({ ...model, properties: Object.fromEntries(properties) });
});

/** The rules of profile.json. */
export const PROFILE: Schema = written.profile;

/** What is known here, by name. */
export const ENCODER_PARTS: ReadonlyMap<string, EncoderPart> = new Map(
  Object.entries(written.encoders).map(([name, part]) => [name, { ...part, parameters: models[part.parameters]! }]),
);
export const HASHER_PARTS: ReadonlyMap<string, Part> = new Map(
  Object.entries(written.hashers).map(([name, part]) => [name, { ...part, parameters: models[part.parameters]! }]),
);
export const SCHEME_PARTS: ReadonlyMap<string, SchemePart> = new Map(
  Object.entries(written.schemes).map(([name, part]) => [name, { ...part, evidence: part.evidence ?? part.strength, parameters: models[part.parameters]! }]),
);

/** Checked parameters, with their defaults.
 *
 * @param owner names them in refusals, as in `scheme "kgw"`.
 * @throws InvalidProfile
 */
export function parametersOf(part: Taken, values: Fields, owner: string): Fields {
  const { names } = part.parameters;
  const [unknown] = Object.keys(values).filter((name) => !names.includes(name)).sort();
  if (unknown !== undefined) throw new InvalidProfile(`${owner} has no parameter "${unknown}"`);
  return inWords(() => part.parameters.checked(values) as Fields, `${owner}: `);
}

/** What a check gives; throws InvalidProfile where it finds a mistake. */
export function inWords<T>(check: () => T, before: string): T {
  try {
    return check();
  } catch (error) {
    if (error instanceof Mistake) throw new InvalidProfile(before + error.message);
    throw error;
  }
}

/** Refuse a weighting's table where it is missing or of another kind. */
export function checkTable({ name, table: rule }: WeightingRule, table: unknown, owner: string): void {
  if (!rule) return;
  if (!isObject(table)) throw new InvalidProfile(`${owner}: weighting "${name}" reads a table, and there is none`);
  const values = table["format"] === "stela-values/1";
  const fits = rule.quantities
    ? values && table["key"] === rule.key && rule.quantities.includes(table["quantity"] as string)
    : table["format"] === "stela-table/1";
  if (!fits) throw new InvalidProfile(`${owner}: weighting "${name}" reads another kind of table`);
}
