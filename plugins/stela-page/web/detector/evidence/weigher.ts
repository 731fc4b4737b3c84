/** What weighs tokens by what stands before them: never by key, colours or the tokens themselves. */
export interface Weigher {
  /** Weights of the tokens that stand behind `text.slice(0, end)`, for each end. */
  weights(text: string, ends: readonly number[]): Float64Array;
}

/** What weighs tokens by themselves as well, for evidence: never by key or colours. */
export interface TokenWeigher {
  /** Weights of the tokens at some positions; token n is `text.slice(ends[n], ends[n + 1])`. */
  weightsOf(text: string, ends: readonly number[], positions: readonly number[]): Float64Array;
}
