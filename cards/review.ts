// A review: every call of a plan with its exact effect, page by page, however long a value is.
import type { PlanCardFacts } from '#domain/chat/card.ts';
import type { ShownStep } from '#domain/plan/call.ts';
import type { StepStatus } from '#domain/plan/plan.ts';
import { reviewRank } from '#domain/plan/review-rank.ts';
import { maxNumbered, type NumberedStep, orderByLabel } from '#domain/plan/step-numbers.ts';
import type { Service } from '#domain/service.ts';
import { cutShown, showWhole } from '#domain/shown-text.ts';
import { headlineOf, leadOf, marksOf, markWords, type WholePart, wholeParts } from './calls.ts';
import { drawQuote } from './quotes.ts';
import { notesOf, quotesOf } from './step-lines.ts';
import type { Quote } from './view.ts';

export type ReviewStep = {
  id: string;
  /** `3a 🛡` */
  lead: string;
  headline: string;
  /** Why to look twice: `cannot be undone`, `goes outside`. */
  marks: string[];
  /** Facts for the reader. */
  note: string;
  /** Others' words about it. */
  quotes: Quote[];
  parts: WholePart[];
  /** The beginning of its values stands on the page before. */
  continued: boolean;
  /** The rest of its values stands on the next page. */
  continues: boolean;
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
/** Characters of a headline; one that is longer is cut, and stands among the values as well, whole. */
const maxHeadline = 1000;
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

const stepWords: Record<StepStatus, string> = {
  pending: 'waiting for earlier steps',
  ready: 'ready',
  running: 'running',
  waiting: 'waiting for a person',
  succeeded: 'done',
  failed: 'failed',
  skipped: 'skipped',
  cancelled: 'cancelled',
  stale: 'out of date',
  unknown: 'outcome unknown',
};

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

/** What is agreed besides the steps, as the first entry of a review; none where nothing is. */
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
  const said = step.quotes.reduce((sum, one) => sum + drawQuote(one).length, 0);
  return values.reduce(
    (sum, one) => sum + one,
    stepCost + step.headline.length + step.note.length + said,
  );
}

/** How far back a page looks for the end of a word. */
const lookBack = 60;

/** Where to break a text of which `at` characters fit: after a word that ends shortly before, and never within a character. */
export function boundary(text: string, at: number): number {
  const blank = text.slice(at - lookBack, at).search(/\s\S*$/u);
  if (blank >= 0) return at - lookBack + blank + 1;
  return /[\udc00-\udfff]/.test(text.charAt(at)) ? at - 1 : at;
}

/** The least of a value that is worth a place on a page. */
const leastOfValue = 100;
/** Characters that a value counts as where a cursor says how many were shown: one more, so that an empty one counts too. */
const sizeOf = ({ text }: WholePart) => text.length + 1;

/** The values from character `skip` on, about `budget` characters of them. @returns them, and how far they go */
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
