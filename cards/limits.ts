// What each platform takes, as a table, and how a view is made to fit: fewer and shorter lines, never a refused message.
import { cutShown } from '#domain/shown-text.ts';
import { lengthOfAsk } from './ask-review.ts';
import { askForReview } from './buttons.ts';
import { isBinding, keepLines } from './lines.ts';
import { shrinkTasks } from './tasks.ts';
import type { AnyPress, Ask, CardView, Details, Quote, Section, TextView } from './view.ts';

/** https://docs.slack.dev/reference/block-kit; lengths in UTF-16 code units, which never undercounts. */
export const slackLimits = {
  blocks: 50,
  sectionText: 3000,
  headerText: 150,
  /** Elements of one actions block. */
  actions: 25,
  buttonText: 75,
  buttonValue: 2000,
  id: 255,
  confirmTitle: 100,
  confirmText: 300,
  confirmButton: 30,
  /** Elements of one context block. */
  contextElements: 10,
  /** Undocumented: above about 13,200 characters in all Slack answers `msg_blocks_too_long`. Measured here as JSON. */
  message: 13_000,
  /** The text beside the blocks, escaped, in bytes of UTF-8: `chat.update` takes 4,000, whatever a new message may have. */
  fallbackBytes: 3900,
  url: 3000,
  /** Of a task in a `plan` block: its name, and the block's own title. */
  taskTitle: 256,
  /** Windows and the Home tab. */
  viewBlocks: 100,
  viewTitle: 24,
  viewButton: 24,
  /** What a window remembers. */
  viewMetadata: 3000,
  inputLabel: 2000,
  placeholder: 150,
  inputText: 3000,
  /** Elements of a menu, and of one block of checkboxes. */
  options: 100,
  checkboxes: 10,
  optionText: 75,
  optionValue: 150,

  // Our own choices:
  /** Of long text that is posted in messages: characters of a section, which leaves room for their escapes, and their number. */
  pageText: 2900,
  pageSections: 4,
  pages: 10,
  pageTitle: 150,
  /**
   * Characters of a page of a review. With its layout that is a tenth of the 250 KB that Slack takes of a view, and in parts of
   * 3,000 characters a third of its 100 blocks; and nobody reads more before they turn the page.
   */
  reviewPage: 12_000,
  /** Characters of a page of what a person is asked to confirm. */
  askPage: 12_000,
  /** What fits one line of a form. */
  inputLine: 1000,
  /** Characters of a plan's record that is sent as a file; what is longer is for the API. */
  exportText: 20_000_000,
} as const;

/**
 * With everything around the card, some of it added by the connector:
 * https://learn.microsoft.com/microsoftteams/platform/bots/how-to/format-your-bot-messages
 */
const teamsMessage = 28 * 1024;

/** https://learn.microsoft.com/microsoftteams/platform/task-modules-and-cards; sizes in bytes of UTF-8 JSON. */
export const teamsLimits = {
  message: teamsMessage,
  /** Further ones go behind the overflow menu. */
  primaryActions: 6,
  actionTitle: 75,
  /** People for whom a card is drawn anew when they see it. */
  refreshUsers: 60,

  // Our own choices:
  /** Room in a message for what is not counted exactly. */
  around: 200,
  /** Characters of a page of what a person is asked to confirm. */
  askPage: 4000,
  /** Of a card that answers a press. */
  answer: teamsMessage - 1024,
  /** Of a card that is posted. */
  payload: teamsMessage - 3 * 1024,
  /** Characters in the list of chats and the feed of what is new. */
  summary: 300,
  /** Characters of a page of a review: three bytes each, and as many again for the layout. */
  reviewPage: 4000,
} as const;

/** Length as Slack would count it at worst. */
export function measureBlocks(blocks: unknown): number {
  return JSON.stringify(blocks).length;
}

/** Size as Teams counts it. */
export function measureCard(card: unknown): number {
  return Buffer.byteLength(JSON.stringify(card), 'utf8');
}

type Budget = { line: number; lines: number; sentence: number; asks: number; details: number };

/** From roomy to bare; the last keeps what a decision cannot do without: state, sentence, one ask, buttons. */
const budgets: Budget[] = [
  { line: 900, lines: 12, sentence: 500, asks: 10, details: 100 },
  { line: 140, lines: 8, sentence: 400, asks: 5, details: 60 },
  { line: 80, lines: 5, sentence: 300, asks: 3, details: 20 },
  { line: 60, lines: 2, sentence: 200, asks: 1, details: 0 },
  { line: 60, lines: 0, sentence: 150, asks: 1, details: 0 },
];

/** An ask that does not fit says how long it is and has to be opened: nothing of it is left out unnoticed. */
function shrinkAsk<P extends AnyPress>(ask: Ask<P>, { line }: Budget): Ask<P> {
  const { short } = ask;
  if (short !== undefined) return lengthOfAsk(ask) > line * 2 ? { ...ask, ...short } : ask;
  return {
    ...ask,
    text: cutShown(ask.text, line * 2),
    quotes: ask.quotes.map(({ by, words }) => ({ by, words: cutShown(words, line * 2) })),
    known: ask.known.map((text) => cutShown(text, line * 2)),
  };
}

/** Cut within its marks; a quote of which nothing is left goes whole. */
function shrinkQuotes(quotes: Quote[], { line, lines }: Budget): Quote[] {
  if (lines === 0) return [];
  return quotes.map(({ by, words }) => ({ by, words: cutShown(words, line) }));
}

function shrinkDetails(details: Details, budget: Budget): Details {
  const kept = details.lines.slice(0, budget.details);
  const hidden = details.lines.length - kept.length;
  return {
    ...details,
    lines: kept.map((line) => ({
      ...line,
      text: cutShown(line.text, budget.line),
      note: cutShown(line.note, budget.line),
      quotes: shrinkQuotes(line.quotes, budget),
    })),
    more: details.more + hidden,
  };
}

function shrinkSection(section: Section, budget: Budget): Section {
  const kept = keepLines(section, budget.lines);
  const lines = kept.lines.map((line) => ({
    ...line,
    text: cutShown(line.text, budget.line),
    note: cutShown(line.note, budget.line),
    quotes: shrinkQuotes(line.quotes, budget),
  }));
  const inline = kept.inline.length > budget.line * 8 ? '' : kept.inline;
  if (!isBinding(section)) return { ...kept, lines, inline };
  const cut =
    kept.lines.length < section.lines.length ||
    lines.some(({ text, note }, index) => {
      const whole = kept.lines[index];
      // A condition is part of the note.
      return text !== whole?.text || note !== whole.note;
    });
  return { ...kept, lines, inline, cut: cut || section.cut === true };
}

function shrinkView<P extends AnyPress, V extends CardView<P>>(view: V, budget: Budget): V {
  const asks = view.asks.slice(0, budget.asks);
  const dropped = view.asks.length - asks.length;
  const sections = view.sections.map((section) => shrinkSection(section, budget));
  return {
    ...view,
    title: cutShown(view.title, Math.min(300, budget.sentence)),
    sentence: cutShown(view.sentence, budget.sentence),
    quotes: view.quotes.map(({ by, words }) => ({ by, words: cutShown(words, budget.sentence) })),
    approvals: cutShown(view.approvals, budget.sentence),
    details:
      view.details === null || budget.details === 0 ? null : shrinkDetails(view.details, budget),
    asks: asks.map((ask) => shrinkAsk(ask, budget)),
    asks_more: view.asks_more + dropped,
    tasks: view.tasks === null ? null : shrinkTasks(view.tasks, budget.lines * 2, budget.line),
    sections,
    buttons: sections.some(({ cut }) => cut === true) ? askForReview(view.buttons) : view.buttons,
  };
}

/** The first drawing of `view` that `fits`, made smaller step by step. The last one is taken as it is. */
export function fitCard<P extends AnyPress, V extends CardView<P>, T>(
  view: V,
  draw: (view: V) => T,
  fits: (drawn: T) => boolean,
): T {
  let drawn = draw(view);
  for (const budget of budgets) {
    if (fits(drawn)) return drawn;
    drawn = draw(shrinkView<P, V>(view, budget));
  }
  return drawn;
}

/** The same for text: paragraphs go from the end, and the rest is counted. */
export function fitText<T>(
  view: TextView,
  draw: (view: TextView) => T,
  fits: (drawn: T) => boolean,
): T {
  let keep = view.paragraphs.length;
  let drawn = draw(view);
  while (!fits(drawn) && keep > 1) {
    keep = Math.max(1, Math.floor(keep * 0.8));
    drawn = draw({
      ...view,
      paragraphs: view.paragraphs.slice(0, keep),
      more: view.more + view.paragraphs.length - keep,
    });
  }
  return drawn;
}
