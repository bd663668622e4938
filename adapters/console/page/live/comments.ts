// Comments on single steps of a waiting plan. They stay in this browser until they are sent; those on a version that is gone stay too,
// marked as such, so that nothing that was written is lost.
import type { ShownStep } from '#domain/plan/call.ts';
import type { StepComment } from '#domain/plan/plan.ts';
import { type Card, type Comment, inputKey, type State } from './state.ts';
import { change, changeNow, state } from './store.ts';

const storeKey = (plan: string): string => `countersign.comments.${plan}`;

function isComment(value: unknown): value is Comment {
  if (typeof value !== 'object' || value === null) return false;
  const { step, label, effect, text, version, digest } = value as Partial<Comment>;
  const texts = [step, label, effect, text, digest];
  return texts.every((one) => typeof one === 'string') && typeof version === 'number';
}

function readStored(plan: string): Comment[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storeKey(plan)) ?? '[]');
    return Array.isArray(stored) ? stored.filter(isComment) : [];
  } catch {
    // Not ours, or no storage: then there are none.
    return [];
  }
}

function keep(plan: string, comments: Comment[]): void {
  change((s) => s.comments.set(plan, comments));
  try {
    if (comments.length === 0) localStorage.removeItem(storeKey(plan));
    else localStorage.setItem(storeKey(plan), JSON.stringify(comments));
  } catch {
    // Without storage they last as long as the page.
  }
}

function allOf({ comments }: Pick<State, 'comments'>, plan: string): Comment[] {
  const known = comments.get(plan);
  if (known !== undefined) return known;
  const stored = readStored(plan);
  comments.set(plan, stored);
  return stored;
}

/** Comments on the version that is shown, and on versions before it. */
export function commentsOf(
  of: Pick<State, 'comments'>,
  { facts: { plan } }: Card,
): { current: Comment[]; older: Comment[] } {
  const all = allOf(of, plan.id);
  return {
    current: all.filter(({ digest }) => digest === plan.digest),
    older: all.filter(({ digest }) => digest !== plan.digest),
  };
}

/** What a proposal of changes says of single steps. */
export function commentsToSend(plan: string, digest: string): StepComment[] {
  return allOf(state, plan)
    .filter((one) => one.digest === digest)
    .map(({ step, text }) => ({ step_id: step, text }));
}

/** The input of a comment on a step. */
export const commentInput = (step: string): string => `comment:${step}`;

/** Opens the field for a comment on a step, with what was said before. */
export function startComment({ facts: { plan } }: Card, step: string): void {
  const known = allOf(state, plan.id).find(
    (one) => one.step === step && one.digest === plan.digest,
  );
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

/** Keeps what was written about a step; nothing written takes the comment away. */
export function saveComment(
  { facts: { plan } }: Card,
  step: Pick<ShownStep, 'id'>,
  label: string,
  effect: string,
): void {
  const { id, version, digest } = plan;
  const text = (state.typed.get(inputKey(id, commentInput(step.id))) ?? '').trim();
  const others = allOf(state, id).filter((one) => one.step !== step.id || one.digest !== digest);
  const own = { step: step.id, label, effect, text, version, digest };
  keep(id, text === '' ? others : [...others, own]);
  leaveComment();
}

export function removeComment(plan: string, comment: Comment): void {
  keep(
    plan,
    allOf(state, plan).filter((one) => one !== comment),
  );
}

/** Comments on the version of `from` go with their steps to the version after it. */
export function moveComments(
  plan: string,
  from: string,
  { digest, version }: Pick<Comment, 'digest' | 'version'>,
): void {
  keep(
    plan,
    allOf(state, plan).map((one) => (one.digest === from ? { ...one, digest, version } : one)),
  );
}

/** Once they were sent they are part of the plan's history. What was written meanwhile stays. */
export function forgetSent(plan: string, digest: string, sent: StepComment[]): void {
  const isSent = ({ step, text }: Comment) =>
    sent.some((one) => one.step_id === step && one.text === text);
  keep(
    plan,
    allOf(state, plan).filter((one) => one.digest !== digest || !isSent(one)),
  );
}
