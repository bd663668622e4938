// Type stripping for the browser. Node warns once that the function is experimental; that is our choice to
// make and not news for the person who starts the program, so this one warning is kept from them.
import { stripTypeScriptTypes } from 'node:module';

let warned = false;

/** JavaScript of a TypeScript source, every line and column where it was. */
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
