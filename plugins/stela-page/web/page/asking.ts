/** What the page of a service has beside the page that is a file: somebody to send texts to. */

import type { Detection } from "../detector/types";

export interface Service {
  /** Whose it is, as an address bar writes it. */
  readonly host: string;
  /** What the service says of a text under one of its profiles.
   *
   * @throws ServiceProblem
   */
  detect(profile: string, text: string, tokens: boolean, signal: AbortSignal): Promise<Detection>;
}

/** Why a service said nothing of a text. */
export class ServiceProblem extends Error {
  /**
   * @param kind `busy` with the seconds after which it may be asked again.
   * @param told the service's own words, for `refused`.
   */
  constructor(
    readonly kind: "unreachable" | "busy" | "refused",
    readonly told: string | number = "",
  ) {
    super(kind);
    this.name = "ServiceProblem"; // it comes out of another script: its class is not the page's own
  }
}

declare global {
  interface Window {
    /** Set by the script that a service adds; the page that is a file has no code that could send anything. */
    stelaService?: Service;
  }
}
