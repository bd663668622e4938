// The planner with a language model: one agent run with reading tools and the verbs of a plan. It must not throw.
import { type Clock, systemClock } from '#contracts/clock.ts';
import { errorMessage } from '#contracts/errors.ts';
import type { Planner, PlanningOutcome, PlanningRequest } from '#contracts/run.ts';
import type { ChatMessage, ChatModel } from '#models/chat-model.ts';
import { type AgentReport, type Cap, runAgent } from '../agent/run-agent.ts';
import { abort, type Result } from '../outcomes.ts';
import type { PlannerTools } from '../ports.ts';
import { createPlannerTools, type PlannerEnd } from './planner-tools.ts';
import { writeRevisionPrompt } from './prompts/revision-prompt.ts';
import { writeSystemPrompt } from './prompts/system-prompt.ts';

export type PlanningLimits = {
  /** Model calls in one run. */
  turns: number;
  wallSeconds: number;
  /** US dollars a run, and a day over all runs. */
  perSession: number;
  perDay: number;
};

export type ModelPlannerOptions = {
  model: ChatModel;
  tools: PlannerTools;
  limits: PlanningLimits;
  /** US dollars spent on planning today, this run not included. */
  spentToday?: () => Promise<number>;
  clock?: Clock;
};

/** What a person is shown of one answer. */
const answerAtMost = 12_000;
const rememberedUtterances = 20;
const utteranceAtMost = 4000;

export function createModelPlanner(options: ModelPlannerOptions): Planner {
  const { model } = options;
  return {
    name: model.name,
    async plan(request, signal): Promise<PlanningOutcome> {
      try {
        return await plan(options, request, signal);
      } catch (error) {
        const text = `Planning failed: ${errorMessage(error)} Nothing has changed; ask again.`;
        return {
          result: abort('internal', text),
          reason: errorMessage(error),
          planner: model.name,
          confidence: null,
          cost_usd: 0,
          trace: [],
          session: null,
        };
      }
    },
  };
}

async function plan(
  options: ModelPlannerOptions,
  request: PlanningRequest,
  signal: AbortSignal,
): Promise<PlanningOutcome> {
  const { model, tools, limits, clock = systemClock } = options;
  const spent = (await options.spentToday?.()) ?? 0;
  const questionsAtMost = Math.max(1, request.policy.probing_depth);
  const report = await runAgent<PlannerEnd>({
    model,
    tools: createPlannerTools(tools, questionsAtMost),
    messages: writeMessages(request, tools),
    caps: {
      turns: limits.turns,
      deadline: clock.now().getTime() + limits.wallSeconds * 1000,
      budget: Math.min(limits.perSession, Math.max(0, limits.perDay - spent)),
    },
    stage: 'plan',
    signal,
    clock,
  });
  const { result, reason, confidence } = readEnd(report, tools, limits);
  return {
    result,
    reason,
    planner: model.name,
    confidence,
    cost_usd: report.cost_usd,
    trace: report.trace,
    session: null,
  };
}

function writeMessages(request: PlanningRequest, tools: PlannerTools): ChatMessage[] {
  const { policy, now, timezone, revision } = request;
  const system = writeSystemPrompt({ manifest: tools.manifest(), policy, now, timezone });
  const before = request.history.slice(-rememberedUtterances).map(
    ({ author, text }): ChatMessage => ({
      role: author === 'person' ? 'user' : 'assistant',
      content: text.slice(0, utteranceAtMost),
    }),
  );
  const revise = revision
    ? [
        {
          role: 'user' as const,
          content: writeRevisionPrompt(revision.previous, revision.feedback),
        },
      ]
    : [];
  return [
    { role: 'system', content: system },
    ...before,
    ...revise,
    { role: 'user', content: request.text },
  ];
}

type Read = { result: Result; reason: string; confidence: number | null };

function readEnd(
  report: AgentReport<PlannerEnd>,
  tools: PlannerTools,
  limits: PlanningLimits,
): Read {
  const { end } = report;
  const stop = (reason: string, text: string): Read => ({
    result: abort(reason, text),
    reason,
    confidence: null,
  });
  switch (end.kind) {
    case 'ended':
      return readEnded(end.value, report, tools);
    case 'said':
      return {
        result: { kind: 'answer', text: cutAnswer(end.text) },
        reason: explainAnswer(report),
        confidence: null,
      };
    case 'refused':
      return stop(
        'model_refused',
        `The model declined: ${cutAnswer(end.text).slice(0, 1000)} Ask in other words.`,
      );
    case 'failed':
      return stop('model_failed', `${end.text} Nothing has changed.`);
    case 'cancelled':
      return stop('cancelled', 'Planning was stopped. Nothing has changed; ask again.');
    case 'capped':
      return stop(`cap_${end.cap}`, explainCap(end.cap, limits));
    default:
      return end satisfies never;
  }
}

function readEnded(value: PlannerEnd, report: AgentReport<PlannerEnd>, tools: PlannerTools): Read {
  switch (value.kind) {
    case 'proposal': {
      const { draft, confidence } = value;
      const effects = new Map(
        tools.manifest().map((spec) => [`${spec.tool}_${spec.operation}`, spec.effect]),
      );
      const names = [...new Set(draft.steps.map((step) => `${step.tool}_${step.operation}`))];
      const writes = names.filter((name) => effects.get(name) !== 'read');
      const why =
        writes.length > 0
          ? `it changes something: ${writes.slice(0, 10).join(', ')}`
          : 'the model proposed one, though it only reads';
      return { result: { kind: 'proposal', draft }, reason: `a plan, because ${why}`, confidence };
    }
    case 'question':
      return {
        result: { kind: 'question', text: value.questions.join('\n'), questions: value.questions },
        reason: 'asked, because the model found something open',
        confidence: null,
      };
    case 'answer':
      return {
        result: { kind: 'answer', text: cutAnswer(value.text) },
        reason: explainAnswer(report),
        confidence: null,
      };
    default:
      return value satisfies never;
  }
}

function explainAnswer(report: AgentReport<PlannerEnd>): string {
  const looked = report.used.filter((name) => name !== 'answer');
  return looked.length > 0
    ? `answered without a plan, after looking up: ${looked.join(', ')}`
    : 'answered without a plan: the model saw nothing to change';
}

function cutAnswer(text: string): string {
  const clean = text.replaceAll('\u0000', '').toWellFormed();
  if (clean.length <= answerAtMost) return clean;
  return `${clean.slice(0, answerAtMost)}\n… (cut: the answer has ${clean.length} characters)`;
}

function explainCap(cap: Cap, limits: PlanningLimits): string {
  switch (cap) {
    case 'turns':
      return `I stopped after ${limits.turns} turns without a plan. Ask for less at once, or raise TURN_LIMIT.`;
    case 'time':
      return `I stopped after ${limits.wallSeconds} seconds without a plan. Ask for less at once, or raise WALL_TIME_SEC.`;
    case 'cost':
      return `Planning on would cost more than the budget ($${limits.perSession} a session, $${limits.perDay} a day). Ask for less at once, or raise BUDGET_PER_SESSION_USD or BUDGET_PER_DAY_USD.`;
    case 'repeats':
      return 'The model went in a circle: it made the same call again and again. Ask in other words.';
    case 'silence':
      return 'The model gave no answer. Ask again, or in other words.';
    default:
      return cap satisfies never;
  }
}
