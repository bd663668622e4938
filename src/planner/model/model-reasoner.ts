// The reasoner with a language model: one agent run a stage, which always ends in a named event.
import type { Clock } from '#domain/clock.ts';
import { askedQuestion } from '#domain/planning/asked-question.ts';
import type { StageEvent } from '#domain/planning/stages.ts';
import { type AgentReport, runAgent } from '../agent/run-agent.ts';
import { explainCap, explainHardCap, type PlanningLimits } from '../budget/limits.ts';
import type { PaidModel } from '../budget/paid-model.ts';
import type { Reasoner, StageTask } from '../reasoner.ts';
import { cutAnswer } from '../stage-tools/conversation-tools.ts';
import { describeBudgetStop } from '../tools/summarize.ts';
import { writeMessages } from './prompts/messages.ts';

export function createModelReasoner(options: {
  /** The model for one turn of a run, with its budget. */
  payFor(task: Pick<StageTask, 'request' | 'state'>): PaidModel;
  name: string;
  limits: PlanningLimits;
  clock: Clock;
}): Reasoner {
  const { payFor, name, limits, clock } = options;
  return {
    name,
    model: name,
    async fill(task) {
      const { state, stageTools, deadline, signal } = task;
      const report = await runAgent({
        model: payFor(task),
        stageTools,
        messages: writeMessages(task, limits),
        mustCall: task.stage === 'SEEK_APPROVAL' ? 'route_change' : undefined,
        calls: Math.max(0, limits.turns - state.calls),
        deadline,
        softLifted: state.soft_budget_lifted,
        signal,
        clock,
      });
      if (task.stage === 'SEEK_APPROVAL' && report.end.kind === 'said')
        return askWhatConcerns(task);
      return closeStage(task, report, limits);
    },
  };
}

/** The model talked instead of choosing, so the person chooses. */
async function askWhatConcerns(task: StageTask): Promise<StageEvent> {
  const { stageTools, signal } = task;
  const args = { stage: null, reason: 'The model could not tell.' };
  const { ends } = await stageTools.call('route_change', args, signal);
  return ends ?? 'fatal_error';
}

function closeStage(
  { stageTools, stage, state, request }: StageTask,
  report: AgentReport,
  limits: PlanningLimits,
): StageEvent {
  const { end } = report;
  const stop = (reason: string, text: string, event: StageEvent): StageEvent => {
    stageTools.say({ kind: 'aborted', reason, text }, reason);
    return event;
  };
  switch (end.kind) {
    case 'ended':
      if (end.event === 'answered') stageTools.explain(explainAnswer(report));
      return end.event;
    case 'said': {
      const said = cutAnswer(end.text);
      if (stage === 'COLLECT_CONTEXT' || stage === 'DRAFT_OUTLINE') {
        stageTools.say({ kind: 'answer', text: said }, explainAnswer(report));
        return 'answered';
      }
      stageTools.ask(
        { kind: 'question', text: said, questions: [askedQuestion(said.slice(0, 2000))] },
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
      return stop(`cap_${end.cap}`, explainCap(end.cap, limits), 'cap_reached');
    case 'exceeded': {
      if (end.ceiling !== 'turn_soft')
        return stop('cap_cost', explainHardCap(end.ceiling, limits), 'cap_reached');
      const question = describeBudgetStop(state, request.policy);
      stageTools.ask(
        { kind: 'question', text: question, questions: [askedQuestion(question)] },
        { kind: 'budget', resume: stage, gate: state.pause?.gate ?? null, digest: null },
        `the soft ceiling of a turn would be passed while planning “${request.text.slice(0, 80)}”`,
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
