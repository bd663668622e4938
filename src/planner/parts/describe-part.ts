// A part's request, and its outcome for the whole. Pure.
import type { StepDraft } from '#domain/plan/step-content.ts';
import type { PartStatus, ScaffoldPart } from '#domain/planning/part.ts';
import type { PlanningOutcome } from '#domain/planning/run.ts';
import { quoteWords } from '#domain/shown-text.ts';
import { shorten } from '#domain/words.ts';
import { draftPlan } from '../draft/draft-plan.ts';

const maxRequest = 4000;
const maxTitles = 20;
const maxMessage = 900;

function listTitles(parts: ScaffoldPart[]): string {
  const titles = parts.slice(0, maxTitles).map(({ title }) => quoteWords(title, 100));
  return parts.length > maxTitles
    ? `${titles.join(', ')} and ${parts.length - maxTitles} more`
    : titles.join(', ');
}

export function writePart(
  part: ScaffoldPart,
  all: ScaffoldPart[],
  request: string,
  steps: number,
): string {
  const { id, title, goal, inputs, outputs, after } = part;
  const before = all.filter((one) => after.includes(one.id));
  const behind = all.filter((one) => one.after.includes(id));
  const lines = [
    `Plan one part of a larger plan: ${quoteWords(title, 200)}. Other planners plan the other parts, and all parts are put together; plan this part only.`,
    `Goal: ${goal}`,
    ...(inputs.length > 0 ? [`It takes from other parts: ${inputs.join('; ')}`] : []),
    ...(outputs.length > 0 ? [`Other parts take from it: ${outputs.join('; ')}`] : []),
    ...(before.length > 0 ? [`Done before it: ${listTitles(before)}.`] : []),
    ...(behind.length > 0 ? [`Done after it: ${listTitles(behind)}.`] : []),
    'Steps of other parts have no ids here: what comes before is done when this part begins. A step that waits for another part as well says so in "notes", by that part’s title.',
    `About ${steps} steps, fewer where that is all there is to do. Ask nothing; what you assume goes into "risks".`,
    `The whole plan is for this request:\n${shorten(request, maxRequest)}`,
  ];
  return lines.join('\n');
}

type EndOfPart = {
  status: Extract<PartStatus, 'planned' | 'failed' | 'held'>;
  steps: StepDraft[];
  message: string | null;
  again: boolean;
};

const edits = new Set(['submit_plan', 'add_steps', 'edit_steps']);

/** The first open problem of the draft, if any. */
function problemOf({ trace }: PlanningOutcome): string | null {
  const tried = trace.filter(({ tool }) => edits.has(tool));
  const sound = tried.findLastIndex(({ ok }) => ok);
  return tried[sound + 1]?.explanation ?? null;
}

export function endOfPart(outcome: PlanningOutcome): EndOfPart {
  const { result, session } = outcome;
  const failed = (message: string, again = true): EndOfPart => ({
    status: 'failed',
    steps: [],
    message: shorten(message, maxMessage),
    again,
  });
  switch (result.kind) {
    case 'proposal': {
      // As stated: times are set later, for the whole.
      const draft = session?.outline ? draftPlan(session.outline, null, null) : result.draft;
      if ((draft.series ?? []).length > 0)
        return failed(
          'It repeats by a rule, which is not possible in a part of a larger plan. Plan it separately.',
        );
      const risks = (draft.risks ?? []).map((risk) =>
        typeof risk === 'string' ? risk : risk.text,
      );
      const message = risks.length === 0 ? null : shorten(risks.join(' '), maxMessage);
      return { status: 'planned', steps: draft.steps, message, again: false };
    }
    case 'question': {
      if (session?.pause?.kind === 'budget') {
        const isOwn = session.pause.limit_usd !== undefined;
        const message = isOwn ? 'Planning it would exceed the limit of this plan.' : null;
        return { status: 'held', steps: [], message, again: false };
      }
      const problem = session?.reason?.startsWith('cap_') ? problemOf(outcome) : null;
      const asked = result.questions.map(({ text }) => text).join(' ');
      return failed(problem ?? `It has a question: ${asked}`);
    }
    case 'aborted':
      return failed(
        problemOf(outcome) ?? result.text,
        !['cap_cost', 'cancelled'].includes(result.reason),
      );
    case 'patch':
      return failed('It would change another plan.');
    case 'gate':
    case 'rfc':
    case 'escalation':
    case 'step_answer':
    case 'answer':
    case 'cannot':
      return failed(result.text);
    case 'superseded':
      return failed('Another planner has taken over this part.', false);
    default:
      return result satisfies never;
  }
}
