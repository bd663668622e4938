// One plan from proposal to end, and its rate.
import { type Actor, person } from '#domain/people/actor.ts';
import type { Plan, PlanDraft } from '#domain/plan/plan.ts';
import type { Service } from '#domain/service.ts';
import { toMilliseconds } from './numbers.ts';
import { until } from './stage.ts';

export const asker: Actor = person('bench', 'api');

type Waiting = {
  signal: AbortSignal;
  /** Called at each poll. */
  look?: () => Promise<void>;
};

/** Polls cost the executor a little. */
const lookEveryMs = 100;

export async function beginPlan(service: Service, draft: PlanDraft): Promise<Plan> {
  const plan = await service.propose(draft, { user: asker.id }, asker);
  return service.approve(plan.id, { version: plan.version, digest: plan.digest }, asker);
}

/** @throws unless it completed */
export async function awaitCompletion(
  service: Service,
  id: string,
  { signal, look }: Waiting,
): Promise<void> {
  await until(
    signal,
    async () => {
      const { status } = await service.overview(id);
      await look?.();
      if (status === 'completed') return status;
      if (status === 'approved' || status === 'executing') return null;
      throw new Error(`${id}, a plan of the bench, came to be ${status}`);
    },
    lookEveryMs,
  );
}

export type LogLine = { step: string; started_at: string; ended_at: string };

export async function readLog(service: Service, id: string): Promise<LogLine[]> {
  const lines: LogLine[] = [];
  for await (const chunk of service.exportLog(id)) {
    for (const line of chunk.trimEnd().split('\n')) lines.push(JSON.parse(line) as LogLine);
  }
  return lines;
}

/** Steps per second, first start to last end, by the database's clock. @throws unless every step ran exactly once */
export async function runPlan(
  service: Service,
  draft: PlanDraft,
  waiting: Waiting,
): Promise<number> {
  const { id } = await beginPlan(service, draft);
  await awaitCompletion(service, id, waiting);
  const lines = await readLog(service, id);
  const steps = draft.steps.length;
  if (lines.length !== steps || new Set(lines.map(({ step }) => step)).size !== steps)
    throw new Error(`${id} has ${steps} steps and a log of ${lines.length} attempts`);
  let first = Number.POSITIVE_INFINITY;
  let last = 0;
  for (const { started_at, ended_at } of lines) {
    first = Math.min(first, toMilliseconds(started_at));
    last = Math.max(last, toMilliseconds(ended_at));
  }
  return (steps / (last - first)) * 1000;
}
