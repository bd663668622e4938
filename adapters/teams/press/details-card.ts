// All steps of a plan, page by page, in the place of its card; while the plan waits for the reader's word they can be ticked, so that
// only some of them are approved. Pure.
import type { Drawn } from '#cards/expand.ts';
import { showLine } from '#cards/plain.ts';
import { refreshVerb } from '#cards/refresh.ts';
import type { PlanView } from '#cards/view.ts';
import type { CardPress, PlanCardFacts } from '#contracts/card.ts';
import { numberedAtMost, numberSteps } from '#contracts/step-numbers.ts';
import { operationName } from '#contracts/tool.ts';
import type { StepPage } from '#contracts/views.ts';
import { makeAction, makeCard, makeLine } from './elements.ts';
import { stepInput, verbs } from './read-press.ts';

const lineAtMost = 180;

/** Whether the reader can approve some of the steps and not the others. */
function canTick({ plan, steps, may_approve: may }: PlanCardFacts): boolean {
  const open = plan.status === 'proposed' || plan.status === 'needs_review';
  return open && may && !plan.revising && plan.total_steps <= numberedAtMost && steps.length > 1;
}

/** Approvals name steps by their places in the facts, which version and digest bind. */
function drawToggles({ steps }: PlanCardFacts): Drawn[] {
  return numberSteps(steps).map(({ label, step }) => ({
    type: 'Input.Toggle',
    id: stepInput(steps.indexOf(step)),
    title: `${label}  ${showLine(step.description, lineAtMost)}`,
    value: 'true',
    valueOn: 'true',
    valueOff: 'false',
    spacing: 'small',
    wrap: true,
  }));
}

function drawSteps({ steps }: Pick<StepPage, 'steps'>): Drawn[] {
  if (steps.length === 0) return [makeLine('It has no steps.')];
  return steps.flatMap((step) => {
    const target = step.target === null ? '' : ` → ${showLine(step.target, 80)}`;
    const operation = operationName(step.tool, step.operation);
    return [
      makeLine(`${step.position}. ${showLine(step.description, lineAtMost)}`, {}, 'medium'),
      makeLine(`${operation}${target} · ${step.status}`, { isSubtle: true, size: 'small' }, 'none'),
    ];
  });
}

/** What the press carries from page to page: the cursors up to here, and the list it was opened from. */
type Held = { press: CardPress; pages: string[]; list: string | null };

export function drawDetails(
  facts: PlanCardFacts,
  view: PlanView,
  page: Pick<StepPage, 'steps' | 'next_cursor'>,
  { press, pages, list }: Held,
): Drawn {
  const turn = (to: string[]) => ({ ...press, pages: to, ...(list === null ? {} : { list }) });
  const back =
    list === null
      ? makeAction('Back', refreshVerb, { plan_id: facts.plan.id })
      : makeAction('Back', verbs.list, { list });
  const head = [
    makeLine(view.title, { weight: 'bolder', size: 'large' }),
    makeLine(view.state.line, { isSubtle: true }),
  ];
  const fallback = `${view.title}\n${view.state.line}`;
  if (list === null && canTick(facts)) {
    const { id, version, digest } = facts.plan;
    const part = { action: 'approve', plan_id: id, version, digest };
    return makeCard(
      [
        ...head,
        makeLine('Steps to approve', { weight: 'bolder' }, 'medium'),
        ...drawToggles(facts),
      ],
      [makeAction('Approve these', verbs.part, part, { style: 'positive' }), back],
      fallback,
    );
  }
  const { next_cursor: next } = page;
  const actions = [
    ...(pages.length > 1 ? [makeAction('Earlier steps', 'details', turn(pages.slice(0, -1)))] : []),
    ...(next === null ? [] : [makeAction('Later steps', 'details', turn([...pages, next]))]),
    back,
  ];
  return makeCard([...head, ...drawSteps(page)], actions, fallback);
}
