/** The report that a visitor keeps: the text, what was looked for, and every number, to be checked again. */

import type { Checked } from "./checked";

export interface Report {
  format: "stela-page-report/1";
  made: string;
  verdict: string;
  p_value: number;
  tests: number;
  marks: Record<string, unknown>[];
  source: string | null;
  text_sha256: string;
  text: string;
}

/** Of what was checked, when it was. */
export function reportOf({ text, digest, source, outcome, opened, made }: Checked): Report {
  return {
    format: "stela-page-report/1",
    made: made.toISOString(),
    verdict: outcome.verdict,
    p_value: outcome.best.p,
    tests: outcome.tested.length,
    marks: outcome.tested.map(({ index, verdict, p, passages, message, detection }) => {
      const { tokens: _, passages: __, verdict: ___, message: ____, p_value, ...numbers } = detection;
      const known = opened.get(index);
      const about = known !== undefined && "profile" in known ? known : undefined;
      const said = { verdict, p_value: p, p_value_alone: p_value, ...numbers, passages, message };
      return { profile: about?.profile, signature: about?.signature, ...said };
    }),
    source,
    text_sha256: digest,
    text,
  };
}

/** Hands the visitor a file; nothing leaves the browser. */
export function save(name: string, content: string): void {
  const address = URL.createObjectURL(new Blob([content], { type: "application/json" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
