// A plan's buttons by status; nothing destructive is primary.
import type { CardPress, PlanCardFacts } from '#domain/chat/card.ts';
import { readSettledStatus } from '#domain/plan/expected-step.ts';
import type { PassedStarts } from '#domain/plan/passed-starts.ts';
import type { Plan, Step } from '#domain/plan/plan.ts';
import { listOf } from '#domain/words.ts';
import { shield, shortenCall } from './calls.ts';
import { maxOffers, offerMoves, offerOrders } from './moves.ts';
import { describeRun } from './times.ts';
import type { AnyPress, Button, Field, Form } from './view.ts';

export function pressOf(plan: Plan, action: CardPress['action']): CardPress {
  return { action, plan_id: plan.id, version: plan.version, digest: plan.digest };
}

/** Bound to the attempt and status shown. */
export function pressAbout(plan: Plan, action: CardPress['action'], step: Step): CardPress {
  const expectedStatus = readSettledStatus(step.status);
  return {
    ...pressOf(plan, action),
    step_id: step.id,
    attempt: step.attempt,
    ...(expectedStatus === null ? {} : { stood: expectedStatus }),
  };
}

/** Once per end of the plan. */
function pressRetry(plan: Plan): CardPress {
  const press = pressOf(plan, 'retry');
  const { execution_ended_at: ended } = plan;
  return ended === null ? press : { ...press, ended_at: ended };
}

const changesForm: Form = {
  fields: [],
  label: 'What should change?',
  placeholder: "Also move last week's notes",
  required: true,
  missing: 'Say what should change.',
  submit: 'Send',
};

const rejectForm: Form = {
  fields: [],
  label: 'Why? (optional)',
  placeholder: 'We do this by hand',
  required: false,
  missing: '',
  submit: 'Reject',
};

const cancelConfirm = {
  text: 'No more steps will start. Completed steps stay done.',
  submit: 'Cancel the plan',
};

export function makeButton(press: CardPress, label: string, extra: Partial<Button> = {}): Button {
  return { label, style: 'plain', press, form: null, confirm: null, ...extra };
}

/** Passed starts included. */
export function makeApprove(
  press: CardPress,
  label: string,
  passed: PassedStarts | undefined,
  extra: Partial<Button> = {},
  run: string | null = null,
): Button {
  const primary: Partial<Button> = { style: 'primary', ...extra };
  if (passed === undefined)
    return makeButton(press, run === null ? label : `${label} · ${run}`, primary);
  return makeButton({ ...press, passed: passed.last }, `${label} · starts now`, primary);
}

const failConfirm = {
  text: 'No more steps will run. Failed steps can be retried later.',
  submit: 'Mark failed',
};

const giveUpConfirm = {
  text: 'No more steps will run. Completed steps stay done.',
  submit: 'Stop here',
};

const noText = { label: '', placeholder: '', required: false, missing: '' };

const playbookForm: Form = {
  ...noText,
  fields: [
    makeField('name', 'text', 'Name', {
      help: 'lowercase letters, digits and hyphens: close-month',
      required: true,
      missing: 'Give it a name.',
    }),
    makeField('params', 'multiline', 'Parameters', {
      help: 'texts of the plan to replace in each run, one a line: customer=ACME',
    }),
  ],
  submit: 'Save',
};

function makeField(
  name: string,
  type: 'text' | 'multiline',
  label: string,
  more: Partial<Field> = {},
): Field {
  const common = { options: [], min: null, max: null, whole: false, words: 'text', missing: '' };
  return { name, type, label, help: '', required: false, ...common, ...more };
}

function viewFailedButtons({ plan, failed }: PlanCardFacts): Button[] {
  if (plan.counts.failed === 0) return [];
  const [only] = failed;
  const one = plan.counts.failed === 1 && only !== undefined;
  return [
    makeButton(pressRetry(plan), one ? 'Retry the step' : 'Retry the failed steps'),
    ...(one ? [makeButton(pressAbout(plan, 'retry_edited', only), 'Edit and retry')] : []),
    ...(one ? [makeButton(pressAbout(plan, 'settle_skip', only), 'Continue without it')] : []),
    makeButton(pressOf(plan, 'cancel'), 'Stop here', { confirm: giveUpConfirm }),
    makeButton(pressOf(plan, 'details'), 'Details'),
  ];
}

/** While the rest continues; only for one blocked person. */
function viewAskAgain({ plan, failed }: PlanCardFacts): Button[] {
  const [only, ...others] = failed.filter(({ error }) => error?.code === 'blocked');
  if (only === undefined || others.length > 0) return [];
  return [makeButton(pressAbout(plan, 'settle_retry', only), 'Ask again')];
}

const guardedNamed = 3;

/** Guarded calls to confirm. */
function viewGuard({ plan, review }: PlanCardFacts): Pick<Button, 'guard'> {
  const guarded = review.calls.filter(({ step }) => step.guarded);
  if (guarded.length === 0 && plan.guarded_operations.length === 0) return {};
  const named = guarded.slice(0, guardedNamed).map(({ step, times }) => {
    const name = shortenCall(step.call, 80, 1).text;
    return times === 1 ? name : `${name} (${times.toLocaleString('en-US')} times)`;
  });
  const more = guarded.length - named.length;
  const calls = [...named, ...(more > 0 ? [`${more} more`] : [])];
  // Large plans are not fully examined, so operations are named.
  const what = calls.length > 0 ? calls : plan.guarded_operations.slice(0, guardedNamed);
  return { guard: { text: `${shield} Guarded: ${listOf(what)}.`, submit: 'Approve and run' } };
}

export function viewButtons(facts: PlanCardFacts): Button[] {
  const { plan } = facts;
  const press = pressOf(plan, 'approve');
  const approve = makeApprove(press, 'Approve', facts.passed, viewGuard(facts), describeRun(facts));
  const change = makeButton(pressOf(plan, 'propose_changes'), 'Propose changes', {
    form: changesForm,
  });
  const moves = [...offerMoves(facts.moves ?? [], facts), ...offerOrders(facts.orders)]
    .slice(0, maxOffers)
    .map(({ label, choice }) => makeButton({ ...pressOf(plan, 'reschedule'), choice }, label));
  const back =
    plan.version === 1
      ? []
      : [makeButton(pressOf(plan, 'go_back'), `Back to version ${plan.version - 1}`)];
  const reject = makeButton(pressOf(plan, 'reject'), 'Reject', { form: rejectForm });
  const cancel = makeButton(pressOf(plan, 'cancel'), 'Cancel', { confirm: cancelConfirm });
  const details = makeButton(pressOf(plan, 'details'), 'Details');
  const pause = plan.paused
    ? makeButton(pressOf(plan, 'resume'), 'Resume', { style: 'primary' })
    : makeButton(pressOf(plan, 'pause'), 'Pause');
  const keep = makeButton(pressOf(plan, 'resume'), `Keep version ${plan.version}`);
  if (plan.revising) return [keep, cancel, details];
  switch (plan.status) {
    case 'proposed':
      return [approve, ...moves, change, ...back, reject, details];
    case 'needs_review':
      return [approve, reject, cancel, details];
    case 'approved':
      return [cancel, details];
    case 'executing':
      return [...viewAskAgain(facts), pause, cancel, details];
    case 'stalled':
      return [
        makeButton(pressOf(plan, 'resume'), 'Resume', { style: 'primary' }),
        makeButton(pressOf(plan, 'mark_failed'), 'Mark failed', { confirm: failConfirm }),
        cancel,
        details,
      ];
    case 'failed':
      return viewFailedButtons(facts);
    case 'completed':
      return [
        makeButton(pressOf(plan, 'save_playbook'), 'Save as a playbook', { form: playbookForm }),
      ];
    case 'rejected':
    case 'cancelled':
      return [];
    default:
      return plan.status satisfies never;
  }
}

export const reviewLabel = 'Review';

/** Review only opens the plan, so its guard waits there. */
export function confirmOf({ press, confirm, guard }: Button<AnyPress>): Button['confirm'] {
  return press.action === 'details' ? confirm : (confirm ?? guard ?? null);
}

/** For cards without all effects: open first, approve there. */
export function askForReview<P extends AnyPress>(buttons: Button<P>[]): Button<P>[] {
  if (!buttons.some(({ press }) => press.action === 'approve')) return buttons;
  return buttons
    .filter(({ press }) => press.action !== 'details')
    .map((button) =>
      button.press.action === 'approve'
        ? { ...button, label: reviewLabel, press: { ...button.press, action: 'details' } }
        : button,
    );
}
