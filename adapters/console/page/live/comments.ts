// Unsent step comments, kept in this browser, even for old versions.
import type { ShownStep } from '#domain/plan/call.ts';
import type { StepComment } from '#domain/plan/plan.ts';
import { type Card, type Comment, inputKey } from './state.ts';
import { changeNow, state } from './store.ts';
import { keepUnsent } from './unsent.ts';

export const comments = keepUnsent<Comment>(
  'comments',
  (s) => s.comments,
  ({ effect, text }) => typeof effect === 'string' && typeof text === 'string',
);

export function commentsToSend(plan: string, digest: string): StepComment[] {
  return comments
    .allOf(plan)
    .filter((one) => one.digest === digest)
    .map(({ step, text }) => ({ step_id: step, text }));
}

export const commentInput = (step: string): string => `comment:${step}`;

export function startComment({ facts: { plan } }: Card, step: string): void {
  const known = comments
    .allOf(plan.id)
    .find((one) => one.step === step && one.digest === plan.digest);
  changeNow((s) => {
    s.commenting = { plan: plan.id, step };
    if (!s.typed.has(inputKey(plan.id, commentInput(step))) && known !== undefined)
      s.typed.set(inputKey(plan.id, commentInput(step)), known.text);
  });
  document.querySelector<HTMLElement>('.comment-form textarea')?.focus();
}

export function leaveComment(): void {
  const { commenting } = state;
  changeNow((s) => {
    if (commenting !== null)
      s.typed.delete(inputKey(commenting.plan, commentInput(commenting.step)));
    s.commenting = null;
  });
  if (commenting !== null)
    document.querySelector<HTMLElement>(`[data-comment="${CSS.escape(commenting.step)}"]`)?.focus();
}

/** Empty text removes the comment. */
export function saveComment(
  { facts: { plan } }: Card,
  step: Pick<ShownStep, 'id'>,
  label: string,
  effect: string,
): void {
  const { id, version, digest } = plan;
  const text = (state.typed.get(inputKey(id, commentInput(step.id))) ?? '').trim();
  const own = { step: step.id, label, effect, text, version, digest };
  comments.replace(id, own, text === '' ? null : own);
  leaveComment();
}

/** To the next version, with their steps. */
export function moveComments(
  plan: string,
  from: string,
  { digest, version }: Pick<Comment, 'digest' | 'version'>,
): void {
  comments.keep(
    plan,
    comments.allOf(plan).map((one) => (one.digest === from ? { ...one, digest, version } : one)),
  );
}

/** Keeps what was typed since sending. */
export function forgetSent(plan: string, digest: string, sent: StepComment[]): void {
  const isSent = ({ step, text }: Comment) =>
    sent.some((one) => one.step_id === step && one.text === text);
  comments.keep(
    plan,
    comments.allOf(plan).filter((one) => one.digest !== digest || !isSent(one)),
  );
}
