// generate_schedule: times for the work, from what was said about dates and from what waits for what. Where nobody said a
// time nothing is held back. What does not fit is told with the smallest changes that would help.
import type { PlanOutline } from '#contracts/planning/outline.ts';
import type { StrategyProfile } from '#contracts/planning/schedule.ts';
import { fail } from '../agent/agent-tool.ts';
import { readOperations } from '../roadmap/operations.ts';
import { readCalendars } from '../schedule/busy.ts';
import { applyChanges } from '../schedule/date-change.ts';
import { placeWork } from '../schedule/place-work.ts';
import { isAsked, readWishes, type ScheduleContext } from '../schedule/schedule-wishes.ts';
import { tellPlacing } from './generate-schedule/tell-placing.ts';
import { noWishes, type WishesArguments, WishesInput } from './generate-schedule/wishes-input.ts';
import type { PlanningTool, ToolContext, ToolOutcome } from './planning-tool.ts';

export function createGenerateSchedule({
  profile,
}: {
  profile: StrategyProfile;
}): PlanningTool<WishesArguments> {
  return {
    name: 'generate_schedule',
    description:
      'Gives the work its times: precedence, said moments, deadlines, working hours, and calendars. Changes of times go in by node.',
    input: WishesInput,
    stages: ['DRAFT_SCHEDULE'],
    prerequisites: ['valid_roadmap'],
    produces: ['schedule'],
    automatic: noWishes,
    revision: 1,
    async run(input, toolContext) {
      const { outline, roadmap } = toolContext.state;
      if (outline === null || roadmap === null)
        return { result: fail('There is no outline with a roadmap to schedule.') };
      const context = openContext(toolContext, profile, outline);
      const wanted = {
        changes: input.changes,
        days_on: input.work_on ?? [],
        days_off: input.rest_on ?? [],
        in_working_hours: input.in_working_hours,
      };
      const wishes = readWishes(wanted, context);
      if (wishes.questions.length > 0) return askAbout(wishes.questions, toolContext);
      const changed = applyChanges(
        outline,
        wishes.changes,
        context.timezone,
        wishes.said ? 'user_feedback' : 'ai_adaptation',
      );
      if (changed.problems.length > 0) return { result: fail(...changed.problems) };
      const days = {
        ...context.profile,
        days_on: merge(context.profile.days_on, wishes.days_on, wishes.days_off),
        days_off: merge(context.profile.days_off, wishes.days_off, wishes.days_on),
      };
      const asked = isAsked(changed, wanted, wishes, context);
      const placing = await placeWork(
        { ...context, profile: days },
        changed,
        roadmap,
        asked,
        (window) => readCalendars({ ...toolContext, timezone: context.timezone }, window),
      );
      return tellPlacing(placing, changed, toolContext.policy);
    },
  };
}

/** Days that were worked, or not, by this session's wishes stay so. */
function openContext(
  toolContext: ToolContext,
  profile: StrategyProfile,
  outline: PlanOutline,
): ScheduleContext {
  const { schedule: last, timezone } = toolContext.state;
  return {
    outline,
    timezone,
    now: toolContext.now,
    user: toolContext.user,
    request: toolContext.request,
    feedback: feedbackOf(toolContext),
    last,
    operations: readOperations(toolContext.tools.manifest()),
    profile:
      last === null
        ? profile
        : { ...profile, days_on: last.profile.days_on, days_off: last.profile.days_off },
  };
}

/** What the person wants of the times; null: this turn is not about them. */
function feedbackOf({ state, request }: ToolContext): string | null {
  if (state.change !== null) return state.change.gate === 'schedule' ? state.change.feedback : null;
  const { pause } = state;
  const waits = pause?.kind === 'escalation' || pause?.kind === 'questions';
  return waits && pause.resume === 'DRAFT_SCHEDULE' ? request : null;
}

function askAbout(questions: string[], { state }: ToolContext): ToolOutcome {
  const asked = questions.slice(0, 10);
  return {
    result: fail(...asked),
    changes: {
      change: null,
      result: { kind: 'question', text: asked.join('\n'), questions: asked },
      pause: { kind: 'questions', resume: 'DRAFT_SCHEDULE', gate: null, digest: null },
      questions_asked: state.questions_asked + asked.length,
    },
    ends: 'needs_clarification',
  };
}

function merge(days: string[], more: string[], less: string[]): string[] {
  return [...new Set([...days, ...more])].filter((day) => !less.includes(day)).sort();
}
