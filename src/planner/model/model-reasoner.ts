// The language-model reasoner: one agent run per stage.
import { createHash } from 'node:crypto';
import type { Clock } from '#domain/clock.ts';
import { askedQuestion } from '#domain/planning/asked-question.ts';
import type { PlanningRequest } from '#domain/planning/run.ts';
import type { StageEvent } from '#domain/planning/stages.ts';
import { quoteWords } from '#domain/shown-text.ts';
import { parseJson } from '#domain/text.ts';
import { countOf } from '#domain/words.ts';
import type { ChatMessage } from '#models/chat.ts';
import { type AgentReport, runAgent } from '../agent/run-agent.ts';
import {
  type Cap,
  explainCap,
  explainHardCap,
  type PaidModel,
  type PlanningLimits,
} from '../budget/budget.ts';
import type { OperationSearch } from '../catalogue/search-operations.ts';
import { openStages } from '../define-tool.ts';
import { Surroundings } from '../ports.ts';
import { writeJoined } from '../reads/joined-messages.ts';
import type { Reasoner, StageTask } from '../reasoner.ts';
import { cutAnswer } from '../tools/conversation-tools.ts';
import { describeBudgetStop } from '../tools/describe-progress.ts';
import { withCritic } from './critic.ts';
import { continueMessages, writeMessages } from './prompts/messages.ts';

export function createModelReasoner(options: {
  payFor(task: Pick<StageTask, 'request' | 'state'>): PaidModel;
  name: string;
  limits: PlanningLimits;
  clock: Clock;
  catalogue: { search: OperationSearch; guarded: ReadonlySet<string> };
}): Reasoner {
  const { payFor, name, limits, clock, catalogue } = options;
  const histories = new WeakMap<PlanningRequest, ChatMessage[]>();

  async function openMessages(task: StageTask, model: PaidModel): Promise<ChatMessage[]> {
    const { request, state } = task;
    const before = histories.get(request);
    if (before !== undefined) {
      const messages = [...before, ...continueMessages(task, limits)];
      await model.history?.keep(messages);
      return messages;
    }
    const kept = state.calls > 0 ? await model.history?.read() : null;
    if (kept != null) return kept;
    const joined = state.joined.map((one) => ({
      role: 'user' as const,
      content: writeJoined(one),
    }));
    noteOutputs(task);
    const around = await lookAround(task);
    return [...writeMessages({ ...task, around }, limits, catalogue), ...joined];
  }

  return {
    name,
    model: name,
    async fill(task) {
      const { state, deadline, signal } = task;
      if (task.stage === 'SEEK_APPROVAL') return editDraft(task);
      const model = payFor(task);
      const report = await runAgent({
        model,
        tools: withCritic(task, model, clock),
        messages: await openMessages(task, model),
        readJoined: () => task.stageTools.readJoined(),
        calls: Math.max(0, limits.turns - state.calls),
        deadline,
        softLifted: state.soft_budget_lifted,
        signal,
        clock,
        cacheKey: cacheKeyOf(task.request),
      });
      if (report.end.kind === 'ended') histories.set(task.request, report.messages);
      else histories.delete(task.request);
      return closeStage(task, report, limits);
    },
  };
}

/** A digest: servers limit the length and must not learn the conversation's name. */
function cacheKeyOf({ conversation, runId }: StageTask['request']): string {
  return createHash('sha256')
    .update(conversation ?? runId)
    .digest('hex')
    .slice(0, 32);
}

/** Results of the plans at hand show what operations without an output schema return. */
function noteOutputs({ request: { plans = [] }, tools }: StageTask): void {
  for (const { status, operation, output = '' } of plans.flatMap(({ steps }) => steps)) {
    const data = parseJson(output);
    if (status === 'succeeded' && data !== undefined) tools.noteOutput?.(operation, data);
  }
}

async function lookAround({ stage, stageTools, tools, signal }: StageTask): Promise<Surroundings> {
  const nothing = { own: [], foreign: [] };
  if (tools.lookAround === null || !openStages.includes(stage)) return nothing;
  const { result } = await stageTools.call('look_around', {}, signal);
  return Surroundings.safeParse(result.data).data ?? nothing;
}

/** In place, so unchanged parts stay approved. */
async function editDraft({ stageTools, signal }: StageTask): Promise<StageEvent> {
  const args = { stage: 'outline', reason: 'The draft is edited as the feedback says.' };
  const { ends } = await stageTools.call('route_change', args, signal);
  return ends ?? 'fatal_error';
}

/** At a cap, keeps the draft and asks whether to continue; null without one. */
function keepDraft(task: StageTask, cap: Cap, limits: PlanningLimits): StageEvent | null {
  const { stageTools, stage } = task;
  const steps = stageTools.draftedSteps();
  if (steps === 0 || cap === 'repeats' || cap === 'silence') return null;
  const why =
    cap === 'time'
      ? `Planning took longer than ${limits.wallSeconds} seconds`
      : cap === 'turns'
        ? `Planning took more than ${limits.turns} model calls`
        : "The model's answers were cut off";
  const text = `${why}. ${countOf(steps, 'step')} ${steps === 1 ? 'is' : 'are'} drafted so far, and nothing has run. Should I go on?`;
  stageTools.ask(
    { kind: 'question', text, questions: [askedQuestion(text)] },
    { kind: 'questions', resume: stage, gate: null, digest: null },
    `cap_${cap}`,
  );
  return 'needs_clarification';
}

function closeStage(task: StageTask, report: AgentReport, limits: PlanningLimits): StageEvent {
  const { stageTools, stage, state, request } = task;
  const { end } = report;
  const stop = (reason: string, text: string, event: StageEvent): StageEvent => {
    stageTools.say({ kind: 'aborted', reason, text }, reason);
    return event;
  };
  switch (end.kind) {
    case 'ended':
      if (end.event === 'answered') stageTools.explain(explainAnswer(report));
      return end.event;
    case 'text': {
      const answer = cutAnswer(end.text);
      if (stage === 'COLLECT_CONTEXT' || stage === 'DRAFT_OUTLINE') {
        stageTools.say({ kind: 'answer', text: answer }, explainAnswer(report));
        return 'answered';
      }
      stageTools.ask(
        { kind: 'question', text: answer, questions: [askedQuestion(answer.slice(0, 2000))] },
        { kind: 'questions', resume: stage, gate: null, digest: null },
        'the model asks back',
      );
      return 'needs_clarification';
    }
    case 'refused':
      return stop(
        'model_refused',
        `The model declined: ${cutAnswer(end.text).slice(0, 1000)} Try rephrasing.`,
        'fatal_error',
      );
    case 'failed':
      return stop('model_failed', `${end.text} Nothing has changed.`, 'fatal_error');
    case 'cancelled':
      return stop(
        'cancelled',
        'Planning was stopped. Nothing has changed; ask again.',
        'fatal_error',
      );
    case 'capped':
      return (
        keepDraft(task, end.cap, limits) ??
        stop(`cap_${end.cap}`, explainCap(end.cap, limits), 'cap_reached')
      );
    case 'exceeded': {
      const { ceiling, caps } = end;
      if (ceiling !== 'turn' && ceiling !== 'plan')
        return stop('cap_cost', explainHardCap(ceiling, end), 'cap_reached');
      const limit = ceiling === 'plan' ? caps.perPlan : undefined;
      const question = describeBudgetStop(state, request.policy, limit);
      stageTools.ask(
        { kind: 'question', text: question, questions: [askedQuestion(question)] },
        {
          kind: 'budget',
          resume: stage,
          gate: state.pause?.gate ?? null,
          digest: null,
          ...(limit === undefined ? {} : { limit_usd: limit }),
        },
        `the soft ceiling of a ${ceiling} would be passed while planning ${quoteWords(request.text, 80)}`,
      );
      return 'needs_clarification';
    }
    default:
      return end satisfies never;
  }
}

function explainAnswer(report: AgentReport): string {
  const looked = report.used.filter((name) => name !== 'answer');
  return looked.length > 0
    ? `answered without a plan, after looking up: ${looked.join(', ')}`
    : 'answered without a plan: the model saw nothing to change';
}
