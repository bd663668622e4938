// Lays views out for Slack as rich text, which it never parses.
import { cutShown } from '#domain/shown-text.ts';
import { confirmOf } from './buttons.ts';
import { isBinding } from './findings.ts';
import { describeField } from './form-fields.ts';
import { platformLimits } from './limits.ts';
import { drawQuote, escapeMrkdwn } from './plain.ts';
import { moreTasks } from './tasks.ts';
import { drawPlainText, drawText, moreLines } from './text.ts';
import {
  type AnyPress,
  type Ask,
  type Button,
  type CardView,
  keyOf,
  type Line,
  type PlanView,
  type Quote,
  type Section,
  type SectionKind,
  type SessionView,
  type TaskList,
  type TextView,
} from './view.ts';
import { andMore } from './words.ts';

type Run = {
  type: 'text' | 'link';
  text: string;
  url: string | null;
  style: { bold?: true; italic?: true } | null;
};

function run(text: string, style: Run['style'] = null, url: string | null = null): Run {
  return { type: url === null ? 'text' : 'link', text, url, style };
}

const bold = { bold: true } as const;
const italic = { italic: true } as const;

/** Slack rejects empty ones. */
function fitRuns(runs: Run[]): Run[] {
  let left: number = platformLimits.slack.sectionText;
  const kept: Run[] = [];
  for (const item of runs.filter(({ text }) => text !== '')) {
    const text = cutShown(item.text, left);
    if (text === '') break;
    kept.push({ ...item, text });
    left -= text.length;
  }
  return kept;
}

function joinLines(runs: Run[]): Run[] {
  return runs
    .filter(({ text }) => text !== '')
    .map((one, index) => (index === 0 ? one : { ...one, text: `\n${one.text}` }));
}

/** Trees are indented instead. */
function needsBullets({ kind, lines }: Section): boolean {
  return kind !== 'outline' && lines.length > 1 && lines.every(({ lead }) => lead === '');
}

const indent = '\u2003\u2002';

function quoteRuns(quotes: Quote[], before: string): Run[] {
  return quotes.map((one) => run(`\n${before}${drawQuote(one)}`));
}

function lineRuns({ lead, text, note, quotes, url }: Line): Run[] {
  return [
    run('\n'),
    run(lead === '' ? '' : `${lead}  `),
    run(text, null, url),
    run(note === '' ? '' : ` · ${note}`, italic),
    ...quoteRuns(quotes, indent),
  ];
}

function sectionRuns(section: Section, link: string | null): Run[] {
  const all = section.all === '' ? [] : [run('  '), run(section.all, null, link)];
  const lines = needsBullets(section)
    ? section.lines.map((line) => ({ ...line, lead: '•' }))
    : section.lines;
  const body =
    section.inline === ''
      ? [...lines.flatMap(lineRuns), run(section.more === '' ? '' : `\n${section.more}`, italic)]
      : [run('\n'), run(section.inline)];
  return [run(section.label, bold), ...body, ...all];
}

/** Otherwise omissions must be counted. */
export function holdsEffects({ sections, link }: CardView): boolean {
  return sections.every((section) => {
    if (!isBinding(section)) return true;
    const length = sectionRuns(section, link).reduce((sum, { text }) => sum + text.length, 0);
    return length <= platformLimits.slack.sectionText;
  });
}

/** Slack requires distinct IDs for buttons of one action. */
function suffixOf(press: AnyPress, index: number): string {
  if ('finding_id' in press && press.finding_id !== undefined) return `:${press.finding_id}`;
  if ('step_id' in press && press.step_id !== undefined) return `:${press.step_id}`;
  return 'choice' in press && press.choice !== undefined ? `:${index}` : '';
}

function dressButton(button: Button<AnyPress>, index: number) {
  const { press } = button;
  const confirm = confirmOf(button);
  return {
    label: cutShown(button.label, platformLimits.slack.buttonText),
    action_id: cutShown(
      `countersign:${press.action}${suffixOf(press, index)}`,
      platformLimits.slack.id,
    ),
    value: JSON.stringify(press),
    style: button.style === 'primary' ? 'primary' : null,
    confirm:
      confirm === null
        ? null
        : {
            title: plain(cutShown(`${button.label}?`, platformLimits.slack.confirmTitle)),
            text: plain(cutShown(confirm.text, platformLimits.slack.confirmText)),
            confirm: plain(cutShown(confirm.submit, platformLimits.slack.confirmButton)),
            deny: plain(button.confirm === null ? 'Not yet' : 'Keep it'),
          },
  };
}

function plain(text: string) {
  return { type: 'plain_text', text, emoji: false };
}

function askRuns(ask: Ask<AnyPress>): Run[] {
  return [
    run(`${ask.label}: `, bold),
    run(ask.text, bold),
    ...quoteRuns(ask.quotes, ''),
    ...ask.known.map((line) => run(`\n${line}`)),
    ...ask.fields.map((field) => run(`\n• ${describeField(field)}`)),
  ];
}

function dressAsk(whole: Ask<AnyPress>, index: number) {
  const length = askRuns(whole).reduce((sum, { text }) => sum + text.length, 0);
  const ask = length > platformLimits.slack.sectionText ? { ...whole, ...whole.short } : whole;
  return {
    block: `ask:${index}`,
    runs: fitRuns(askRuns(ask)),
    buttons: ask.buttons.map((button, at) => dressButton(button, at)),
  };
}

/** Replaced by the task list. */
const inTaskList = new Set<SectionKind>(['running', 'next']);

const richText = (text: string) => ({
  type: 'rich_text',
  elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text }] }],
});

/** https://docs.slack.dev/reference/block-kit/blocks/plan-block */
function dressTasks(list: TaskList) {
  return {
    title: cutShown(list.title, platformLimits.slack.taskTitle),
    more: moreTasks(list),
    rows: list.tasks.map(({ id, title, status, note }, index) => ({
      // Our IDs may exceed Slack's limit.
      id: cutShown(`${index}:${id}`, platformLimits.slack.id),
      title: cutShown(title, platformLimits.slack.taskTitle),
      status,
      details: note === '' || status === 'complete' ? null : richText(note),
      output: note !== '' && status === 'complete' ? richText(note) : null,
    })),
  };
}

/** Data of `slack/plan.json`. @param withPlan draw tasks as Slack's `plan` block */
export function dressCardForSlack(view: PlanView | SessionView, withPlan = false) {
  const { state, progress } = view;
  const tasks = withPlan ? view.tasks : null;
  // The task list shows progress.
  const bar = progress === null || tasks !== null ? '' : progress.text;
  const sections =
    tasks === null ? view.sections : view.sections.filter(({ kind }) => !inTaskList.has(kind));
  const first = `${state.symbol} ${state.words}`;
  return {
    block: keyOf(view),
    title: cutShown(view.title, platformLimits.slack.headerText),
    state: fitRuns([run(first, bold), run(state.line.slice(first.length))]),
    asks: view.asks.map((ask, index) => dressAsk(ask, index)),
    asks_more: andMore(view.asks_more),
    body: fitRuns(
      joinLines([
        run(view.sentence),
        ...view.quotes.map((one) => run(drawQuote(one))),
        run(bar),
        run(progress?.pace ?? '', italic),
      ]),
    ),
    tasks: tasks === null ? null : dressTasks(tasks),
    sections: sections.map((section) => ({
      block: section.kind,
      runs: fitRuns(sectionRuns(section, view.link)),
    })),
    small: [view.approvals, view.facts].filter((text) => text !== '').join('\n'),
    buttons: view.buttons.map((button, index) => dressButton(button, index)),
  };
}

/** Data of `slack/notice.json` and `slack/question.json`. */
export function dressTextForSlack(view: TextView) {
  return {
    heading: cutShown(view.heading, platformLimits.slack.headerText),
    paragraphs: view.paragraphs.map((text, i) => ({
      block: `text:${i}`,
      text: cutShown(text, platformLimits.slack.sectionText),
    })),
    more: moreLines(view.more),
    link: view.link,
  };
}

const sizeOf = (text: string) => new TextEncoder().encode(text).length;

/** Escaped, for notifications and screen readers. */
export function fallbackFor(view: PlanView | SessionView | TextView): string {
  const text = 'paragraphs' in view ? drawPlainText(view) : drawText(view);
  const atMost = platformLimits.slack.fallbackBytes;
  let escaped = escapeMrkdwn(cutShown(text, atMost));
  // Cut before escaping, never inside an escape; one takes up to five bytes.
  for (let kept = atMost, bytes = sizeOf(escaped); bytes > atMost; bytes = sizeOf(escaped)) {
    kept = Math.min(kept, text.length) - Math.ceil((bytes - atMost) / 5);
    escaped = escapeMrkdwn(cutShown(text, kept));
  }
  return escaped;
}
