/** Names of keys, as stela_core/hashing gives them, and which keys of a profile are tested for. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { keyId, type KeyPart, knownKeys } from "../detector/reading/keys";
import { InvalidProfile, UnsupportedProfile } from "../detector/types";

const KEY = "0123456789abcdef";
const SALT = "5a".repeat(16);
const ABSENT = { key: null, salt: null, since: null, until: null, published: null };
const part = (key_id: string | null, fields: Partial<KeyPart> = {}): KeyPart => ({ ...ABSENT, key: KEY, key_id, ...fields });
const OWN = "76f15be0";

test("names are those that Python gives, fast and slow", () => {
  assert.equal(keyId(KEY, null), OWN);
  assert.equal(keyId(KEY, SALT), "0d01882f");
  assert.equal(keyId(`${KEY}fedcba9876543210`, null), "69c896a4");
});

test("a key under another name is refused, and no name is believed", () => {
  assert.deepEqual(knownKeys([part(OWN)], 1), { keys: [{ id: OWN, hex: KEY, published: undefined }], others: 0 });
  assert.throws(() => knownKeys([part("01234567")], 1), new InvalidProfile("wrong key: its id is 76f15be0, the profile's is 01234567"));
  assert.throws(() => knownKeys([part(OWN, { salt: SALT })], 1), InvalidProfile);
  assert.throws(() => knownKeys([part(OWN)], 2), new InvalidProfile("the key is not 32 hex digits"));
  assert.throws(() => knownKeys([part(OWN, { key: null }), part(OWN)], 1), UnsupportedProfile);
});

test("earlier keys that are not what they are called are not tested for", () => {
  const earlier = [part("01234567"), part(OWN), part(OWN, { key: null }), part(OWN, { key: KEY.repeat(2) })];
  const { keys, others } = knownKeys([part(OWN), ...earlier], 1);
  assert.deepEqual([keys.length, others], [2, 3]);
  // Of a set with a published key, any will do; but there must be one.
  const published = part(OWN, { published: "2026-01-01" });
  assert.equal(knownKeys([part("01234567"), published], 1).keys[0]?.published, "2026-01-01");
  assert.throws(() => knownKeys([part("01234567", { published: "2026-01-01" })], 1), InvalidProfile);
});
