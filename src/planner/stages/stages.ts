// The stage runners; resting stages have none.
import type { PlanOutline } from '#domain/planning/outline.ts';
import type { Gate, Stage, StageEvent } from '#domain/planning/stages.ts';
import type { TraceEntry, Violation } from '#domain/planning/trace.ts';
import { validateRoadmap } from '../order/collect-edges.ts';
import { applyFixes, suggestFixes } from '../outline/fix.ts';
import { offersIdeas } from '../policy/effects.ts';
import { validateSchedule } from '../schedule/validate-schedule.ts';
import { noteAssumptions } from '../tools/elicit-context.ts';
import { handleApproval, isGateDue } from '../tools/handle-approval.ts';
import {
  askPerson,
  callTool,
  fillStage,
  giveUp,
  keepSureness,
  mayRetry,
  noteCheck,
  redraft,
  type StageContext,
  type StageRunner,
  scoreViolations,
  weighStage,
} from './stage.ts';
import type { Resting } from './table.ts';

// DRAFT_ROADMAP, VALIDATE_ROADMAP: rules compute it; models and people change it.
const draftRoadmap: StageRunner = async (context) => {
  const { session } = context;
  if (session.state.change?.gate === 'roadmap') return redraft(context, 'dependencies');
  if (!session.has('dependencies')) {
    const { result, ends } = await callTool(context, 'resolve_dependencies');
    if (ends !== undefined && ends !== 'drafted') return ends;
    if (!result.ok)
      return askPerson(
        context,
        'DRAFT_OUTLINE',
        [`I can't put these in order: ${result.explanations.join(' ')} What should come first?`],
        'the dependencies contradict each other',
      );
  }
  if (!session.has('roadmap')) {
    const { result } = await callTool(context, 'build_roadmap');
    if (!result.ok) return giveUp(context, 'no_roadmap', result.explanations.join(' '));
  }
  return 'drafted';
};

const validateRoadmapStage: StageRunner = async (context) => {
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
  const why = blocking[0]?.text ?? "I'm not sure about the order.";
  return askPerson(
    context,
    'DRAFT_ROADMAP',
    [`${why} In which order should it be done?`],
    'the roadmap is not sure enough',
  );
};

// COLLECT_CONTEXT: ends with an answer, question, pattern or whole small plan.
const collectContext: StageRunner = async (context) => {
  const { session } = context;
  const event = await fillStage(context);
  // Asks for an unknown style, once.
  if (event === 'answered') await callTool(context, 'probe_preference');
  if (event !== 'sufficient_context') {
    // The pending decision still waits.
    const waits = session.state.pause?.kind;
    return event === 'answered' && (waits === 'gate' || waits === 'rfc')
      ? 'needs_clarification'
      : event;
  }
  const { pattern } = session.state;
  if (pattern === null) return event;
  // The outline's validator sets its confidence.
  if (session.has('outline')) {
    keepSureness(session);
    return event;
  }
  const { self, heuristics } = session.sureness;
  const judgement = weighStage(context, {
    self: self ?? pattern.confidence ?? null,
    rules: 1,
    heuristics: heuristics ?? 1,
  });
  switch (judgement) {
    case 'continue':
      return event;
    case 'retry':
      if (mayRetry(context, 'COLLECT_CONTEXT')) {
        session.discard(['pattern']);
        session.change({
          hints: [`The pattern ${pattern.pattern_type} seems a poor fit. Choose again, or ask.`],
        });
        return 'low_confidence';
      }
      // The pattern only informs planners.
      return event;
    case 'escalate':
      return askPerson(
        context,
        'COLLECT_CONTEXT',
        ["I'm not sure what kind of work this is. What should the result be, and by when?"],
        'the pattern is a guess',
      );
    default:
      return judgement satisfies never;
  }
};

// DRAFT_SCHEDULE, VALIDATE_SCHEDULE: conflicts are reported, never squeezed in.
const draftSchedule: StageRunner = async (context) => {
  const { session } = context;
  if (session.state.change?.gate === 'schedule') return redraft(context, 'schedule');
  if (session.has('schedule')) return 'drafted';
  const { result, ends } = await callTool(context, 'generate_schedule');
  if (ends !== undefined && ends !== 'drafted') return ends;
  return result.ok ? 'drafted' : giveUp(context, 'no_schedule', result.explanations.join(' '));
};

const validateScheduleStage: StageRunner = async (context) => {
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
  const why = blocking[0]?.text ?? 'Several things overlap.';
  return askPerson(
    context,
    'DRAFT_SCHEDULE',
    [`${why} What can move?`],
    'the schedule is not sure enough',
  );
};

// SEEK_APPROVAL: asks for the due decision; a model only routes feedback.
const seekApproval: StageRunner = async (context) => {
  const { session, stageTools, request, signal } = context;
  const { change, pause, turn, trace } = session.state;
  const answered = ({ tool }: TraceEntry) => tool === 'handle_approval' || tool === 'route_change';
  // Later in the turn, the next decision is another question.
  const begins = pause !== null && turn === request.turn && !trace.some(answered);
  // Feedback waits while the pattern it led to is undecided.
  if (begins && change !== null && pause.kind !== 'rfc') {
    const event = await routeFeedback(context, change.gate);
    // Changed times need an order, so a missing one comes first.
    return event === 'change_schedule' && !session.has('valid_roadmap') ? 'change_roadmap' : event;
  }
  const { decision } = request;
  const input = { decision: begins && decision.kind !== 'said' ? decision : null };
  const { result, ends } = await stageTools.execute(handleApproval, input, signal);
  return ends ?? giveUp(context, 'no_approval', result.explanations.join(' '));
};

/** @param gate null if the reasoner decides */
async function routeFeedback(context: StageContext, gate: Gate | null): Promise<StageEvent> {
  if (gate === null) return fillStage(context);
  const args = { stage: gate, reason: 'The person chose it.' };
  const { result, ends } = await callTool(context, 'route_change', args);
  return ends ?? giveUp(context, 'no_route', result.explanations.join(' '));
}

// DRAFT_OUTLINE: a small plan may come with its context.
const draftOutline: StageRunner = async (context) => {
  const { session } = context;
  if (!session.has('outline') || session.state.change?.gate === 'outline') {
    const event = await fillStage(context);
    if (event !== 'drafted' && event !== 'sufficient_context') return event;
  }
  const { outline } = session.state;
  if (outline === null || !session.has('outline'))
    return giveUp(context, 'no_outline', "I couldn't draft an outline. Ask again, or rephrase.");
  keepSureness(session);
  if (session.state.change?.gate === 'outline') session.change({ change: null });
  // Shown on the plan.
  session.change({
    ...noteAssumptions(session.state, session.state.assumed),
    assumed: [],
    hints: [],
  });
  return 'drafted';
};

// VALIDATE_OUTLINE: one repair, one smaller draft, then a person.
const maxShownViolations = 6;

const validateOutline: StageRunner = async (context) => {
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

async function mendOutline(
  context: StageContext,
  outline: PlanOutline,
  violations: Violation[],
): Promise<StageEvent> {
  const { session } = context;
  if (!mayRetry(context, 'DRAFT_OUTLINE')) return askAbout(context, violations);
  const fixes = await suggestFixes(outline, violations);
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
    return 'invalid_retryable';
  }
  session.discard(['outline']);
  const doubt = suggestsIdeas(context)
    ? 'put different ways before them with "craft_options", then draft the one they choose.'
    : 'draft only what is certain.';
  session.change({
    hints:
      violations.length > 0
        ? violations.slice(0, maxShownViolations).map(({ text }) => text)
        : [`You were not sure of the last outline: ${doubt}`],
  });
  return 'invalid_retryable';
}

/** Once, if the person likes ideas. */
function suggestsIdeas({ session: { state }, request: { policy } }: StageContext): boolean {
  const { composite = null } = state.confidence[state.stage] ?? {};
  return (
    offersIdeas(policy, composite, false) && !state.offered.some(({ kind }) => kind === 'option')
  );
}

function askAbout(context: StageContext, violations: Violation[]) {
  const [first] = violations;
  const question =
    first === undefined
      ? "I'm not sure I understood. What exactly should the result be?"
      : `I couldn't make a sound plan of this: ${first.text} What should I do about it?`;
  return askPerson(context, 'DRAFT_OUTLINE', [question], 'the outline is not sure enough');
}

export const stages: Record<Exclude<Stage, Resting>, StageRunner> = {
  COLLECT_CONTEXT: collectContext,
  DRAFT_OUTLINE: draftOutline,
  VALIDATE_OUTLINE: validateOutline,
  DRAFT_ROADMAP: draftRoadmap,
  VALIDATE_ROADMAP: validateRoadmapStage,
  DRAFT_SCHEDULE: draftSchedule,
  VALIDATE_SCHEDULE: validateScheduleStage,
  SEEK_APPROVAL: seekApproval,
};
