// Asks in full: shortened on a card, paged when opened.
import type { CardPress } from '#domain/chat/card.ts';
import { cutShown } from '#domain/shown-text.ts';
import { countOf } from '#domain/words.ts';
import { makeButton } from './buttons.ts';
import { drawQuote } from './plain.ts';
import type { AnyPress, Ask, Button, PlanView } from './view.ts';

const maxShort = 120;

/** Offered only once everything was shown. */
export const agreeing = new Set<CardPress['action']>(['settle_retry', 'settle_done', 'approve']);

const linesOfAsk = ({ text, quotes, known }: Pick<Ask<AnyPress>, 'text' | 'quotes' | 'known'>) => [
  text,
  ...quotes.map(drawQuote),
  ...known,
];

/** Characters. */
export function lengthOfAsk(ask: Pick<Ask<AnyPress>, 'text' | 'quotes' | 'known'>): number {
  return linesOfAsk(ask).reduce((sum, line) => sum + line.length, 0);
}

const isDecision = ({ kind }: Ask) => ['confirm', 'change', 'yes_no'].includes(kind);

/** Adds a short form. @param review opens all of it */
export function withReview(ask: Ask, review: CardPress): Ask {
  const decides = isDecision(ask);
  const others = ask.buttons.filter(({ press }) => !(decides && agreeing.has(press.action)));
  return {
    ...ask,
    short: {
      text: cutShown(ask.text, maxShort),
      quotes: [],
      known: [`${countOf(lengthOfAsk(ask), 'character')}. Open Review to read all of it.`],
      buttons: [makeButton(review, 'Review', { style: decides ? 'primary' : 'plain' }), ...others],
    },
  };
}

export type AskReview = {
  label: string;
  decides: boolean;
  lines: string[];
  buttons: Button[];
  /** Null on the last page. */
  next: string | null;
};

function isAbout(ask: Ask, press: CardPress): boolean {
  const review = ask.short?.buttons[0]?.press;
  return (
    review !== undefined &&
    press.action === 'details' &&
    review.step_id === press.step_id &&
    review.attempt === press.attempt &&
    review.version === press.version &&
    review.digest === press.digest
  );
}

const linesOfPage = 60;

/** At a line break, or inside a line longer than a page. */
function endOfPage(whole: string, from: number, budget: number): number {
  let end = from;
  for (let lines = 0; lines < linesOfPage; lines++) {
    const at = whole.indexOf('\n', end);
    const next = at < 0 ? whole.length : at + 1;
    if (next - from > budget) break;
    end = next;
    if (at < 0) break;
  }
  if (end > from) return end;
  const cut = Math.min(from + budget, whole.length);
  return /[\udc00-\udfff]/.test(whole.charAt(cut)) ? cut - 1 : cut;
}

/**
 * @param cursor empty for the first page
 * @returns null if it is no longer asked, or the press is about the whole plan
 */
export function reviewAsk(
  view: PlanView,
  press: CardPress,
  cursor: string,
  budget: number,
): AskReview | null {
  const ask = view.asks.find((one) => isAbout(one, press));
  if (ask === undefined) return null;
  const whole = linesOfAsk(ask).join('\n');
  const from = Math.min(Number(/^\d{1,9}$/.exec(cursor)?.[0] ?? 0), whole.length);
  const to = endOfPage(whole, from, budget);
  const last = to >= whole.length;
  const lines = whole.slice(from, to).replace(/\n$/, '').split('\n');
  return {
    label: ask.label,
    decides: isDecision(ask),
    lines,
    buttons: last ? ask.buttons : [],
    next: last ? null : String(to),
  };
}

/** As its own card, in place of the plan's. */
export function viewAskPage(
  view: PlanView,
  press: CardPress,
  cursor: string,
  budget: number,
): PlanView | null {
  const page = reviewAsk(view, press, cursor, budget);
  const ask = view.asks.find((one) => isAbout(one, press));
  if (page === null || ask === undefined) return null;
  const { short: _, ...rest } = ask;
  const [text = '', ...known] = page.lines;
  const more = { ...press, pages: [page.next ?? ''] };
  const buttons =
    page.next === null ? page.buttons : [makeButton(more, 'More', { style: 'primary' })];
  const fields = page.next === null ? ask.fields : [];
  const note = page.next === null ? ask.note : null;
  return {
    ...view,
    asks: [{ ...rest, text, quotes: [], known, fields, note, buttons }],
    asks_more: 0,
    sentence: '',
    quotes: [],
    progress: null,
    sections: [],
    buttons: view.buttons.filter((button) => button.press.action === 'details'),
  };
}
