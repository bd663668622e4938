// A plan's context: at most 50 KB of it inline; the largest parts beyond that become artifacts the context refers to.
import type { Random } from '#contracts/clock.ts';
import { PlanContext, type PlanDraft } from '#contracts/plan.ts';
import { drawArtifactId } from '#store/artifacts.ts';

/** Bytes of JSON that stay inline. */
export const inlineContextBytes = 50 * 1024;

export type NewArtifact = { id: string; name: string; mediaType: string; content: Buffer };

const size = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** `context` as sent, in its structured form: plain text is notes. */
export function readContext(context: PlanDraft['context']): PlanContext {
  if (context === undefined) return PlanContext.parse({});
  return typeof context === 'string' ? PlanContext.parse({ notes: context }) : context;
}

/** Splits `context` into what stays inline and the artifacts it then refers to, largest parts first. */
export function splitContext(
  context: PlanContext,
  random: Random,
): { inline: PlanContext; artifacts: NewArtifact[] } {
  const inline: PlanContext = {
    tool_outputs: { ...context.tool_outputs },
    notes: context.notes,
    artifacts: [...context.artifacts],
  };
  const artifacts: NewArtifact[] = [];
  const moveOut = (name: string, mediaType: string, text: string) => {
    const content = Buffer.from(text);
    const id = drawArtifactId(random);
    artifacts.push({ id, name, mediaType, content });
    inline.artifacts.push({ id, name, size: content.length });
  };
  const outputs = Object.entries(inline.tool_outputs).sort((a, b) => size(b[1]) - size(a[1]));
  while (size(inline) > inlineContextBytes) {
    const largest = outputs[0];
    if (largest !== undefined && size(largest[1]) > size(inline.notes)) {
      outputs.shift();
      delete inline.tool_outputs[largest[0]];
      moveOut(`${largest[0]}.json`, 'application/json', JSON.stringify(largest[1]));
    } else if (inline.notes !== '') {
      moveOut('notes.txt', 'text/plain; charset=utf-8', inline.notes);
      inline.notes = '';
    } else {
      break;
    }
  }
  return { inline, artifacts };
}
