// Words for people asked to act on a plan.
import type { Asked } from '#domain/chat/asked.ts';
import type { Notice } from '#domain/chat/message-parts.ts';
import { quoteName, quoteWords } from '#domain/shown-text.ts';
import { drawQuote, quote } from './plain.ts';

export const openCard = 'Open the card';

/** Follows the names on the card. */
export function sayAsked({ what }: Pick<Asked, 'what'>): string {
  switch (what) {
    case 'approve':
      return 'please approve or reject this.';
    case 'review':
      return 'please decide about this.';
    case 'change':
      return 'a change needs your approval.';
    case 'suggestion':
      return 'a change is suggested.';
    case 'task':
      return 'this is waiting for you.';
    case 'settle':
      return 'please say what happened.';
    default:
      return what satisfies never;
  }
}

type AskedNotice = Extract<Notice, { code: 'asked' }>;

const head = ({ what, plan_id, title, by: name }: AskedNotice): string => {
  const by = quoteName(name, 120);
  const plan = `${plan_id} ${quoteWords(title, 200)}`;
  switch (what) {
    case 'approve':
      return `${by} asks for your approval of ${plan}.`;
    case 'review':
      return `${plan}, asked for by ${by}, was rejected several times. Approve it, reject it or cancel it.`;
    case 'change':
      return `${by} wants to change ${plan}. It won’t run until someone approves it.`;
    case 'suggestion':
      return `${by} suggests a change to ${plan}. Use it or leave it.`;
    case 'task':
      return `${plan}, asked for by ${by}, is waiting for you.`;
    case 'settle':
      return `${plan} is on hold: the outcome of a step is unknown. Check whether it happened.`;
    default:
      return what satisfies never;
  }
};

export function tellAsked(notice: AskedNotice): string {
  return [head(notice), ...quote('', notice.text, 1000).map(drawQuote)].join('\n');
}
