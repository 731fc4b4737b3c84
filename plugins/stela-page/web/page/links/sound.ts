/** Whether the profile.json of a stranger is one, by the rules of `stela_core/profile/schema.py`.
 *
 * What lies in a page was checked by Python when the page was made; what comes in a link was checked by nobody.
 */

type Test = (value: unknown) => boolean;

const HIGHEST_ALPHA = 0.05;
const FEWEST_TOKENS = 8;
/** As for somebody else's profile that `stela detect` opens. */
const WIDEST_CONTEXT = 64;
const MOST_EARLIER_KEYS = 15;

const SHA256 = /^[0-9a-f]{64}$/;
const KEY = /^(?:[0-9a-f]{16}){1,64}$/;
const ID = /^[0-9a-f]{8}$/;
const SALT = /^[0-9a-f]{32}$/;

const text =
  (most: number): Test =>
  (value) =>
    typeof value === "string" && value.length <= most;
const like =
  (form: RegExp): Test =>
  (value) =>
    typeof value === "string" && form.test(value);
const between =
  (low: number, high: number): Test =>
  (value) =>
    typeof value === "number" && value >= low && value <= high;
const whole =
  (low: number, high: number): Test =>
  (value) =>
    Number.isInteger(value) && between(low, high)(value);
const absent: Test = (value) => value === null || value === undefined;
const or =
  (...tests: Test[]): Test =>
  (value) =>
    tests.some((test) => test(value));
const anything: Test = () => true;

/** An object whose fields pass; one that is not named is none of it. */
const object =
  (tests: Record<string, Test>): Test =>
  (value) =>
    isObject(value) &&
    Object.keys(value).every((name) => Object.hasOwn(tests, name)) &&
    Object.entries(tests).every(([name, test]) => test(value[name]));

const EARLIER = object({ key_id: like(ID), key: like(KEY), salt: or(absent, like(SALT)) });

const PROFILE = object({
  format: (value) => value === "stela-profile/1",
  created_with: text(100),
  language: or(absent, text(20)),
  scheme: object({ name: text(100), parameters: or(absent, isObject) }),
  hasher: object({
    name: text(100),
    gamma: or(absent, (value) => between(0, 1)(value) && value !== 0 && value !== 1),
    context_width: whole(0, WIDEST_CONTEXT),
    key_id: like(ID),
    key: like(KEY),
    parameters: or(absent, isObject),
    device: absent,
    salt: or(absent, like(SALT)),
    earlier_keys: or(absent, (keys) => Array.isArray(keys) && keys.length <= MOST_EARLIER_KEYS && keys.every(EARLIER)),
  }),
  tagger: absent,
  k: or(absent, whole(1, 8)),
  window: or(absent, whole(1, 128)),
  calibration: or(absent, (value) => value === "tokens" || value === "types"),
  tokenizer_sha256: like(SHA256),
  table_sha256: or(absent, like(SHA256)),
  vocab_size: whole(2, Number.MAX_SAFE_INTEGER),
  min_tokens: or(absent, whole(FEWEST_TOKENS, Number.MAX_SAFE_INTEGER)),
  alpha: or(absent, (value) => between(Number.MIN_VALUE, HIGHEST_ALPHA)(value)),
  null_check: anything,
  further_null_checks: anything,
  requires: anything,
});

/** Whether it is a profile whose key is public, and whose verdicts say something. */
export function isSound(content: unknown): boolean {
  return PROFILE(content);
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
