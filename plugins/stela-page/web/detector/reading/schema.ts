/** Values of JSON against a JSON schema, in the words that `stela detect` has for what is wrong (pydantic's).
 *
 * Of JSON schema it knows what `scripts/write_schemas.py` lets through, and no more.
 */
import { dayProblem } from "./days";
import { fieldOf, isObject } from "./json";
import { spelled } from "./spelled";

/** A schema. An object with properties is of type "object" and has no other ones. */
export interface Schema {
  /** Name of a definition. */
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
  /** This, or null. */
  readonly orNull?: Schema;
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly items?: Schema;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly default?: unknown;
}

/** Fields of a checked object, which has no prototype. */
export type Fields = Readonly<Record<string, unknown>>;

/** What is wrong with a value, as Python says it. */
export class Mistake extends Error {
  /** @param where names and numbers down to the value. */
  constructor(where: readonly (string | number)[], what: string, got: unknown) {
    super(`${where.join(".") || "value"}: ${what} (got ${spelled(got)})`);
  }
}

/** What is asked of an object beside its fields, by the name of its definition: why it is wrong, or null. */
export type Rules = ReadonlyMap<string, (fields: Fields) => string | null>;

/** Checks values of one schema. */
export class Checker {
  private readonly definitions: ReadonlyMap<string, Schema>;

  constructor(
    private readonly schema: Schema,
    private readonly rules: Rules = new Map(),
  ) {
    this.definitions = new Map(Object.entries(schema.$defs ?? {}));
  }

  /** Names of its fields. */
  get names(): readonly string[] {
    return Object.keys(this.schema.properties ?? {});
  }

  /** The value with what it leaves out filled in; its objects have no prototypes.
   *
   * @throws Mistake the first.
   */
  checked(value: unknown): unknown {
    return this.of(value, this.schema, []);
  }

  private of(value: unknown, schema: Schema, where: readonly (string | number)[]): unknown {
    if (schema.$ref !== undefined) {
      const name = schema.$ref;
      const fields = this.of(value, this.definitions.get(name)!, where) as Fields;
      const problem = this.rules.get(name)?.(fields) ?? null;
      if (problem !== null) throw new Mistake(where, `value error, ${problem}`, value);
      return fields;
    }
    if (schema.orNull) return value === null ? null : this.of(value, schema.orNull, where);
    const problem = problemOf(value, schema);
    if (problem !== null) throw new Mistake(where, problem, value);
    if (Array.isArray(value)) return value.map((one, n) => this.of(one, schema.items!, [...where, n]));
    return isObject(value) ? this.object(value, schema, where) : value;
  }

  private object(value: Fields, schema: Schema, where: readonly (string | number)[]): Fields {
    const fields: Record<string, unknown> = Object.create(null);
    const known = new Map(Object.entries(schema.properties ?? {}));
    for (const [name, inner] of known) {
      if (Object.hasOwn(value, name)) fields[name] = this.of(fieldOf(value, name), inner, [...where, name]);
      else if (schema.required?.includes(name)) throw new Mistake([...where, name], "field required", value);
      else fields[name] = inner.default;
    }
    for (const [name, one] of Object.entries(value)) {
      if (known.has(name)) continue;
      if (schema.properties) throw new Mistake([...where, name], "extra inputs are not permitted", one);
      fields[name] = one;
    }
    return fields;
  }
}

type Test = readonly [test: (value: unknown) => boolean, what: string];
const TYPES: ReadonlyMap<string, Test> = new Map<string, Test>([
  ["object", [isObject, "an object"]],
  ["array", [Array.isArray, "a valid array"]],
  ["string", [(value) => typeof value === "string", "a valid string"]],
  ["boolean", [(value) => typeof value === "boolean", "a valid boolean"]],
  ["integer", [Number.isInteger, "a valid integer"]],
  ["number", [(value) => typeof value === "number", "a valid number"]],
]);

function problemOf(value: unknown, schema: Schema): string | null {
  const choices = schema.const === undefined ? schema.enum : [schema.const];
  if (choices) return choices.includes(value) ? null : `input should be ${either(choices.map((one) => `'${String(one)}'`))}`;
  if (schema.format === "date") return dayProblem(value);
  const type = TYPES.get(schema.properties ? "object" : (schema.type ?? ""));
  if (type && !type[0](value)) return `input should be ${type[1]}`;
  if (typeof value === "number") return numberProblem(value, schema);
  if (typeof value === "string" && schema.pattern !== undefined && !new RegExp(schema.pattern, "u").test(value)) {
    return `string should match pattern '${schema.pattern}'`;
  }
  if (Array.isArray(value) && schema.maxItems !== undefined && value.length > schema.maxItems) {
    return `tuple should have at most ${schema.maxItems} items after validation, not ${value.length}`;
  }
  return null;
}

function numberProblem(value: number, schema: Schema): string | null {
  if (!Number.isFinite(value)) return "input should be a finite number";
  const { type, minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  if (maximum !== undefined && value > maximum) return `input should be less than or equal to ${maximum}`;
  if (exclusiveMaximum !== undefined && value >= exclusiveMaximum) return `input should be less than ${exclusiveMaximum}`;
  if (minimum !== undefined && value < minimum) return `input should be greater than or equal to ${minimum}`;
  if (exclusiveMinimum !== undefined && value <= exclusiveMinimum) return `input should be greater than ${exclusiveMinimum}`;
  if (type === "integer" && !Number.isSafeInteger(value)) return "a browser reads no whole number above 9007199254740991 exactly";
  return null;
}

/** `a`, `a or b`, `a, b or c`. */
function either(words: readonly string[]): string {
  return words.length < 2 ? words.join() : `${words.slice(0, -1).join(", ")} or ${words[words.length - 1]!}`;
}
