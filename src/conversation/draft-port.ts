// Database access of draft operations.
import type { Database } from '#db/database.ts';
import { loadArtifacts, readContent, storeArtifact } from '#db/plans/artifacts.ts';
import { countSources, readSources } from '#db/plans/draft-sources.ts';
import { readStepsById } from '#db/steps/pages.ts';
import { CountersignError } from '#domain/errors.ts';
import { estimateTokens } from '#models/tokens.ts';
import type { DraftPort, OutputsOf } from '#tools/ports.ts';
import { forTool } from './tool-ports.ts';

/** Outputs in memory. */
const pageSize = 100;

export function createDraftPort(db: Pick<Database, 'query'>): DraftPort {
  const { query } = db;

  async function locate({ planId, stepId, steps }: OutputsOf) {
    const [step] = await readStepsById(query, planId, [stepId]);
    if (step !== undefined) return { planId, position: step.position, steps };
    throw new CountersignError('unknown_step', `Step ${stepId} is not in the plan any more.`);
  }

  return {
    estimateTokens,
    count: (of) => forTool(async () => countSources(query, await locate(of))),
    async *read(of) {
      const at = await forTool(() => locate(of));
      for (let after = 0; ; ) {
        const page = await forTool(() => readSources(query, at, after, pageSize));
        for (const { position: _, ...source } of page) yield source;
        const last = page.at(-1);
        if (last === undefined || page.length < pageSize) return;
        after = last.position;
      }
    },
    store: ({ content, ...artifact }) =>
      forTool(() =>
        storeArtifact(query, {
          ...artifact,
          mediaType: 'application/json',
          content: Buffer.from(JSON.stringify(content)),
        }),
      ),
    load: (planId, id) =>
      forTool(async () => {
        const found = (await loadArtifacts(query, planId, [id])).get(id);
        return found === undefined ? null : readContent(found);
      }),
  };
}
