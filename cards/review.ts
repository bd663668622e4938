// A review: every call with its exact effect, paged.
import type { PlanCardFacts } from '#domain/chat/card.ts';
import type { ShownStep } from '#domain/plan/call.ts';
import { reviewRank } from '#domain/plan/review-rank.ts';
import { maxNumbered, type NumberedStep, orderByLabel } from '#domain/plan/step-numbers.ts';
import type { Service } from '#domain/service.ts';
import { cutShown, showWhole } from '#domain/shown-text.ts';
import { headlineOf, leadOf, marksOf, markWords, type WholePart, wholeParts } from './calls.ts';
import { drawQuote } from './plain.ts';
import { notesOf, quotesOf } from './step-lines.ts';
import type { Quote } from './view.ts';
import { stepWords } from './words.ts';

export type ReviewStep = {
  id: string;
  /** `3a 🛡` */
  lead: string;
  headline: string;
  /** `cannot be undone`, `goes outside` */
  marks: string[];
  note: string;
  quotes: Quote[];
  parts: WholePart[];
  /** Its values began on the previous page. */
  continued: boolean;
  /** Its values continue on the next page. */
  continues: boolean;
  /** Changes something or goes outside. */
  matters: boolean;
  /** Null if it can't be ticked. */
  place: number | null;
};

export type ReviewPage = {
  steps: ReviewStep[];
  /** Null on the last. */
  next: string | null;
};

/** The service's page, a step on it, and characters already shown. */
type Start = { page: string; index: number; skip: number };

const stepsRead = 25;
/** Longer ones are cut and repeated among the values. */
const maxHeadline = 1000;
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
): Omit<ReviewStep, 'place' | 'continued' | 'continues'> {
  const { call, guarded, status } = step;
  const { plan } = facts;
  const undecided = plan.status === 'proposed' || plan.status === 'needs_review';
  const headline = headlineOf(call, facts.now);
  const fits = headline.length <= maxHeadline;
  const notes = [undecided ? '' : stepWords[status], after, ...notesOf(step, facts)];
  return {
    id: step.id,
    lead: leadOf(label, guarded, call.destructive),
    headline: fits ? headline : cutShown(headline, maxHeadline),
    marks: marksOf(call).map((mark) => markWords[mark]),
    note: notes.filter((text) => text !== '').join(' · '),
    quotes: quotesOf(step, plan),
    parts: [
      ...(fits ? [] : [{ label: 'in full', text: headline, inline: false }]),
      ...wholeParts(call),
    ],
    matters: reviewRank(call, guarded) > 0,
  };
}

/** The first entry. */
function agreedOf({
  terms,
}: PlanCardFacts): Omit<ReviewStep, 'place' | 'continued' | 'continues'>[] {
  if (terms.length === 0) return [];
  const text = terms.map(showWhole).join('\n');
  const parts = [{ label: 'terms', text, inline: terms.length === 1 }];
  return [
    {
      id: '',
      lead: '',
      headline: 'Also part of this approval',
      marks: [],
      note: '',
      quotes: [],
      parts,
      matters: true,
    },
  ];
}

function lengthOf(step: Pick<ReviewStep, 'headline' | 'note' | 'quotes' | 'parts'>): number {
  const values = step.parts.map(({ label, text }) => partCost + label.length + text.length);
  const quoted = step.quotes.reduce((sum, one) => sum + drawQuote(one).length, 0);
  return values.reduce(
    (sum, one) => sum + one,
    stepCost + step.headline.length + step.note.length + quoted,
  );
}

/** Distance to look for a word's end. */
const lookBack = 60;

/** Never inside a character. */
export function boundary(text: string, at: number): number {
  const blank = text.slice(at - lookBack, at).search(/\s\S*$/u);
  if (blank >= 0) return at - lookBack + blank + 1;
  return /[\udc00-\udfff]/.test(text.charAt(at)) ? at - 1 : at;
}

/** Fewest characters worth starting on a page. */
const leastOfValue = 100;
/** One more, so that empty values count. */
const sizeOf = ({ text }: WholePart) => text.length + 1;

/** @returns the values, and where they end */
function sliceParts(
  parts: WholePart[],
  skip: number,
  budget: number,
): { parts: WholePart[]; to: number } {
  const kept: WholePart[] = [];
  let start = 0;
  let to = skip;
  let left = budget;
  for (const part of parts) {
    const end = start + sizeOf(part);
    if (end > skip) {
      const { label, text } = part;
      const from = Math.max(0, skip - start);
      left -= partCost + label.length;
      if (left < leastOfValue && kept.length > 0) break;
      const room = Math.max(left, leastOfValue);
      const until = text.length - from <= room ? text.length : boundary(text, from + room);
      const whole = from === 0 && until === text.length;
      kept.push({ ...part, text: text.slice(from, until), inline: part.inline && whole });
      to = until === text.length ? end : start + until;
      if (to < end) break;
      left -= until - from;
    }
    start = end;
  }
  return { parts: kept, to };
}

/**
 * Numbered plans in order; larger ones begin with calls to review.
 * @param cursor empty for the first page @throws errors of the service
 */
export async function readReview(
  service: Pick<Service, 'listSteps'>,
  facts: PlanCardFacts,
  cursor: string,
  budget: number,
): Promise<ReviewPage> {
  const { plan } = facts;
  const start = readStart(cursor);
  const small = plan.total_steps <= maxNumbered;
  const read = await service.listSteps(plan.id, {
    order: 'review',
    limit: stepsRead,
    ...(start.page === '' ? {} : { cursor: start.page }),
  });
  const inPlace = small ? read.steps.toSorted((a, b) => a.position - b.position) : read.steps;
  const entries = [
    ...(start.page === '' ? agreedOf(facts) : []),
    ...orderByLabel(inPlace, plan.total_steps).map((one) => toReviewStep(one, facts)),
  ];
  const steps: ReviewStep[] = [];
  let left = budget;
  for (const [index, whole] of entries.entries()) {
    if (index < start.index) continue;
    const skip = index === start.index ? start.skip : 0;
    const here = { ...start, index, skip };
    const length = lengthOf(whole);
    if (steps.length > 0 && length > left) return { steps, next: writeStart(here) };
    const { parts, to } = sliceParts(whole.parts, skip, left);
    const continues = to < whole.parts.reduce((sum, part) => sum + sizeOf(part), 0);
    const found = small ? facts.steps.findIndex(({ id }) => id === whole.id) : -1;
    const place = found < 0 ? null : found;
    steps.push({ ...whole, parts, continued: skip > 0, continues, place });
    if (continues) return { steps, next: writeStart({ ...here, skip: to }) };
    left -= length;
  }
  const { next_cursor } = read;
  return {
    steps,
    next: next_cursor === null ? null : writeStart({ page: next_cursor, index: 0, skip: 0 }),
  };
}
