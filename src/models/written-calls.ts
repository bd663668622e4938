// Calls that a model wrote into its text: open models do when the server has no parser for their way of calling tools.
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

/** The marks of Hermes and Qwen, LM Studio, Mistral, and a fenced block that is all of the answer. */
const marks = [
  /<tool_call>\s*([\s\S]*?)\s*<\/tool_call>/g,
  /\[TOOL_REQUEST\]\s*([\s\S]*?)\s*\[END_TOOL_REQUEST\]/g,
  /\[TOOL_CALLS\]\s*([\s\S]+)$/g,
  /^\s*```(?:json)?\s*([\s\S]*?)\s*```\s*$/g,
  /^\s*([[{][\s\S]*[\]}])\s*$/g,
];

/**
 * The calls at the end of `text`, and the text before them; null when there are none. Only calls of offered tools count, and
 * none that stands in the middle of a text or in a code block: that one is quoted.
 * @param turn what tells the ids of this reply from those of others
 */
export function findWrittenCalls(
  text: string,
  offered: ReadonlySet<string>,
  turn: number,
): { calls: ToolCall[]; rest: string } | null {
  if (offered.size === 0) return null;
  for (const mark of marks) {
    const found = [...text.matchAll(mark)];
    const last = found.at(-1);
    if (last === undefined || text.slice(last.index + last[0].length).trim() !== '') continue;
    const rest = text.replace(mark, '').trim();
    if (rest.includes('```')) continue;
    const written = found.map(([, json = '']) => readWritten(json));
    if (!written.every((calls) => calls !== null)) continue;
    const calls = written.flat();
    if (calls.length === 0 || !calls.every(({ name }) => offered.has(name))) continue;
    return {
      calls: calls.map(({ name, arguments: args }, index) => ({
        id: `call_${turn}_${index}`,
        name,
        arguments: JSON.stringify(args),
      })),
      rest,
    };
  }
  return null;
}

function readWritten(text: string): z.infer<typeof Written>[] | null {
  let json: unknown;
  try {
    json = parseExactly(text);
  } catch {
    return null; // it is text
  }
  const parsed = z.array(Written).safeParse(Array.isArray(json) ? json : [json]);
  return parsed.success ? parsed.data : null;
}
