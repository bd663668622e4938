// Calls that open models write into their text.
import { z } from 'zod';
import { parseExactly } from '#domain/exact-json.ts';
import { AnyJson } from '#domain/text.ts';
import type { ToolCall } from './chat.ts';

const Arguments = z.record(z.string(), AnyJson);
const Written = z.union([
  z.object({ name: z.string(), arguments: Arguments }),
  z
    .object({ name: z.string(), parameters: Arguments })
    .transform(({ name, parameters }) => ({ name, arguments: parameters })),
]);

/** At the end of a text. */
type Marked = { inside: string[]; rest: string };

/** @param close null for the end of the text */
function findMarked(text: string, open: string, close: string | null): Marked | null {
  const inside: string[] = [];
  const rest: string[] = [];
  let at = 0;
  for (let start = text.indexOf(open); start >= 0; start = text.indexOf(open, at)) {
    const end = close === null ? text.length : text.indexOf(close, start + open.length);
    if (end < 0) break;
    rest.push(text.slice(at, start));
    inside.push(text.slice(start + open.length, end));
    at = end + (close?.length ?? 0);
  }
  return inside.length > 0 && text.slice(at).trim() === ''
    ? { inside, rest: rest.join('').trim() }
    : null;
}

function findWhole(text: string): Marked | null {
  const fenced = /^```(?:json)?([\s\S]*)```$/.exec(text)?.[1];
  const isJson = /^[[{]/.test(text) && /[\]}]$/.test(text);
  const inside = fenced ?? (isJson ? text : null);
  return inside === null ? null : { inside: [inside], rest: '' };
}

/** Hermes and Qwen, LM Studio and Mistral. */
const marks: [open: string, close: string | null][] = [
  ['<tool_call>', '</tool_call>'],
  ['[TOOL_REQUEST]', '[END_TOOL_REQUEST]'],
  ['[TOOL_CALLS]', null],
];

/** At the end; elsewhere they are quotations. @param turn keeps IDs unique */
export function findWrittenCalls(
  text: string,
  offered: ReadonlySet<string>,
  turn: number,
): { calls: ToolCall[]; rest: string } | null {
  if (offered.size === 0) return null;
  const plain = text.trim();
  const ways = [...marks.map(([open, close]) => findMarked(plain, open, close)), findWhole(plain)];
  for (const marked of ways) {
    if (marked === null || marked.rest.includes('```')) continue;
    const written = marked.inside.map(readWritten);
    if (!written.every((calls) => calls !== null)) continue;
    const calls = written.flat();
    if (calls.length === 0 || !calls.every(({ name }) => offered.has(name))) continue;
    return {
      calls: calls.map(({ name, arguments: args }, index) => ({
        id: `call_${turn}_${index}`,
        name,
        arguments: JSON.stringify(args),
      })),
      rest: marked.rest,
    };
  }
  return null;
}

function readWritten(text: string): z.infer<typeof Written>[] | null {
  try {
    const json: unknown = parseExactly(text);
    const parsed = z.array(Written).safeParse(Array.isArray(json) ? json : [json]);
    return parsed.success ? parsed.data : null;
  } catch {
    return null; // text, or nested deeper than any call
  }
}
