// Runs a case: an in-process planner without a database, then the gates.
import { applyOverride, defaultPolicy } from '#domain/people/policy.ts';
import type { PlanDraft } from '#domain/plan/plan.ts';
import { assignAnswers } from '#domain/planning/asked-question.ts';
import type { PlanningOutcome, PlanningRequest } from '#domain/planning/run.ts';
import type { ChatModel, ChatReply, ChatRequest } from '#models/chat.ts';
import { request, saidBy } from '#tests/unit/planner/requests.ts';
import { createMemoryPlanner } from '../fixtures/memory-planner.ts';
import type { EvalCase, Expectation } from './case.ts';
import { judge, readShown } from './gates.ts';
import { openInstance } from './instance.ts';

export type ModelCall = { request: ChatRequest; reply: ChatReply; seconds: number };

export type EvalResult = {
  problems: string[];
  /** Fewer is better. */
  words: number;
  questions: number;
  calls: ModelCall[];
};

const usualNow = '2026-03-04T10:00:00Z';
/** High enough that only the gates end a case. */
const limits = {
  turns: 20,
  retries: 2,
  wallSeconds: 600,
  softPerTurn: 100,
  perSession: 100,
  perDay: 10_000,
};
const callSeconds = 180;

type Step = { asked: PlanningRequest; expect: Expectation };

export async function runCase(one: EvalCase, model: ChatModel): Promise<EvalResult> {
  const now = new Date(one.now ?? usualNow);
  const timezone = one.person?.timezone ?? 'Europe/Berlin';
  const clock = { now: () => now };
  const instance = await openInstance(one, clock, timezone);
  const calls: ModelCall[] = [];
  const planner = createMemoryPlanner({
    tools: instance.tools,
    model: meter(model, calls),
    limits,
    guarded: one.guarded ?? [],
    clock,
  });
  const problems: string[] = [];
  let words = 0;
  let questions = 0;
  try {
    let step: Step | null = firstStep(one, now, timezone);
    for (let turn = 0; step !== null; turn += 1) {
      const since = { calls: calls.length, reads: instance.reads.length };
      const outcome = await planner.plan(step.asked, new AbortController().signal);
      const found = judge(step.expect, {
        outcome,
        previous: step.asked.revision?.previous ?? null,
        timezone,
        reads: instance.reads.slice(since.reads).map(({ name }) => name),
        prompts: calls.slice(since.calls).map(({ reply }) => reply.usage.input_tokens),
      });
      words += readShown(outcome.result)
        .split(/\s+/)
        .filter((word) => word !== '').length;
      questions += outcome.result.kind === 'question' ? outcome.result.questions.length : 0;
      problems.push(...found.map((text) => (turn === 0 ? text : `turn ${turn + 1}: ${text}`)));
      step = nextStep(one, turn, step, outcome);
    }
    return { problems, calls, words, questions };
  } finally {
    await instance.close();
  }
}

function firstStep(one: EvalCase, now: Date, timezone: string): Step {
  const { person = {}, revises, history = [], thread, atHand, expect } = one;
  const usual = request(one.request);
  const feedback = revises?.feedback.at(-1);
  return {
    expect,
    asked: {
      ...usual,
      runId: `eval-${one.id}`,
      user: person.user ?? 'ana',
      history,
      ...(thread === undefined ? {} : { thread }),
      ...(atHand === undefined ? {} : { plans: atHand }),
      ...(one.memory === undefined ? {} : { memory: one.memory }),
      policy: applyOverride(defaultPolicy, person.policy ?? {}),
      modes: { ...usual.modes, ...person.modes },
      now,
      timezone,
      ...(revises === undefined || feedback === undefined
        ? {}
        : {
            revision: { previous: revises.plan, feedback: revises.feedback },
            decision: { kind: 'changes', by: person.user ?? 'ana', feedback },
          }),
    },
  };
}

function nextStep(
  one: EvalCase,
  turn: number,
  { asked }: Step,
  outcome: PlanningOutcome,
): Step | null {
  const next = one.turns?.[turn];
  if (next === undefined) return null;
  const { history } = asked;
  const bot = saidBy(outcome);
  const base = { ...asked, turn: asked.turn + 1 };
  if ('says' in next) {
    const answers = assignAnswers(bot.questions ?? [], next.says);
    return {
      expect: next.expect,
      asked: {
        ...base,
        text: next.says,
        history: [...history, { author: 'person', text: asked.text, kind: 'said' }, bot],
        answers,
        revision: null,
        decision: { kind: 'said' },
      },
    };
  }
  const previous: PlanDraft | null =
    outcome.result.kind === 'proposal' ? outcome.result.draft : null;
  if (previous === null) return null;
  const feedback = [...(asked.revision?.feedback ?? []), next.changes];
  return {
    expect: next.expect,
    asked: {
      ...base,
      revision: { previous, feedback },
      decision: { kind: 'changes', by: asked.user, feedback: next.changes },
    },
  };
}

/** The planner's clock is stopped; deadlines use the real one. */
function meter(model: ChatModel, calls: ModelCall[]): ChatModel {
  return {
    name: model.name,
    estimateCost: () => Promise.resolve(0),
    async complete(given, signal) {
      const began = performance.now();
      const deadline = Date.now() + callSeconds * 1000;
      const reply = await model.complete({ ...given, deadline }, signal);
      // A copy: the conversation continues in the same list.
      const messages = [...given.messages];
      calls.push({
        request: { ...given, messages },
        reply,
        seconds: (performance.now() - began) / 1000,
      });
      return reply;
    },
  };
}
