// DRAFT_SCHEDULE and VALIDATE_SCHEDULE: when. What does not fit is told with what would help, never squeezed in.
import { validateSchedule } from '../schedule/validate.ts';
import { askPerson, callTool, giveUp, redraft, type StageRunner } from './stage.ts';
import { mayRetry, noteCheck, scoreViolations, weighStage } from './weigh.ts';

export const draftSchedule: StageRunner = async (context) => {
  const { session } = context;
  if (session.state.change?.gate === 'schedule') return redraft(context, 'schedule');
  if (session.has('schedule')) return 'drafted';
  const { result, ends } = await callTool(context, 'generate_schedule');
  if (ends !== undefined && ends !== 'drafted') return ends;
  return result.ok ? 'drafted' : giveUp(context, 'no_schedule', result.explanations.join(' '));
};

export const validateScheduleStage: StageRunner = async (context) => {
  const { session, clock } = context;
  const { outline, roadmap, schedule } = session.state;
  if (outline === null || roadmap === null || schedule === null)
    return giveUp(context, 'no_schedule', 'There is no schedule to check.');
  await callTool(context, 'probe_portfolio');
  const at = clock.now();
  const violations = validateSchedule(outline, roadmap, schedule);
  const conflicts = session.state.portfolio?.conflicts.length ?? 0;
  const blocking = violations.filter((violation) => violation.blocking);
  const rules = scoreViolations(violations);
  const verdict = weighStage(context, {
    self: null,
    rules,
    heuristics: Math.max(0, 1 - 0.25 * conflicts),
  });
  noteCheck(context, at, violations, 'the times hold');
  if (blocking.length === 0 && verdict === 'continue') {
    session.forgetRetries('DRAFT_SCHEDULE');
    return 'valid';
  }
  if (verdict !== 'escalate' && mayRetry(context, 'DRAFT_SCHEDULE')) {
    session.discard(['schedule']);
    return 'invalid_retryable';
  }
  const why = blocking[0]?.text ?? 'Several things fall into the same time.';
  return askPerson(
    context,
    'DRAFT_SCHEDULE',
    [`${why} What may move?`],
    'the schedule is not sure enough',
  );
};
