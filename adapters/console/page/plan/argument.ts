// A call's arguments as a page shows them.
import { isRecord } from '#domain/plan/operation-form.ts';
import type { Step } from '#domain/plan/plan.ts';
import type { Json, JsonObject } from '#domain/text.ts';

export type Argument =
  | { kind: 'text'; text: string }
  | { kind: 'plain'; text: string }
  | { kind: 'output'; step: string; path: string }
  | { kind: 'artifact'; id: string; path: string }
  | { kind: 'decided'; what: string }
  | { kind: 'template'; pieces: (string | { step: string; path: string })[] }
  | { kind: 'list'; items: Json[] }
  | { kind: 'record'; entries: [string, Json][] };

const textAt = (value: Json | undefined): string => (typeof value === 'string' ? value : '');

function readPiece(piece: Json): string | { step: string; path: string } {
  return isRecord(piece) ? { step: textAt(piece.$from), path: textAt(piece.path) } : String(piece);
}

function readRecord(value: JsonObject): Argument {
  if (typeof value.$from === 'string')
    return { kind: 'output', step: value.$from, path: textAt(value.path) };
  if (typeof value.$artifact === 'string')
    return { kind: 'artifact', id: value.$artifact, path: textAt(value.path) };
  if (typeof value.$decide === 'string') return { kind: 'decided', what: value.$decide };
  if (Array.isArray(value.$template))
    return { kind: 'template', pieces: value.$template.map(readPiece) };
  return { kind: 'record', entries: Object.entries(value) };
}

export function readArgument(value: Json): Argument {
  if (typeof value === 'string') return { kind: 'text', text: value };
  if (Array.isArray(value)) return { kind: 'list', items: value };
  return isRecord(value) ? readRecord(value) : { kind: 'plain', text: String(value) };
}

export const isKnown = (value: Json | undefined): value is string => typeof value === 'string';

/** Past or future, as far as known. */
export function argumentsOf({ status, args, final_args: final }: Step): JsonObject {
  const begun = status !== 'pending' && status !== 'ready';
  return begun && final !== null ? final : args;
}

/** Null if no JSON. */
export function spreadJson(text: string): string | null {
  if (!/^\s*[[{]/.test(text)) return null;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return null;
  }
}
