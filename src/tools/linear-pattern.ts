// Regular expressions from outside run on RE2, whose time is linear in the text: on V8 one of a few characters stops the process.
import { createRequire } from 'node:module';

/** Characters of an expression, and instructions of what it is compiled to. */
const limits = { source: 5000, program: 20_000 };

const require = createRequire(import.meta.url);

export type LinearPattern = { test(text: string): boolean };

/** null: RE2 has no look-around and no back-references, or `source` is too large or none. */
export function compileLinear(source: string): LinearPattern | null {
  if (source.length > limits.source) return null;
  // Loaded with the first expression.
  const { RE2JS } = require('re2js') as typeof import('re2js');
  try {
    const pattern = RE2JS.compile(RE2JS.translateRegExp(source));
    return pattern.programSize() > limits.program ? null : pattern;
  } catch {
    return null; // the caller says that it is not checked
  }
}
