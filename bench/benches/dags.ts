// Task graphs from files, run as no-op plans.
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { CountersignError, errorMessage } from '#domain/errors.ts';
import type { PlanDraft } from '#domain/plan/plan.ts';
import { openBareBoss, pickLoops } from '../bare-boss.ts';
import { readNoop } from '../graphs.ts';
import { interleave } from '../interleave.ts';
import { makeRow } from '../row.ts';
import { runPlan } from '../run-plan.ts';
import type { Bench } from '../stage.ts';

const usualRuns = 3;
const bossJobs = 5000;

const Graph = z.object({
  source: z.string(),
  tasks: z
    .array(
      z.object({
        id: z.string(),
        parents: z.array(z.string()),
        runtime_s: z.number().optional(),
      }),
    )
    .min(1),
});

async function readGraph(path: string): Promise<PlanDraft> {
  const parsed = await readFile(path, 'utf8')
    .then((text) => Graph.parse(JSON.parse(text)))
    .catch((cause: unknown) => {
      throw new CountersignError(
        'invalid_request',
        `${path} is no task graph { source, tasks: [{ id, parents, runtime_s? }] }: ${errorMessage(cause)}`,
        { cause },
      );
    });
  return {
    title: basename(path, '.json').slice(0, 300),
    steps: parsed.tasks.map(({ id, parents, runtime_s }) => ({
      id,
      description: `Do nothing for ${id}`,
      ...readNoop,
      after: [...new Set(parents)],
      ...(runtime_s === undefined ? {} : { duration_minutes: runtime_s / 60 }),
    })),
  };
}

async function readFolder(folder: string): Promise<PlanDraft[]> {
  const names = await readdir(folder).catch((cause: unknown) => {
    throw new CountersignError('invalid_request', `--folder: ${errorMessage(cause)}`, { cause });
  });
  const files = names.filter((name) => name.endsWith('.json')).sort();
  if (files.length === 0)
    throw new CountersignError('invalid_request', `--folder: ${folder} has no .json files.`);
  return Promise.all(files.map((name) => readGraph(join(folder, name))));
}

export const measureDags: Bench = async (stage) => {
  if (stage.folder === undefined)
    throw new CountersignError(
      'invalid_request',
      'dags needs --folder DIR, with task graphs { source, tasks: [{ id, parents, runtime_s? }] } as .json files.',
    );
  const plans = await readFolder(stage.folder);
  const { service } = await stage.openInstance({ work: true });
  const [boss, ...rates] = await interleave(stage, stage.runs ?? usualRuns, [
    await openBareBoss(stage, stage.steps ?? bossJobs),
    ...plans.map((draft) => ({
      name: draft.title,
      measure: async () => ({ countersign: await runPlan(service, draft, stage) }),
    })),
  ]);
  if (boss === undefined) throw new Error('bare pg-boss was not measured');
  const { one } = pickLoops(boss);
  return plans.map(({ title, steps }, at) => {
    const edges = steps.reduce((sum, { after }) => sum + (after?.length ?? 0), 0);
    return makeRow({
      name: `dags/${title}`,
      what: `${steps.length} steps, ${edges} edges`,
      unit: 'steps/s',
      value: rates[at]?.value ?? null,
      compared: one,
    });
  });
};
