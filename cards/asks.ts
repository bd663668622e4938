// Asks that only a person can settle.
import type { CardPress, PatchFacts, PlanCardFacts, ShownChange } from '#domain/chat/card.ts';
import { isSamePerson } from '#domain/people/names.ts';
import type { ShownStep } from '#domain/plan/call.ts';
import { assigneeOf, isConfirmation, takerOf } from '#domain/plan/human-task.ts';
import { Undecided } from '#domain/plan/open-values.ts';
import type { PlanStatus, Step } from '#domain/plan/plan.ts';
import { quoteWords, showWhole } from '#domain/shown-text.ts';
import { isObject } from '#domain/text.ts';
import { countOf } from '#domain/words.ts';
import { withReview } from './ask-review.ts';
import { makeApprove, makeButton, pressAbout } from './buttons.ts';
import { headlineOf, leadOf, warnOfTarget, wholeLines } from './calls.ts';
import { askAboutFindings } from './findings.ts';
import { viewFields } from './form-fields.ts';
import { drawQuote, maxFullText, quote, showPerson } from './plain.ts';
import { canSettle, describePassed } from './state.ts';
import { effectOfNo, isViewers, mayAnswer, personOf, reasonOf, viewerIs } from './step-lines.ts';
import { tellTime } from './times.ts';
import { describeFields } from './version-words.ts';
import type { Ask, Field, Form } from './view.ts';

const rejectForm: Form = {
  fields: [],
  label: 'Why? (optional)',
  placeholder: 'The plan is fine as it is',
  required: false,
  missing: '',
  submit: 'Reject the change',
};

const signs: Record<ShownChange['kind'], string> = {
  added: '+ ',
  removed: '− ',
  changed: '~ ',
  other: '',
};

/** Removals by name, additions in full, changes by their differences. */
function describeShown(
  { kind, text, call, reason, fields = [] }: ShownChange,
  { now, viewer }: PlanCardFacts,
): string[] {
  if (call === null) return [`${signs[kind]}${showWhole(text)}`];
  const isWhole = kind === 'added' || fields.some(({ field }) => field.startsWith('args.'));
  // The headline names the target.
  const changes = fields.filter(({ field }) => field !== 'target');
  const warning = isWhole ? warnOfTarget(call) : '';
  return [
    `${signs[kind]}${headlineOf(call, isWhole ? now : undefined)} · ${showWhole(text)}`,
    ...(warning === '' ? [] : [warning]),
    ...(isWhole ? wholeLines(call) : []),
    ...describeFields({ changes, changes_total: changes.length }, now, viewer.timezone),
    ...quote("Planner's reason", reason, maxFullText).map(drawQuote),
  ];
}

function describeSize({ added, changed, removed }: PatchFacts): string {
  const parts = [
    added > 0 ? `adds ${countOf(added, 'step')}` : '',
    changed > 0 ? `changes ${countOf(changed, 'step')}` : '',
    removed > 0 ? `removes ${countOf(removed, 'step')}` : '',
  ].filter((part) => part !== '');
  return parts.join(', ');
}

function describeApprovals(
  { approved, approvals_needed: needed }: PatchFacts,
  facts: PlanCardFacts,
): string[] {
  if (needed < 2) return [];
  const names = approved.map((name) => showPerson(facts, name, 60)).join(', ');
  return [`${approved.length} of ${needed} approved${names === '' ? '' : ` (${names})`}`];
}

function untilThen(status: PlanStatus): string {
  const over = status === 'failed' || status === 'completed' || status === 'stalled';
  return over
    ? 'Once approved, the plan continues with it. Completed steps stay done.'
    : 'Until then the approved plan continues.';
}

function askAboutChange(facts: PlanCardFacts): Ask[] {
  const { plan, patch } = facts;
  if (patch === null) return [];
  const press = (action: CardPress['action']): CardPress => ({
    action,
    plan_id: plan.id,
    version: patch.version,
    digest: patch.digest,
  });
  const { passed, changes_hidden: unseen } = patch;
  const ask: Ask = {
    kind: 'change',
    step_id: patch.patch_id,
    label: `Proposed change · version ${patch.version} · digest ${patch.digest.slice(0, 8)}`,
    text: `${showPerson(facts, patch.proposed_by, 60)} wants to change this plan (${describeSize(patch)})`,
    quotes: quote('Reason', patch.reason, maxFullText),
    known: [
      ...patch.shown.flatMap((one) => describeShown(one, facts)),
      ...(unseen === 0 ? [] : [`… and ${countOf(unseen, 'more change')} that don't fit here`]),
      ...(passed === undefined
        ? []
        : [
            `${describePassed(passed, facts)} Approve to run now, or reject the change and propose another time.`,
          ]),
      'Why it needs approval:',
      ...patch.widening.map(showWhole),
      ...describeApprovals(patch, facts),
      untilThen(plan.status),
    ],
    note: null,
    fields: [],
    buttons: [
      // A change not shown in full can't be approved here.
      ...(unseen > 0 ? [] : [makeApprove(press('approve'), 'Approve the change', passed)]),
      makeButton(press('reject'), 'Reject the change', { form: rejectForm }),
    ],
  };
  return [withReview(ask, press('details'))];
}

const fillIn = 'Fill in';

/** Why a person can't do their step. */
const blockedForm: Form = {
  fields: [],
  label: "What's blocking you?",
  placeholder: 'The room is closed until Monday',
  required: true,
  missing: "Say what's blocking you.",
  submit: 'Blocked',
};

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

function askYesOrNo(step: ShownStep, facts: PlanCardFacts): Ask {
  const { plan } = facts;
  const effect = effectOfNo(step, facts);
  return withTakeOver(
    {
      ...askedOf(step, facts),
      kind: 'yes_no',
      known: effect === null ? [] : [`If No: ${effect}.`],
      note: null,
      buttons: [
        makeButton(pressAbout(plan, 'settle_done', step), 'Yes', { style: 'primary' }),
        makeButton(pressAbout(plan, 'settle_failed', step), 'No'),
      ],
    },
    step,
    facts,
  );
}

/** Assignees answer. On shared cards, someone who may decide on the plan can take over. */
function withTakeOver(ask: Ask, step: ShownStep, facts: PlanCardFacts): Ask {
  const { plan, viewer } = facts;
  const asked = assigneeOf(step);
  const isShared = viewer.user === '';
  if (asked === null || (isShared && isSamePerson(asked, plan.requester))) return ask;
  if (!isShared && mayAnswer(step, facts)) return ask;
  if (isShared && takerOf(step) !== null) return ask;
  const press = pressAbout(plan, 'human_take_over', step);
  const takeOver = makeButton(press, `Answer for ${personOf(step, facts)}`);
  return isShared
    ? { ...ask, buttons: [...ask.buttons, takeOver] }
    : { ...ask, kind: 'theirs', note: null, fields: [], buttons: [takeOver] };
}

/** `Step 2 asks Ben · Ana answers for Ben` */
function nameAsked(step: ShownStep, facts: PlanCardFacts): string {
  const person = personOf(step, facts) ?? 'a person';
  const taker = takerOf(step);
  const label = `Step ${step.label} asks ${isViewers(step, facts) ? 'you' : person}`;
  if (taker === null) return label;
  const own = viewerIs(taker, facts);
  return `${label} · ${own ? 'you answer' : `${showPerson(facts, taker, 60)} answers`} for ${person}`;
}

function askPerson(step: ShownStep, facts: PlanCardFacts): Ask {
  return withTakeOver(askedOf(step, facts), step, facts);
}

function askedOf(step: ShownStep, facts: PlanCardFacts): Ask {
  const fields = viewFields(step);
  const done = pressAbout(facts.plan, 'human_done', step);
  const blocked = pressAbout(facts.plan, 'human_blocked', step);
  const text = step.question ?? step.description;
  const isQuestion = fields.length === 0 && text.trimEnd().endsWith('?');
  return {
    kind: 'person',
    step_id: step.id,
    label: nameAsked(step, facts),
    text: quoteWords(text, maxFullText),
    quotes: [],
    known: [],
    note: isQuestion ? 'Your answer' : fields.length === 0 ? 'Answer or note (optional)' : null,
    fields,
    buttons: [
      fields.length === 0
        ? makeButton(done, isQuestion ? 'Send' : 'Done')
        : makeButton(done, fillIn, { style: 'primary', form: formOf(fields) }),
      makeButton(blocked, isQuestion ? "Can't answer" : 'Blocked', { form: blockedForm }),
    ],
  };
}

/** `values` decided at run time, `each` step asks, the target changed (`drift`) or was `unchecked`. Null for a task. */
function confirmationOf({ output }: Step): keyof typeof confirmationLabels | null {
  if (!isObject(output) || output.confirm !== true) return null;
  if (output.drift !== undefined) return 'drift';
  if (output.unchecked === true) return 'unchecked';
  return output.each === true ? 'each' : 'values';
}

const confirmationLabels = {
  values: 'Run it with these final values',
  each: 'It asks before it runs',
  drift: 'The target changed after the plan was approved. Run it anyway',
  unchecked: 'The target was not checked before the approval. Run it anyway',
} as const;

function askConfirmation(
  step: ShownStep,
  why: keyof typeof confirmationLabels,
  facts: PlanCardFacts,
): Ask {
  const { plan } = facts;
  const effect = effectOfNo(step, facts);
  return {
    kind: 'confirm',
    step_id: step.id,
    label: `${leadOf(`Step ${step.label}`, step.guarded)} · ${confirmationLabels[why]}`,
    text: headlineOf(step.call),
    quotes: reasonOf(step, plan),
    known: [
      // The target then and now.
      ...((why === 'drift' || why === 'unchecked') && step.question !== null
        ? [showWhole(step.question)]
        : []),
      ...wholeLines(step.call),
      ...(effect === null ? [] : [`If No: ${effect} either.`]),
    ],
    note: null,
    fields: [],
    buttons: [
      makeButton(pressAbout(plan, 'settle_retry', step), 'Yes'),
      makeButton(pressAbout(plan, 'settle_failed', step), 'No'),
    ],
  };
}

/** Helps find the effect of an unknown outcome. */
function knownOf(step: ShownStep, facts: PlanCardFacts): string[] {
  const started = step.started_at === null ? '' : `, started ${tellTime(step.started_at, facts)}`;
  return [
    ...wholeLines(step.call),
    `Attempt ${step.attempt}${started}; its result was never recorded.`,
    'Check whether it happened, then choose.',
  ];
}

function askUnknown(step: ShownStep, facts: PlanCardFacts): Ask {
  const { plan } = facts;
  return {
    kind: 'unknown',
    step_id: step.id,
    label: `Step ${step.label} · outcome unknown`,
    text: headlineOf(step.call),
    quotes: [...quote('Error', step.error?.message, maxFullText), ...reasonOf(step, plan)],
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

/** A model could not decide them. */
function askForValues(step: ShownStep, reason: string, facts: PlanCardFacts): Ask {
  const fields = viewFields(step);
  const done = pressAbout(facts.plan, 'human_done', step);
  const submit = 'Use these values';
  return {
    kind: 'person',
    step_id: step.id,
    label: `${leadOf(`Step ${step.label}`, step.guarded)} · Choose its values`,
    text: headlineOf(step.call),
    quotes: [...quote('Why you are asked', reason, maxFullText), ...reasonOf(step, facts.plan)],
    known: [...wholeLines(step.call)],
    note: null,
    fields,
    buttons: [
      makeButton(done, fillIn, {
        style: 'primary',
        form: { ...formOf(fields), label: '', submit },
      }),
      makeButton(pressAbout(facts.plan, 'settle_failed', step), "Don't run it"),
    ],
  };
}

function askAboutStep(step: ShownStep, facts: PlanCardFacts): Ask {
  if (step.status === 'unknown') return askUnknown(step, facts);
  if (isConfirmation(step)) return askYesOrNo(step, facts);
  const asked = Undecided.safeParse(step.output);
  if (asked.success) return askForValues(step, asked.data.undecided, facts);
  const why = confirmationOf(step);
  return why === null ? askPerson(step, facts) : askConfirmation(step, why, facts);
}

/** Changes and unknown outcomes first. */
export function viewAsks(facts: PlanCardFacts): Ask[] {
  const findings = askAboutFindings(facts);
  if (!canSettle(facts)) return findings;
  return [
    ...askAboutChange(facts),
    ...[...facts.unknown, ...facts.waiting].map((step) =>
      withReview(askAboutStep(step, facts), pressAbout(facts.plan, 'details', step)),
    ),
    ...findings,
  ];
}

/** Beyond those on the card. */
export function countHiddenAsks({ plan, unknown, waiting }: PlanCardFacts): number {
  const { counts } = plan;
  return Math.max(0, counts.unknown + counts.waiting - unknown.length - waiting.length);
}
