// The buttons of a plan by status. A decided card has none, and nothing destructive is primary.
import type { CardPress, PlanCardFacts } from '#domain/chat/card.ts';
import { readSettledStatus } from '#domain/plan/expected-step.ts';
import type { PassedStarts } from '#domain/plan/passed-starts.ts';
import type { Plan, Step } from '#domain/plan/plan.ts';
import { listOf } from '#domain/words.ts';
import { shield, shortenCall } from './calls.ts';
import { offerMoves } from './moves.ts';
import type { AnyPress, Button, Form } from './view.ts';

/** A press bound to the version and digest shown. */
export function pressOf(plan: Plan, action: CardPress['action']): CardPress {
  return { action, plan_id: plan.id, version: plan.version, digest: plan.digest };
}

/** A press on a step, bound to the attempt and status shown. */
export function pressAbout(plan: Plan, action: CardPress['action'], step: Step): CardPress {
  const expectedStatus = readSettledStatus(step.status);
  return {
    ...pressOf(plan, action),
    step_id: step.id,
    attempt: step.attempt,
    ...(expectedStatus === null ? {} : { stood: expectedStatus }),
  };
}

/** Retries failed steps, once per end of the plan. */
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

/** A button without its own question. */
export function makeButton(press: CardPress, label: string, extra: Partial<Button> = {}): Button {
  return { label, style: 'plain', press, form: null, confirm: null, ...extra };
}

/** Approves what was shown, including passed starts. */
export function makeApprove(
  press: CardPress,
  label: string,
  passed: PassedStarts | undefined,
  extra: Partial<Button> = {},
): Button {
  const primary: Partial<Button> = { style: 'primary', ...extra };
  if (passed === undefined) return makeButton(press, label, primary);
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

/** For a failed plan: retry, continue without the step (if only one failed), ask for another plan, or leave it. */
function viewFailedButtons({ plan, failed }: PlanCardFacts): Button[] {
  if (plan.counts.failed === 0) return [];
  const [only] = failed;
  const one = plan.counts.failed === 1 && only !== undefined;
  return [
    makeButton(pressRetry(plan), one ? 'Retry the step' : 'Retry the failed steps'),
    ...(one ? [makeButton(pressAbout(plan, 'settle_skip', only), 'Continue without it')] : []),
    makeButton(pressOf(plan, 'cancel'), 'Stop here', { confirm: giveUpConfirm }),
    makeButton(pressOf(plan, 'details'), 'Details'),
  ];
}

/** Asks a blocked person again while the rest continues, if there is only one. */
function viewAskAgain({ plan, failed }: PlanCardFacts): Button[] {
  const [only, ...others] = failed.filter(({ error }) => error?.code === 'blocked');
  if (only === undefined || others.length > 0) return [];
  return [makeButton(pressAbout(plan, 'settle_retry', only), 'Ask again')];
}

const guardedNamed = 3;

/** The guarded calls of a plan to approve, if any. */
function viewGuard({ plan, review }: PlanCardFacts): Pick<Button, 'guard'> {
  const guarded = review.calls.filter(({ step }) => step.guarded);
  if (guarded.length === 0 && plan.guarded_operations.length === 0) return {};
  const named = guarded.slice(0, guardedNamed).map(({ step, times }) => {
    const name = shortenCall(step.call, 80, 1).text;
    return times === 1 ? name : `${name} (${times.toLocaleString('en-US')} times)`;
  });
  const more = guarded.length - named.length;
  const calls = [...named, ...(more > 0 ? [`${more} more`] : [])];
  // In a large plan not every call is examined, so the guarded operations are named.
  const what = calls.length > 0 ? calls : plan.guarded_operations.slice(0, guardedNamed);
  return { guard: { text: `${shield} Guarded: ${listOf(what)}.`, submit: 'Approve and run' } };
}

export function viewButtons(facts: PlanCardFacts): Button[] {
  const { plan } = facts;
  const press = pressOf(plan, 'approve');
  const approve = makeApprove(press, 'Approve', facts.passed, viewGuard(facts));
  const change = makeButton(pressOf(plan, 'propose_changes'), 'Propose changes', {
    form: changesForm,
  });
  const moves = offerMoves(facts.moves ?? [], facts).map(({ label, choice }) =>
    makeButton({ ...pressOf(plan, 'reschedule'), choice }, label),
  );
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
      return [approve, ...moves, change, reject, details];
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
    case 'rejected':
    case 'cancelled':
      return [];
    default:
      return plan.status satisfies never;
  }
}

/** Opens what doesn't fit on a card. */
export const reviewLabel = 'Review';

/** Buttons that only open something need no question. */
function withoutGuard<P extends AnyPress>({ guard: _, ...button }: Button<P>): Button<P> {
  return button;
}

/** For cards that don't show all effects: the plan is opened first, and approved there. */
export function askForReview<P extends AnyPress>(buttons: Button<P>[]): Button<P>[] {
  if (!buttons.some(({ press }) => press.action === 'approve')) return buttons;
  return buttons
    .filter(({ press }) => press.action !== 'details')
    .map((button) =>
      button.press.action === 'approve'
        ? withoutGuard({
            ...button,
            label: reviewLabel,
            press: { ...button.press, action: 'details' },
          })
        : button,
    );
}
