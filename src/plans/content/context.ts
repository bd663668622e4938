// A plan's context: 50 KB inline, larger parts as artifacts.
import { drawArtifactId } from '#db/plans/artifacts.ts';
import type { Random } from '#domain/clock.ts';
import { CountersignError } from '#domain/errors.ts';
import { PlanContext, type PlanDraft } from '#domain/plan/plan.ts';

/** JSON. */
const inlineContextBytes = 50 * 1024;

export type NewArtifact = { id: string; name: string; mediaType: string; content: Buffer };

const size = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** Plain text becomes notes. */
export function readContext(context: PlanDraft['context']): PlanContext {
  if (context === undefined) return PlanContext.parse({});
  return typeof context === 'string' ? PlanContext.parse({ notes: context }) : context;
}

/** Largest parts first. @throws `context_too_large` if even references don't fit */
export function splitContext(
  context: PlanContext,
  random: Random,
): { inline: PlanContext; artifacts: NewArtifact[] } {
  const { notes } = context;
  const inline: PlanContext = {
    ...context,
    tool_outputs: { ...context.tool_outputs },
    notes,
    artifacts: [...context.artifacts],
  };
  const parts = [
    ...Object.entries(context.tool_outputs).map(([name, output]) => ({
      size: size({ [name]: output }),
      file: { name: `${name}.json`, mediaType: 'application/json' },
      text: () => JSON.stringify(output),
      remove: () => {
        delete inline.tool_outputs[name];
      },
    })),
    {
      size: size(notes),
      file: { name: 'notes.txt', mediaType: 'text/plain; charset=utf-8' },
      text: () => notes,
      remove: () => {
        inline.notes = '';
      },
    },
  ].sort((a, b) => b.size - a.size);
  const artifacts: NewArtifact[] = [];
  // Updated, not measured again: a context may have 64 MB. Slightly too high if commas disappear.
  let total = size(inline);
  for (const part of parts) {
    if (total <= inlineContextBytes) break;
    const content = Buffer.from(part.text());
    const id = drawArtifactId(random);
    const reference = { id, name: part.file.name, size: content.length };
    // Without the part's braces or quotes; the reference adds a comma.
    const gained = part.size - 2 - (size(reference) + 1);
    // The reference would be no shorter.
    if (gained <= 0) continue;
    total -= gained;
    artifacts.push({ ...part.file, id, content });
    inline.artifacts.push(reference);
    part.remove();
  }
  if (total > inlineContextBytes) {
    throw new CountersignError(
      'context_too_large',
      `context: it has too many parts to keep within ${inlineContextBytes / 1024} KB. Put them into fewer, larger ones.`,
    );
  }
  return { inline, artifacts };
}
