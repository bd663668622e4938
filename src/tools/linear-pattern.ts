// Runs untrusted regular expressions on RE2: on V8 they can hang.
import { createRequire } from 'node:module';

/** Characters; instructions. */
const limits = { source: 5000, program: 20_000 };

const require = createRequire(import.meta.url);

export type LinearPattern = { test(text: string): boolean };

/** Null if invalid, too large, or with look-around or back-references, which RE2 lacks. */
export function compileLinear(source: string): LinearPattern | null {
  if (source.length > limits.source) return null;
  const { RE2JS } = require('re2js') as typeof import('re2js');
  try {
    const pattern = RE2JS.compile(RE2JS.translateRegExp(source));
    return pattern.programSize() > limits.program ? null : pattern;
  } catch {
    return null; // the caller reports it as unchecked
  }
}
