// DRAFT_ROADMAP and VALIDATE_ROADMAP: in what order. Worked out by rules; a model or the person's words only change it.
import { validateRoadmap } from '../roadmap/validate.ts';
import { isGateDue } from '../tools/handle-approval.ts';
import { askPerson, callTool, giveUp, redraft, type StageRunner } from './stage.ts';
import { mayRetry, noteCheck, scoreViolations, weighStage } from './weigh.ts';

export const draftRoadmap: StageRunner = async (context) => {
  const { session } = context;
  if (session.state.change?.gate === 'roadmap') return redraft(context, 'dependencies');
  if (!session.has('dependencies')) {
    const { result, ends } = await callTool(context, 'resolve_dependencies');
    if (ends !== undefined && ends !== 'drafted') return ends;
    if (!result.ok)
      return askPerson(
        context,
        'DRAFT_OUTLINE',
        [`The order does not work out: ${result.explanations.join(' ')} What should come first?`],
        'the dependencies contradict each other',
      );
  }
  if (!session.has('roadmap')) {
    const { result } = await callTool(context, 'build_roadmap');
    if (!result.ok) return giveUp(context, 'no_roadmap', result.explanations.join(' '));
  }
  return 'drafted';
};

export const validateRoadmapStage: StageRunner = async (context) => {
  const { session, clock, request } = context;
  const { outline, roadmap } = session.state;
  if (outline === null || roadmap === null)
    return giveUp(context, 'no_roadmap', 'There is no roadmap to check.');
  const at = clock.now();
  const violations = validateRoadmap(outline, roadmap);
  const blocking = violations.filter((violation) => violation.blocking);
  const rules = scoreViolations(violations);
  const chosen = roadmap.options_tried.find(({ name }) => name === roadmap.chosen);
  const verdict = weighStage(context, { self: null, rules, heuristics: chosen?.score ?? 1 });
  noteCheck(context, at, violations, 'the order holds');
  if (blocking.length === 0 && verdict === 'continue') {
    session.produce(['valid_roadmap']);
    session.forgetRetries('DRAFT_ROADMAP');
    return isGateDue('roadmap', session.state, request.policy) ? 'needs_approval' : 'valid';
  }
  if (verdict !== 'escalate' && mayRetry(context, 'DRAFT_ROADMAP')) {
    session.discard(['dependencies']);
    return 'invalid_retryable';
  }
  const why = blocking[0]?.text ?? 'I am not sure about the order.';
  return askPerson(
    context,
    'DRAFT_ROADMAP',
    [`${why} In which order should it be done?`],
    'the roadmap is not sure enough',
  );
};
