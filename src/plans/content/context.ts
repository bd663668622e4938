// A plan's context: at most 50 KB inline; larger parts become artifacts that the context refers to.
import { drawArtifactId } from '#db/plans/artifacts.ts';
import type { Random } from '#domain/clock.ts';
import { CountersignError } from '#domain/errors.ts';
import { PlanContext, type PlanDraft } from '#domain/plan/plan.ts';

/** Bytes of JSON that stay inline. */
const inlineContextBytes = 50 * 1024;

export type NewArtifact = { id: string; name: string; mediaType: string; content: Buffer };

const size = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** `context` as sent, in its structured form: plain text is notes. */
export function readContext(context: PlanDraft['context']): PlanContext {
  if (context === undefined) return PlanContext.parse({});
  return typeof context === 'string' ? PlanContext.parse({ notes: context }) : context;
}

/**
 * Splits `context` into what stays inline and the artifacts it then refers to, largest parts first.
 * @throws CountersignError `context_too_large` when it has more parts than even their references leave room for
 */
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
  // Kept up to date instead of measured anew: a context may have 64 MB. A few bytes too high where commas vanish.
  let total = size(inline);
  for (const part of parts) {
    if (total <= inlineContextBytes) break;
    const content = Buffer.from(part.text());
    const id = drawArtifactId(random);
    const reference = { id, name: part.file.name, size: content.length };
    // Its own braces or quotes do not count, and the reference brings a comma.
    const gained = part.size - 2 - (size(reference) + 1);
    // Referring to it would take no less room than it does.
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
