// The operator: settles unknown calls, answers questions, resumes plans.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { slowestEffectMs } from './ledger.ts';
import type { Stage } from './stage.ts';

type Waiting = {
  plan: string;
  version: number;
  step: string;
  status: 'unknown' | 'waiting';
  attempt: number;
  effect: string | null;
  tenant: string | null;
};

export type Settled = { plan: string; step: string; effect: string | null; verdict: string };

const readWaiting = `
  select s.plan_id as plan, p.version, p.tenant, s.step_id as step, s.status, s.attempt,
    coalesce(c.args ->> 'line', c.args -> 'body' ->> 'step', c.args ->> 'path', c.args ->> 'to') as effect
  from countersign.step_states s join countersign.plan_steps c using (plan_id, position)
  join countersign.plans p on p.id = s.plan_id
  where s.status in ('unknown', 'waiting') and p.status in ('approved', 'executing', 'needs_review', 'stalled', 'failed')
  limit 200`;

export async function attend(stage: Stage, isOver: () => boolean): Promise<Settled[]> {
  const settled: Settled[] = [];
  async function post(plan: string, body: object): Promise<boolean> {
    const answer = await fetch(`${stage.front}/api/plans/${plan}/resume`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...body, user: 'ops' }),
      signal: AbortSignal.timeout(20_000),
    }).catch(() => null);
    return answer?.status === 200;
  }
  while (!isOver()) {
    const waiting = await stage.records.query<Waiting>(readWaiting);
    // No earlier call can still be running.
    await pause(2 * slowestEffectMs + 1000);
    const there = await stage.ledger.count();
    for (const one of waiting) {
      const { plan, version, step, status, attempt, effect, tenant } = one;
      // Chat posts are indistinguishable, so they are repeated.
      const known =
        effect !== null && (there.has(effect) || existsSync(join(stage.folderOf(tenant), effect)));
      const verdict = status === 'waiting' || known ? 'done' : 'retry';
      // A late answer must not apply to a later attempt.
      const about = { [step]: { attempt, status } };
      if (await post(plan, { version, steps: { [step]: verdict }, about }))
        if (status === 'unknown') settled.push({ plan, step, effect, verdict });
    }
    const stalled = await stage.records.query<{ id: string; version: number }>(
      `select id, version from countersign.plans where status = 'stalled'`,
    );
    for (const { id, version } of stalled) await post(id, { version });
    await pause(1000);
  }
  return settled;
}
