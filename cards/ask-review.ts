// What a person is asked to settle, whole: in short where it does not fit a card, and page by page where it is opened.
import type { CardPress } from '#contracts/card.ts';
import { countOf } from '#contracts/words.ts';
import { makeButton } from './buttons.ts';
import { cutShown } from './plain.ts';
import type { AnyPress, Ask, Button, PlanView } from './view.ts';

const shortAtMost = 120;

/** What says yes: it stands only where all of what it is about has been shown. */
const agreeing = new Set<CardPress['action']>(['settle_retry', 'approve']);

/** Characters of what is asked. */
export function lengthOfAsk({ text, known }: Pick<Ask<AnyPress>, 'text' | 'known'>): number {
  return known.reduce((sum, line) => sum + line.length, text.length);
}

/**
 * `ask` with the form in which it is drawn where it does not fit.
 * @param review opens the whole of it
 */
export function withReview(ask: Ask, review: CardPress): Ask {
  const decides = ask.kind === 'confirm' || ask.kind === 'change';
  const others = ask.buttons.filter(({ press }) => !(decides && agreeing.has(press.action)));
  return {
    ...ask,
    short: {
      text: cutShown(ask.text, shortAtMost),
      known: [`${countOf(lengthOfAsk(ask), 'character')}, shown whole in Review.`],
      buttons: [makeButton(review, 'Review', { style: decides ? 'primary' : 'plain' }), ...others],
    },
  };
}

/** A page of what is asked. Its buttons stand on the last page only, where the reader has seen all of it. */
export type AskReview = {
  label: string;
  lines: string[];
  buttons: Button[];
  /** Asks for the next page; null: this is the last. */
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

/** A boundary that splits no character in two. */
function boundary(text: string, at: number): number {
  return /[\udc00-\udfff]/.test(text.charAt(at)) ? at - 1 : at;
}

/**
 * A page of the ask that a Review button is about, of at most `budget` characters (at least 2).
 * @param cursor empty for the first page
 * @returns null: nothing like it is asked any more, or the press is about the whole plan
 */
export function reviewAsk(
  view: PlanView,
  press: CardPress,
  cursor: string,
  budget: number,
): AskReview | null {
  const ask = view.asks.find((one) => isAbout(one, press));
  if (ask === undefined) return null;
  const whole = [ask.text, ...ask.known].join('\n');
  const from = Math.min(Number(/^\d{1,9}$/.exec(cursor)?.[0] ?? 0), whole.length);
  const rest = whole.length - from;
  if (rest <= budget)
    return {
      label: ask.label,
      lines: whole.slice(from).split('\n'),
      buttons: ask.buttons,
      next: null,
    };
  const line = whole.lastIndexOf('\n', from + budget);
  const to = line > from ? line + 1 : boundary(whole, from + budget);
  const lines = whole.slice(from, to).replace(/\n$/, '').split('\n');
  return { label: ask.label, lines, buttons: [], next: String(to) };
}
