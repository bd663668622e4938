// Platform limits, and how views shrink to fit them.
import { cutShown } from '#domain/shown-text.ts';
import { lengthOfAsk } from './ask-review.ts';
import { askForReview } from './buttons.ts';
import { isBinding, keepLines } from './findings.ts';
import { shrinkTasks } from './tasks.ts';
import type { AnyPress, Ask, CardView, Details, Quote, Section, TextView } from './view.ts';

/**
 * The whole message, connector's parts included:
 * https://learn.microsoft.com/microsoftteams/platform/bots/how-to/format-your-bot-messages
 */
const teamsMessage = 28 * 1024;

export const platformLimits = {
  /** https://docs.slack.dev/reference/block-kit; UTF-16 code units never undercount. */
  slack: {
    blocks: 50,
    sectionText: 3000,
    headerText: 150,
    /** Per actions block. */
    actions: 25,
    buttonText: 75,
    id: 255,
    confirmTitle: 100,
    confirmText: 300,
    confirmButton: 30,
    /** Undocumented: from about 13,200 characters Slack answers `msg_blocks_too_long`. Measured as JSON. */
    message: 13_000,
    /** Escaped, in UTF-8 bytes: `chat.update` accepts 4,000, less than new messages. */
    fallbackBytes: 3900,
    url: 3000,
    /** Task name and title of a `plan` block. */
    taskTitle: 256,
    /** `data_table` rows without header; `characters` of all tables in a message. `page` is ours. */
    table: { rows: 100, characters: 10_000, page: 10 },
    /** Windows and the Home tab. */
    viewBlocks: 100,
    viewTitle: 24,
    viewButton: 24,
    viewMetadata: 3000,
    inputLabel: 2000,
    placeholder: 150,
    inputText: 3000,
    /** Per menu or block of checkboxes. */
    options: 100,
    checkboxes: 10,
    optionText: 75,
    optionValue: 150,

    // Our own choices:
    /** Per section of a long text, with room for escapes. */
    pageText: 2900,
    pageSections: 4,
    pages: 10,
    pageTitle: 150,
    /** A tenth of Slack's 250 KB per view with layout, and a third of its 100 blocks. */
    reviewPage: 12_000,
    askPage: 12_000,
    inputLine: 1000,
    /** Longer records need the API. */
    exportText: 20_000_000,
  },
  /** https://learn.microsoft.com/microsoftteams/platform/task-modules-and-cards; bytes of UTF-8 JSON. */
  teams: {
    message: teamsMessage,
    actionTitle: 75,
    /** For whom a card is redrawn when viewed. */
    refreshUsers: 60,

    // Our own choices:
    /** A phone clips a fourth. */
    buttonsPerRow: 3,
    /** Allowance for what isn't counted exactly. */
    around: 200,
    askPage: 4000,
    /** A card that answers a press. */
    answer: teamsMessage - 1024,
    /** Posted. */
    payload: teamsMessage - 3 * 1024,
    /** In the chat list and activity feed. */
    summary: 300,
    /** Three bytes each, and as many again for layout. */
    reviewPage: 4000,
  },
} as const;

/** Upper bound of Slack's count. */
export function measureBlocks(blocks: unknown): number {
  return JSON.stringify(blocks).length;
}

/** Size as Teams counts it. */
export function measureCard(card: unknown): number {
  return Buffer.byteLength(JSON.stringify(card), 'utf8');
}

type Budget = { line: number; lines: number; sentence: number; asks: number; details: number };

/** From roomy to state, sentence, one ask and buttons. */
const budgets: Budget[] = [
  { line: 900, lines: 12, sentence: 500, asks: 10, details: 100 },
  { line: 140, lines: 8, sentence: 400, asks: 5, details: 60 },
  { line: 80, lines: 5, sentence: 300, asks: 3, details: 20 },
  { line: 60, lines: 2, sentence: 200, asks: 1, details: 0 },
  { line: 60, lines: 0, sentence: 150, asks: 1, details: 0 },
];

/** Shows only the length and must be opened. */
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

/** Cut inside the quotation marks. */
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

/** Shrinks until `fits`, else the smallest. */
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

/** Drops and counts last paragraphs. */
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
