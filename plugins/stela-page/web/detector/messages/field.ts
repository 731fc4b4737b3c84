/** Arithmetic of the fields GF(2**m) (stela_payload/field.py, which has the definition). */

const POLYNOMIALS: Readonly<Record<number, number>> = { 4: 0x13, 8: 0x11d, 10: 0x409, 12: 0x1053, 14: 0x4443, 16: 0x1100b };

/** GF(2**bits): numbers are added by `^`. */
export class Field {
  private readonly power: Uint16Array;
  private readonly log: Int32Array;

  constructor(bits: number) {
    const size = 2 ** bits;
    this.power = new Uint16Array(2 * size);
    this.log = new Int32Array(size);
    let power = 1;
    for (let exponent = 0; exponent < size - 1; exponent++) {
      this.power[exponent] = this.power[exponent + size - 1] = power;
      this.log[power] = exponent;
      power <<= 1;
      if (power >> bits) power ^= POLYNOMIALS[bits]!;
    }
  }

  product(one: number, other: number): number {
    return one && other ? this.power[this.log[one]! + this.log[other]!]! : 0;
  }

  /** One over a number that is not 0. */
  inverse(number: number): number {
    return this.power[this.log.length - 1 - this.log[number]!]!;
  }
}

const kept = new Map<number, Field>();

/** The field of numbers of so many bits. */
export function fieldOf(bits: number): Field {
  const own = kept.get(bits) ?? new Field(bits);
  kept.set(bits, own);
  return own;
}
