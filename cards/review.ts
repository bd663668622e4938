// A review: every call of a plan with its exact effect, page by page, however long a value is.
import { reviewRank, type ShownStep } from '#contracts/call.ts';
import type { PlanCardFacts } from '#contracts/card.ts';
import type { Service } from '#contracts/service.ts';
import { type NumberedStep, nameSteps, numberedAtMost } from '#contracts/step-numbers.ts';
import { headlineOf, leadOf, type WholePart, wholeParts } from './calls.ts';
import { notesOf, reasonOf } from './step-lines.ts';

export type ReviewStep = {
  id: string;
  /** `3a 🛡` */
  lead: string;
  headline: string;
  /** What else a reader must know, and the planner's reason. */
  note: string;
  parts: WholePart[];
  /** The beginning of its values stands on the page before. */
  continued: boolean;
  /** It changes something or goes outside. */
  matters: boolean;
  /** Its place among the steps of the card, by which it can be ticked; null: it cannot be. */
  place: number | null;
};

export type ReviewPage = {
  steps: ReviewStep[];
  /** Asks for the next page; null: this is the last. */
  next: string | null;
};

/** Where a page begins: a page of the service, a step of it, and how many characters of its values were shown before. */
type Start = { page: string; index: number; skip: number };

const stepsRead = 25;
/** Characters that the layout of a step, and of a value, stands for. */
const stepCost = 200;
const partCost = 60;

function readStart(cursor: string): Start {
  const [, index = '0', skip = '0', page = ''] = /^(\d{1,6})\.(\d{1,9})\.(.*)$/s.exec(cursor) ?? [];
  return { page, index: Number(index), skip: Number(skip) };
}

function writeStart({ page, index, skip }: Start): string {
  return `${index}.${skip}.${page}`;
}

function toReviewStep(
  { step, label, after }: NumberedStep<ShownStep>,
  facts: PlanCardFacts,
): Omit<ReviewStep, 'place' | 'continued'> {
  const reason = reasonOf(step, facts.plan);
  return {
    id: step.id,
    lead: leadOf(label, step.guarded),
    headline: headlineOf(step.call, facts.now),
    note: [after, ...notesOf(step, facts), reason].filter((text) => text !== '').join(' · '),
    parts: wholeParts(step.call),
    matters: reviewRank(step.call, step.guarded) > 0,
  };
}

function lengthOf(step: Pick<ReviewStep, 'headline' | 'note' | 'parts'>): number {
  const values = step.parts.map(({ label, text }) => partCost + label.length + text.length);
  return values.reduce((sum, one) => sum + one, stepCost + step.headline.length + step.note.length);
}

/** A boundary that splits no character in two. */
function boundary(text: string, at: number): number {
  return /[\udc00-\udfff]/.test(text.charAt(at)) ? at - 1 : at;
}

/** The values from character `skip` on, at most `budget` characters of them. @returns them, and how far they go */
function sliceParts(
  parts: WholePart[],
  skip: number,
  budget: number,
): { parts: WholePart[]; to: number } {
  const kept: WholePart[] = [];
  let start = 0;
  let to = skip;
  for (const part of parts) {
    const end = start + part.text.length;
    const from = Math.max(start, skip);
    const left = budget - (to - skip);
    if (end >= from && (end > skip || part.text === '') && left > 0) {
      const until = end - from <= left ? end : start + boundary(part.text, from - start + left);
      kept.push({
        ...part,
        text: part.text.slice(from - start, until - start),
        inline: part.inline && until === end,
      });
      to = until;
      if (until < end) break;
    }
    start = end;
  }
  return { parts: kept, to };
}

/**
 * A page of the review of a plan, with about `budget` characters. Plans whose steps have numbers come in their order; larger ones
 * begin with the calls that a reviewer should see first.
 * @param cursor empty for the first page
 * @throws what the service throws
 */
export async function readReview(
  service: Pick<Service, 'listSteps'>,
  facts: PlanCardFacts,
  cursor: string,
  budget: number,
): Promise<ReviewPage> {
  const { plan } = facts;
  const start = readStart(cursor);
  const small = plan.total_steps <= numberedAtMost;
  const read = small
    ? { steps: facts.steps, next_cursor: null }
    : await service.listSteps(plan.id, {
        order: 'review',
        limit: stepsRead,
        ...(start.page === '' ? {} : { cursor: start.page }),
      });
  const named = nameSteps(read.steps, plan.total_steps);
  const steps: ReviewStep[] = [];
  let left = budget;
  for (const [index, one] of named.entries()) {
    if (index < start.index) continue;
    const whole = toReviewStep(one, facts);
    const skip = index === start.index ? start.skip : 0;
    const here = { ...start, index, skip };
    const length = lengthOf(whole);
    if (steps.length > 0 && length > left) return { steps, next: writeStart(here) };
    const { parts, to } = sliceParts(whole.parts, skip, Math.max(left, 1));
    const total = whole.parts.reduce((sum, { text }) => sum + text.length, 0);
    const place = small ? facts.steps.indexOf(one.step) : null;
    steps.push({ ...whole, parts, continued: skip > 0, place });
    if (to < total) return { steps, next: writeStart({ ...here, skip: to }) };
    left -= length;
  }
  const { next_cursor } = read;
  return {
    steps,
    next: next_cursor === null ? null : writeStart({ page: next_cursor, index: 0, skip: 0 }),
  };
}
