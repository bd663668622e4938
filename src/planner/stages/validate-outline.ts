// VALIDATE_OUTLINE: passes, or sends the outline back: one automatic repair, one smaller draft, then a person is asked.
import type { PlanOutline } from '#domain/planning/outline.ts';
import type { Violation } from '#domain/planning/trace.ts';
import { applyFixes, suggestFixes } from '../grammar/fix.ts';
import { isGateDue } from '../tools/handle-approval.ts';
import { askPerson, callTool, giveUp, type StageContext, type StageRunner } from './stage.ts';
import { mayRetry, weighStage } from './weigh.ts';

const violationsTold = 6;

export const validateOutline: StageRunner = async (context) => {
  const { session, request } = context;
  const { outline } = session.state;
  if (outline === null) return giveUp(context, 'no_outline', 'There is no outline to check.');
  const { result } = await callTool(context, 'validate_grammar');
  const violations = session.state.trace.at(-1)?.violations ?? [];
  const drafted = session.state.confidence.DRAFT_OUTLINE;
  const verdict = weighStage(context, {
    self: drafted?.self ?? null,
    rules: result.confidence,
    heuristics: drafted?.heuristics ?? 1,
  });
  const broken = violations.some(({ blocking }) => blocking);
  if (!broken && verdict === 'continue') {
    session.forgetRetries('DRAFT_OUTLINE');
    return isGateDue('outline', session.state, request.policy) ? 'needs_approval' : 'valid';
  }
  if (verdict === 'escalate') return askAbout(context, violations);
  return mendOutline(context, outline, violations);
};

/** The suggested fixes once, a smaller draft once. */
function mendOutline(context: StageContext, outline: PlanOutline, violations: Violation[]) {
  const { session } = context;
  if (!mayRetry(context, 'DRAFT_OUTLINE')) return askAbout(context, violations);
  const fixes = suggestFixes(outline, violations);
  if (fixes.length > 0 && session.state.retries.DRAFT_OUTLINE === 1) {
    const mended = applyFixes(outline, fixes);
    session.change({ outline: mended.outline, pattern: mended.outline.pattern });
    session.produce(['outline']);
    session.note({
      stage: 'VALIDATE_OUTLINE',
      tool: 'controller',
      at: context.clock.now().toISOString(),
      duration_ms: 0,
      ok: true,
      confidence: null,
      cost_delta: 0,
      explanation: `mended by ${fixes.length} suggested ${fixes.length === 1 ? 'fix' : 'fixes'}`,
      adaptations: mended.adaptations,
    });
    return 'invalid_retryable' as const;
  }
  session.discard(['outline']);
  session.change({
    hints:
      violations.length > 0
        ? violations.slice(0, violationsTold).map(({ text }) => text)
        : ['You were not sure of the last outline. Draft only what is certain.'],
  });
  return 'invalid_retryable' as const;
}

function askAbout(context: StageContext, violations: Violation[]) {
  context.session.discard(['outline']);
  const [first] = violations;
  const question =
    first === undefined
      ? "I'm not sure I understood. What exactly should the result be?"
      : `I couldn't make a sound plan of this: ${first.text} What should I do about it?`;
  return askPerson(context, 'DRAFT_OUTLINE', [question], 'the outline is not sure enough');
}
