/** What weighs tokens by what stands before them: never by key, colours or the tokens themselves. */
export interface Weigher {
  /** Weights of the tokens that stand behind `text.slice(0, end)`, for each end. */
  weights(text: string, ends: readonly number[]): Float64Array;
}
