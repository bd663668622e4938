// Plans one part of a turn in its own session, under a lease.
// A replacement resumes from checkpoints and reuses paid replies.
import { readManifests } from '#db/backends.ts';
import { readLatestCheckpoint } from '#db/planning/checkpoints.ts';
import {
  claimPart,
  keepPart,
  type PartEnd,
  readScaffold,
  releasePart,
  settlePart,
} from '#db/planning/parts.ts';
import { readRun } from '#db/planning/runs.ts';
import { passCrashPoint } from '#domain/crash-points.ts';
import { granularityOf } from '#domain/plan/modes.ts';
import { limitOf } from '#domain/planning/outline.ts';
import { type PartPlace, type ScaffoldPart, sessionOfPart } from '#domain/planning/part.ts';
import type { PlanningOutcome, PlanningRequest } from '#domain/planning/run.ts';
import type { ConversationContext } from '#messages/context.ts';
import { readPolicyOf } from '#people/policy.ts';
import { endOfPart, writePart } from '#planner/parts/describe-part.ts';

const leaseSeconds = 15;
const graceSeconds = 5;
/** After this many planners broke off, another would too. */
const maxAttempts = 5;
/** A failed part is retried once, with the reason. */
const maxTries = 2;

async function buildRequest(
  context: ConversationContext,
  place: PartPlace,
  part: ScaffoldPart,
): Promise<PlanningRequest> {
  const { query } = context.db;
  const run = await readRun(query, place.run_id);
  const parts = await readScaffold(query, place);
  const parent = (await readLatestCheckpoint(query, run.id))?.state.data;
  const known = parent?.memory?.known ?? [];
  const { reasoning_level } = run.modes;
  const limitUsd = parent?.outline == null ? undefined : limitOf(parent.outline);
  return {
    runId: sessionOfPart(place, 1),
    text: writePart(part, parts, run.request, granularityOf(reasoning_level).steps),
    user: run.user,
    ownWords: false,
    ownMessages: [],
    ...(known.length === 0 ? {} : { memory: known }),
    conversation: run.conversation,
    history: [],
    revision: null,
    turn: 1,
    decision: { kind: 'said' },
    policy: {
      ...(await readPolicyOf(query, run)),
      probing_depth: 0,
      autonomy: 'high',
      approval_policy: 'single_final',
      brainstorming_preference: 'on_demand',
    },
    modes: { ...run.modes, planning_mode: 'normal' },
    softLifted: parent?.soft_budget_lifted ?? false,
    ...(limitUsd === undefined ? {} : { limitUsd }),
    now: context.clock.now(),
    timezone: run.decision?.timezone ?? context.timezone,
  };
}

/** Null if another planner has taken over. */
async function planPart(
  context: ConversationContext,
  place: PartPlace,
  part: ScaffoldPart,
  signal: AbortSignal,
): Promise<PartEnd | null> {
  const request = await buildRequest(context, place, part);
  await context.catalogue.refresh(() => readManifests(context.db.query));
  let cost = 0;
  let failed: string | null = null;
  for (let attempt = 1; ; attempt++) {
    const text =
      failed === null ? request.text : `${request.text}\n\nThe first attempt failed: ${failed}`;
    const late = AbortSignal.timeout((context.planningSeconds + graceSeconds) * 1000);
    const outcome: PlanningOutcome = await context.planner.plan(
      { ...request, runId: sessionOfPart(place, attempt), text },
      AbortSignal.any([signal, late]),
    );
    if (outcome.result.kind === 'superseded') return null;
    cost += outcome.cost_usd;
    const end = endOfPart(outcome);
    if (end.status !== 'failed' || !end.again || attempt >= maxTries || signal.aborted)
      return { status: end.status, steps: end.steps, message: end.message, cost_usd: cost };
    failed = end.message;
  }
}

/** If it waits for a planner and its turn is open. @throws to have it retried */
export async function expandPart(
  context: ConversationContext,
  place: PartPlace,
  signal: AbortSignal,
): Promise<void> {
  const { query } = context.db;
  const claimed = await claimPart(query, place, leaseSeconds);
  if (claimed === null) return;
  passCrashPoint('part_claimed');
  const { attempt, scaffold } = claimed;
  if (attempt > maxAttempts) {
    const message = `Its planner stopped unexpectedly ${maxAttempts} times.`;
    await settlePart(query, place, attempt, { status: 'failed', steps: [], message, cost_usd: 0 });
    return;
  }
  const over = new AbortController();
  const keep = () =>
    keepPart(query, place, attempt, leaseSeconds)
      .then((kept) => {
        if (!kept) over.abort();
      })
      .catch((error: unknown) =>
        context.warn(
          `The lease of part ${place.part_id} of ${place.run_id} is not renewed.`,
          error,
        ),
      );
  const beat = setInterval(() => void keep(), (leaseSeconds * 1000) / 3);
  const off = context.listener.on(`stop:${place.run_id}`, () => void keep());
  try {
    const end = await planPart(context, place, scaffold, AbortSignal.any([signal, over.signal]));
    if (over.signal.aborted || end === null) return;
    if (signal.aborted) throw signal.reason;
    await settlePart(query, place, attempt, end);
    passCrashPoint('part_planned');
  } catch (error) {
    await releasePart(query, place, attempt).catch(() => {}); // its lease ends anyway
    throw error;
  } finally {
    clearInterval(beat);
    off();
  }
}
