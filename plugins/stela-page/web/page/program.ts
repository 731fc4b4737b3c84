/** The page's one program, for the page and for its worker, which is made of the same letters: what both need lies there once. */

import "./own-program"; // first: the element that a program is in is known only while it begins

if (typeof document === "undefined") void import("./worker");
else void import("./main");
