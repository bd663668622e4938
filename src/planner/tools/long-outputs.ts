// Keeps long outputs as artifacts, shown by page and search.
import { z } from 'zod';
import { findLines } from '#domain/find-lines.ts';
import { isObject, type Json, type JsonObject } from '#domain/text.ts';
import { defineTool } from '../define-tool.ts';
import { fail, succeed, type ToolContext } from '../tool.ts';

/** Characters in the prompt. */
const roomOfReads = 6000;
const alwaysWhole = 3000;
/** Characters, also of the beginning. */
const pageLength = 3500;
const leastPage = 1500;
const matchesShown = 10;
const linesAround = 3;

const tool = 'artifact_read';

/** As pages and searches count. */
function textOf(data: Json): string {
  if (isObject(data) && typeof data.text === 'string') return data.text;
  return typeof data === 'string' ? data : JSON.stringify(data, null, 1);
}

function page(
  text: string,
  from: number,
  length = pageLength,
): { text: string; next: number | null } {
  const end = from + length;
  return {
    text: text.slice(from, end).toWellFormed(),
    next: end < text.length ? end : null,
  };
}

/** Null if it fits or can't be kept. */
export async function keepLong(
  read: { operation: string; args: JsonObject },
  data: Json,
  { tools, state }: Pick<ToolContext, 'tools' | 'state'>,
): Promise<Json | null> {
  const taken = state.reads.reduce((sum, one) => sum + JSON.stringify(one.data).length, 0);
  const room = roomOfReads - taken;
  if (JSON.stringify(data).length <= Math.max(room, alwaysWhole)) return null;
  const artifact = await tools.requests?.keep(state.run_id, read, data);
  if (artifact == null) return null;
  const text = textOf(data);
  const { text: begins, next } = page(text, 0, Math.min(pageLength, Math.max(room, leastPage)));
  return {
    begins,
    characters: text.length,
    artifact,
    more: `read {"operation":"${tool}","args":{"artifact":"${artifact}","from":${next}}} continues; "find":"words" instead of "from" searches it`,
  };
}

const ReadArtifact = z.strictObject({
  artifact: z.string(),
  from: z.number().int().min(0).optional(),
  find: z.string().optional(),
});

/** Called through `read`. */
export const readArtifact = defineTool({
  name: tool,
  description: 'Reads on in a long output, or searches it.',
  input: ReadArtifact,
  reads: true,
  hidden: true,
  async execute({ artifact, from = 0, find }, { tools, state }) {
    const data = (await tools.requests?.load(state.run_id, artifact)) ?? null;
    if (data === null)
      return {
        result: fail(
          `There is no artifact ${artifact.slice(0, 80)}. Read the output again for its id.`,
        ),
      };
    const text = textOf(data);
    if (find === undefined || find.trim() === '') return { result: succeed(page(text, from)) };
    const { found, more } = await findLines(text, find, {
      around: linesAround,
      most: matchesShown,
    });
    return found.length === 0
      ? {
          result: fail(
            `Nothing in it holds "${find.slice(0, 100)}". Try one word of it, or page with "from".`,
          ),
        }
      : { result: succeed({ found, more }) };
  },
});
