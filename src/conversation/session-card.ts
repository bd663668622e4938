// A session card's facts for a viewer.
import { z } from 'zod';
import type { Queryable } from '#db/database.ts';
import { readLatestCheckpoint } from '#db/planning/checkpoints.ts';
import { isOvertaken, type RunRow, readRun } from '#db/planning/runs.ts';
import type { Offer, SessionCardFacts } from '#domain/chat/session-card.ts';
import { type AskedQuestion, answerTo, offersQuestionId } from '#domain/planning/asked-question.ts';
import type { PlanningState, SessionResult } from '#domain/planning/state.ts';
import type { ConversationContext } from '#messages/context.ts';
import { nameOnSession } from '#people/people-named.ts';
import { digestShown } from '#runs/session-subject.ts';
import { describeRepeats } from './plan-times.ts';
import { readDeciders } from './session-decisions.ts';

async function readSession(db: Queryable, run: RunRow): Promise<PlanningState | null> {
  if (run.planning_status === 'running') return null;
  const latest = await readLatestCheckpoint(db, run.id);
  return latest?.turn === run.turn ? (latest.state.data ?? null) : null;
}

const Offered = z.object({
  kind: z.enum(['idea', 'option']),
  number: z.number(),
  name: z.string().min(1),
  text: z.string().default(''),
});

/** Its options as answers. With a number: the model's words never act as a command. */
function readChoices(asked: AskedQuestion[], question: AskedQuestion, place: number): Offer[] {
  const several = asked.length > 1;
  if (several && question.keep !== undefined) return [];
  return (question.options ?? []).map(({ text, recommended }, index) => {
    const name = recommended === true ? `${text} (recommended)` : text;
    return several
      ? { name: answerTo(place, name), text: '', answer: answerTo(place, text) }
      : { name, text: '', answer: `${index + 1}. ${text}` };
  });
}

/** From the last list, so that a press sends what people would type. */
function readOffers({ offered, result }: PlanningState): Offer[] {
  const asked = result?.kind === 'question' ? result.questions : [];
  const choices = asked.flatMap((question, place) => readChoices(asked, question, place));
  if (choices.length > 0) return choices;
  if (result?.kind !== 'question' || !result.questions.some(({ id }) => id === offersQuestionId))
    return [];
  const all = offered.flatMap((one) => {
    const parsed = Offered.safeParse(one);
    return parsed.success ? [parsed.data] : [];
  });
  const last = all.slice(
    Math.max(
      0,
      all.findLastIndex(({ number }) => number === 1),
    ),
  );
  return last.map(({ number, name, text }) => ({ name, text, answer: `${number}. ${name}` }));
}

function infeasibleOf(result: SessionResult | null) {
  return result?.kind === 'escalation' ? result.infeasible : null;
}

/** @throws `run_not_found` */
export async function readRunCard(
  context: ConversationContext,
  runId: string,
  viewer: { user: string; timezone: string },
): Promise<SessionCardFacts> {
  const db = context.db.query;
  const run = await readRun(db, runId);
  const facts = await describeRun(context, run, await readSession(db, run), viewer);
  // A superseded request can't be repeated.
  const gone = run.planning_status === 'aborted' && (await isOvertaken(db, runId));
  const over = gone ? ({ kind: 'overtaken', by: null, at: null } as const) : facts.over;
  return nameOnSession(db, { ...facts, over });
}

export async function describeRun(
  context: ConversationContext,
  run: RunRow,
  session: PlanningState | null,
  viewer: { user: string; timezone: string },
): Promise<SessionCardFacts> {
  const { words, may } = await readDeciders(context.db.query, context, run, viewer.user);
  return {
    run_id: run.id,
    turn: run.turn,
    digest: digestShown(run),
    status: run.planning_status,
    pause: run.pause,
    plan_id: run.plan_id,
    request: run.request,
    text: run.response_text,
    questions: run.questions ?? [],
    offers: session === null ? [] : readOffers(session),
    reason: run.escalate_reason,
    decision: run.decision ?? { kind: 'said' },
    over: null,
    pattern: run.pattern,
    rfc: run.rfc,
    outline: session?.outline ?? null,
    ...describeRepeats(session?.outline?.nodes.flatMap(({ recurs }) => recurs ?? []) ?? []),
    roadmap: session?.roadmap ?? null,
    schedule: session?.schedule ?? null,
    portfolio: session?.portfolio ?? null,
    infeasible: infeasibleOf(session?.result ?? null),
    planner: run.planner,
    confidence: run.confidence,
    cost_usd: run.cost_usd,
    approvers: words,
    may_decide: may,
    viewer,
    now: context.clock.now().toISOString(),
    link: run.plan_id === null ? null : context.linkTo(run.plan_id),
  };
}
