/** Reed-Solomon codes (stela_payload/reed_solomon.py, which has the definition). */
import { type Field, fieldOf } from "./field";

const MOST_SYMBOLS = 16;

/** Whether there are messages of so many bits. */
export function isWhole(bits: number): boolean {
  return bits <= 16 || bits % 8 === 0;
}

/** Into how many digits a message of so many bits is cut, k. */
export function digitsOfBits(bits: number): number {
  return bits <= 16 ? 1 : bits <= 32 ? 2 : 4;
}

/** Symbols of a codeword, the fewest and the most that are known. */
export function symbolsOfBits(bits: number): readonly [number, number] {
  const k = digitsOfBits(bits);
  return k === 1 ? [1, 1] : [k === 2 ? 4 : 8, MOST_SYMBOLS];
}

/** The code of numbers of so many bits. */
export class ReedSolomon {
  readonly field: Field | undefined;

  constructor(
    readonly bits: number,
    readonly n: number,
    readonly k: number,
  ) {
    this.field = k > 1 ? fieldOf(bits / k) : undefined;
  }

  /** Of a symbol. */
  get symbolBits(): number {
    return this.bits / this.k;
  }

  /** That a symbol can have. */
  get values(): number {
    return 2 ** this.symbolBits;
  }

  /** The codeword of a number. */
  symbolsOf(number: bigint): number[] {
    if (this.k === 1) return [Number(number)];
    const digits = Array.from({ length: this.k }, (_, i) => Number((number >> BigInt(this.symbolBits * (this.k - 1 - i))) & BigInt(this.values - 1)));
    return Array.from({ length: this.n }, (_, place) => this.valueAt(digits, place));
  }

  /** The number whose codeword has these symbols at k places. */
  numberOf(places: readonly number[], symbols: readonly number[]): bigint {
    if (this.k === 1) return BigInt(symbols[0]!);
    const digits = new Array<number>(this.k).fill(0);
    places.forEach((place, at) => this.basis(places, place).forEach((c, i) => (digits[i]! ^= this.field!.product(c, symbols[at]!))));
    return digits.reduce((number, digit) => (number << BigInt(this.symbolBits)) | BigInt(digit), 0n);
  }

  /** What the symbols at k places are times in the sum that gives the one at each other place. */
  factorsOf(places: readonly number[], others: readonly number[]): number[][] {
    const bases = places.map((one) => this.basis(places, one));
    return others.map((other) => bases.map((basis) => this.valueAt(basis, other)));
  }

  /** What symbols at six places are times in two sums that are 0 for each codeword. */
  parities(six: readonly number[]): [number, number][] {
    const own = this.field!;
    return six.map((place) => {
      const product = six.reduce((p, other) => (other === place ? p : own.product(p, place ^ other)), 1);
      const scale = own.inverse(product);
      return [scale, own.product(scale, place)];
    });
  }

  /** The coefficients of the polynomial that is 1 at a place, and 0 at the others. */
  private basis(places: readonly number[], place: number): number[] {
    const own = this.field!;
    let made = [1];
    for (const other of places) {
      if (other === place) continue;
      const scale = own.inverse(place ^ other);
      const same = [...made.map((c) => own.product(c, other)), 0];
      made = [0, ...made].map((c, i) => own.product(c ^ same[i]!, scale));
    }
    return made;
  }

  private valueAt(coefficients: readonly number[], point: number): number {
    return coefficients.reduceRight((total, c) => this.field!.product(total, point) ^ c, 0);
  }
}
