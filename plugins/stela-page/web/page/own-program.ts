/** The letters of this program, to make the worker of; nothing in the worker itself. */

export const ownProgram = typeof document === "undefined" ? "" : (document.currentScript?.textContent ?? "");
