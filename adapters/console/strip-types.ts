// Strips types for the browser. Suppresses Node's warning that the function is experimental: users can't act on it.
import { stripTypeScriptTypes } from 'node:module';

let warned = false;

/** JavaScript of a TypeScript source with unchanged lines and columns. */
export function stripTypes(source: string): string {
  if (warned) return stripTypeScriptTypes(source);
  warned = true;
  const emit = process.emitWarning;
  process.emitWarning = () => {};
  try {
    return stripTypeScriptTypes(source);
  } finally {
    process.emitWarning = emit;
  }
}
