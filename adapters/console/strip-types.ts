// Strips types, silencing Node's experimental warning.
import { stripTypeScriptTypes } from 'node:module';

let warned = false;

/** Keeps lines and columns. */
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
