// What only a person can settle: a step that is theirs, a call that asks before it is made, one whose outcome is not known.
import type { ShownStep } from '#contracts/call.ts';
import type { PlanCardFacts } from '#contracts/card.ts';
import type { Step } from '#contracts/plan.ts';
import { withReview } from './ask-review.ts';
import { makeButton, pressAbout } from './buttons.ts';
import { headlineOf, leadOf, wholeLines } from './calls.ts';
import { askAboutChange } from './changes-asked.ts';
import { viewFields } from './form-fields.ts';
import { cleanLine, isolateText } from './plain.ts';
import { canSettle } from './state.ts';
import { isViewers, personOf, reasonOf } from './step-lines.ts';
import type { Ask, Field, Form } from './view.ts';
import { tellTime } from './words.ts';

/** The button that opens a form. */
const fillIn = 'Fill in';

/** Why a person cannot do their step; the others need it. */
const blockedForm: Form = {
  fields: [],
  label: "What's blocking you?",
  placeholder: 'The room is closed until Monday',
  required: true,
  missing: "Say what's blocking you.",
  submit: 'Blocked',
};

/** The fields, and room for a note beside them where none of them takes remarks. */
function formOf(fields: Field[]): Form {
  const remarks = fields.some(({ type }) => type === 'multiline');
  return {
    fields,
    label: remarks ? '' : 'Note (optional)',
    placeholder: '',
    required: false,
    missing: '',
    submit: 'Done',
  };
}

function askPerson(step: Step, facts: PlanCardFacts): Ask {
  const person = personOf(step, facts) ?? 'a person';
  const fields = viewFields(step);
  const done = pressAbout(facts.plan, 'human_done', step);
  const blocked = pressAbout(facts.plan, 'human_blocked', step);
  const yours = isViewers(step, facts);
  return {
    kind: 'person',
    step_id: step.id,
    label: yours ? 'This waits for you' : `This waits for ${person}`,
    text: isolateText(cleanLine(step.question ?? step.description)),
    known: [],
    note: fields.length === 0 ? 'Answer or note (optional)' : null,
    fields,
    buttons: [
      fields.length === 0
        ? makeButton(done, 'Done')
        : makeButton(done, fillIn, { style: 'primary', form: formOf(fields) }),
      makeButton(blocked, 'Blocked', { form: blockedForm }),
    ],
  };
}

/**
 * A call that asks before it is made: a guarded one whose arguments were decided at run time (`values`), or any of a plan
 * in which each step asks (`each`), or one whose target has changed (`drift`). null: it is a person's task.
 */
function confirmationOf({ output }: Step): keyof typeof confirmationLabels | null {
  if (typeof output !== 'object' || output === null || Array.isArray(output)) return null;
  if (output.confirm !== true) return null;
  if (output.drift !== undefined) return 'drift';
  return output.each === true ? 'each' : 'values';
}

const confirmationLabels = {
  values: 'Check the final values',
  each: 'This step asks before it runs',
  drift: 'What this step changes was edited after the plan was approved',
} as const;

/** The planner's words about a step, said as such. */
function toldBy(step: Step, { plan }: PlanCardFacts): string[] {
  const reason = reasonOf(step, plan);
  return reason === '' ? [] : [`The planner’s reason: ${reason}`];
}

function askConfirmation(
  step: ShownStep,
  why: keyof typeof confirmationLabels,
  facts: PlanCardFacts,
): Ask {
  const { plan } = facts;
  return {
    kind: 'confirm',
    step_id: step.id,
    label: leadOf(confirmationLabels[why], step.guarded),
    text: headlineOf(step.call),
    known: [
      // How the target was and how it is now.
      ...(why === 'drift' && step.question !== null ? [isolateText(cleanLine(step.question))] : []),
      ...wholeLines(step.call),
      ...toldBy(step, facts),
    ],
    note: null,
    fields: [],
    buttons: [
      makeButton(pressAbout(plan, 'settle_retry', step), 'Run it'),
      makeButton(pressAbout(plan, 'settle_failed', step), "Don't run it"),
    ],
  };
}

/** The facts about a call that was made and never answered for, so that a person can look for its effect. */
function knownOf(step: ShownStep, facts: PlanCardFacts): string[] {
  const started = step.started_at === null ? '' : `, started ${tellTime(step.started_at, facts)}`;
  return [
    ...wholeLines(step.call),
    ...toldBy(step, facts),
    `Attempt ${step.attempt}${started}; how it ended was not recorded.`,
    ...(step.error === null ? [] : [isolateText(cleanLine(step.error.message))]),
    'Check whether it happened, then choose.',
  ];
}

function askUnknown(step: ShownStep, facts: PlanCardFacts): Ask {
  const { plan } = facts;
  return {
    kind: 'unknown',
    step_id: step.id,
    label: "We can't tell whether this went through",
    text: headlineOf(step.call),
    known: knownOf(step, facts),
    note: null,
    fields: [],
    buttons: [
      makeButton(pressAbout(plan, 'settle_retry', step), 'Retry'),
      makeButton(pressAbout(plan, 'settle_done', step), 'Mark done'),
      makeButton(pressAbout(plan, 'settle_failed', step), 'Mark failed'),
    ],
  };
}

function askAboutStep(step: ShownStep, facts: PlanCardFacts): Ask {
  if (step.status === 'unknown') return askUnknown(step, facts);
  const why = confirmationOf(step);
  return why === null ? askPerson(step, facts) : askConfirmation(step, why, facts);
}

/** The asks of a plan, a change of it and unknown outcomes first; none once nothing can be settled any more. */
export function viewAsks(facts: PlanCardFacts): Ask[] {
  if (!canSettle(facts)) return [];
  return [
    ...askAboutChange(facts),
    ...[...facts.unknown, ...facts.waiting].map((step) =>
      withReview(askAboutStep(step, facts), pressAbout(facts.plan, 'details', step)),
    ),
  ];
}

/** How many wait beyond those a card is given. */
export function countHiddenAsks({ plan, unknown, waiting }: PlanCardFacts): number {
  const { counts } = plan;
  return Math.max(0, counts.unknown + counts.waiting - unknown.length - waiting.length);
}
