// The critic: one model call on a draft before submission (extensive only).
import type { Clock } from '#domain/clock.ts';
import { errorMessage } from '#domain/errors.ts';
import { isPartRun } from '#domain/planning/part.ts';
import type { JoinedWords } from '#domain/planning/state.ts';
import type { ChatReply } from '#models/chat.ts';
import type { PaidModel } from '../budget/budget.ts';
import { datesOfSession } from '../draft/draft-times.ts';
import { showDraft } from '../draft/show-draft.ts';
import { writeJoined } from '../reads/joined-messages.ts';
import type { AgentTools, StageTask } from '../reasoner.ts';
import { fail } from '../tool.ts';
import { traceStep } from '../trace-step.ts';
import { readPoints, reportTool, writeCriticMessages } from './prompts/critic.ts';

const critic = 'critic';
const outputTokens = 4096;

function wordsOf({ request, state }: StageTask, joined: JoinedWords[]): string[] {
  const { history, text, revision } = request;
  const before = history.filter(({ author }) => author === 'person').slice(-5);
  const feedback = [
    ...(revision?.feedback ?? []),
    ...(state.change ? [state.change.feedback] : []),
  ];
  return [
    ...new Set([...before.map((one) => one.text), text, ...joined.map(writeJoined), ...feedback]),
  ];
}

/** Criticises the draft on "submit_plan". */
export function withCritic(task: StageTask, model: PaidModel, clock: Clock): AgentTools {
  const { stageTools, request, state, stage, current } = task;
  let { deadline } = task;
  // Only the whole is criticised.
  const isPart = isPartRun(state.run_id);
  if (request.modes.plan_reasoning_mode !== 'extensive' || isPart) return stageTools;
  // A planner that takes over finds the call or its reply.
  let asked = state.trace.some(({ tool }) => tool === critic);

  async function findPoints(signal: AbortSignal): Promise<string[]> {
    const draft = stageTools.draft();
    const startedAt = clock.now();
    if (asked || draft === null || startedAt.getTime() >= deadline) return [];
    asked = true;
    const words = wordsOf(task, stageTools.joined());
    const note = (ok: boolean, explanation: string, cost: number) =>
      stageTools.note(
        traceStep({ stage, tool: critic, startedAt, endedAt: clock.now(), ok, explanation, cost }),
      );
    let reply: ChatReply;
    try {
      const paid = await model.complete(
        {
          messages: writeCriticMessages(
            words,
            showDraft(draft, current, datesOfSession(state), words.join('\n')),
          ),
          tools: [reportTool],
          mustCall: true,
          maxOutputTokens: outputTokens,
          deadline,
        },
        { stage, softLifted: state.soft_budget_lifted },
        signal,
      );
      if (paid.kind === 'exceeded') {
        note(false, 'Skipped: no budget for the critic.', 0);
        return [];
      }
      reply = paid.reply;
      const cost = paid.remembered ? 0 : reply.cost_usd;
      stageTools.pay(1, cost);
      const points = readPoints(reply.toolCalls[0]?.arguments ?? '');
      note(points !== null, points?.join(' ') || 'Nothing to change.', cost);
      return points ?? [];
    } catch (error) {
      stageTools.pay(1, 0);
      note(false, errorMessage(error), 0);
      return [];
    }
  }

  let lastFailed = false;
  return {
    ...stageTools,
    async call(name, args, signal) {
      const points = name === 'submit_plan' && !lastFailed ? await findPoints(signal) : [];
      if (points.length > 0)
        return {
          result: fail(
            ...points,
            'A second look found this. Fix what is right, then submit again.',
          ),
        };
      const began = clock.now().getTime();
      const answer = await stageTools.call(name, args, signal);
      if (stageTools.find(name)?.waits === true) deadline += clock.now().getTime() - began;
      lastFailed = !answer.result.ok;
      return answer;
    },
  };
}
