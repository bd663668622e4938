// SEEK_APPROVAL: a person is asked for what is due, and what they decided leads on. No model has a part in this stage.
import type { SessionDecision } from '#contracts/planning/state.ts';
import { type ApprovalInput, handleApproval, personsDecision } from '../tools/handle-approval.ts';
import { giveUp, type StageContext, type StageRunner } from './stage.ts';

/** What the person decided, where this turn is about that. A plan's rejection with feedback is a wish for changes. */
function readDecision({ session, request }: StageContext): SessionDecision | null {
  const { change, pause, turn, trace } = session.state;
  // Later in the turn the decision has been taken; what is due now is a question of its own.
  const begins = trace.every(({ tool }) => tool !== 'handle_approval');
  if (pause === null || turn !== request.turn || !begins) return null;
  // A wish that made somebody propose a pattern waits until that is decided.
  if (change !== null && pause.kind !== 'rfc') {
    const by = 'by' in request.decision ? request.decision.by : request.user;
    return { kind: 'changes', by, feedback: change.feedback };
  }
  return request.decision.kind === 'said' ? null : request.decision;
}

export const seekApproval: StageRunner = async (context) => {
  const { stageTools, signal } = context;
  const decision = readDecision(context);
  const input: ApprovalInput | null =
    decision === null ? handleApproval.automatic : personsDecision(decision);
  const { result, ends } = await stageTools.callOwn('handle_approval', input ?? {}, signal);
  // Times are given to an order; where there is none yet, that is made first.
  if (ends === 'change_schedule' && !context.session.has('valid_roadmap')) return 'change_roadmap';
  return ends ?? giveUp(context, 'no_approval', result.explanations.join(' '));
};
