// A review's calls as Slack blocks, never parsed. Pure.
import { windowWords } from './chat-words.ts';
import { type Evidence, evidenceLabel } from './evidence.ts';
import { type Drawn, expandBlocks, findTemplate } from './expand.ts';
import { platformLimits } from './limits.ts';
import { drawQuote } from './plain.ts';
import { boundary, type ReviewStep } from './review.ts';
import { andMore } from './words.ts';

const template = findTemplate('slack/review.json');

type Style = { bold?: true; italic?: true; code?: true };
type Run = { text: string; style: Style | null };

const bold: Style = { bold: true };
const italic: Style = { italic: true };
const code: Style = { code: true };

/** To split at a line break. */
const lookBack = 500;

function splitText(text: string): string[] {
  const parts: string[] = [];
  let rest = text;
  while (rest.length > platformLimits.slack.sectionText) {
    const atMost = platformLimits.slack.sectionText;
    const lineEnd = rest.lastIndexOf('\n', atMost - 1) + 1;
    const at = lineEnd > atMost - lookBack ? lineEnd : boundary(rest, atMost);
    parts.push(rest.slice(0, at));
    rest = rest.slice(at);
  }
  return [...parts, rest];
}

function run(text: string, style: Style | null = null): Run[] {
  return text === '' ? [] : splitText(text).map((part) => ({ text: part, style }));
}

const lengthOf = (runs: Run[]) => runs.reduce((sum, { text }) => sum + text.length, 0);

/** As many as Slack accepts. */
function gather<T>(items: T[], sizeOf: (item: T) => number): T[][] {
  const groups: T[][] = [];
  let size = 0;
  for (const item of items) {
    const last = groups.at(-1);
    size += sizeOf(item);
    if (last !== undefined && size <= platformLimits.slack.sectionText) {
      last.push(item);
      continue;
    }
    groups.push([item]);
    size = sizeOf(item);
  }
  return groups;
}

type Sized = {
  element: { type: 'rich_text_section' | 'rich_text_preformatted'; runs: Run[] };
  size: number;
};

function sections(runs: Run[]): Sized[] {
  return gather(runs, ({ text }) => text.length).map((together) => ({
    element: { type: 'rich_text_section', runs: together },
    size: lengthOf(together),
  }));
}

function preformatted(text: string): Sized[] {
  return run(text).map((one) => ({
    element: { type: 'rich_text_preformatted', runs: [one] },
    size: one.text.length,
  }));
}

function pack(elements: Sized[]): Sized[][] {
  return gather(elements, ({ size }) => size);
}

const draw = (blocks: Sized[][]): Drawn[] =>
  expandBlocks(template, {
    blocks: blocks.map((group) => ({ elements: group.map(({ element }) => element) })),
  });

export function drawReviewLine(text: string, note = ''): Drawn[] {
  return draw(pack(sections([...run(text, bold), ...run(note === '' ? '' : `  ${note}`, italic)])));
}

type Inline = { type: 'text' | 'link'; text: string; url?: string; style?: Style };

const maxReads = 20;

/** Windows have no tables. */
export function drawEvidence(reads: Evidence[]): Drawn[] {
  const lines = reads.slice(0, maxReads).flatMap(({ what, url }): Inline[] => {
    const at = url === null ? -1 : what.indexOf(url);
    if (url === null || at < 0) return [{ type: 'text', text: `\n${what}` }];
    return [
      { type: 'text', text: `\n${what.slice(0, at)}` },
      { type: 'link', text: url, url },
      { type: 'text', text: what.slice(at + url.length) },
    ];
  });
  const rest = andMore(reads.length - maxReads);
  const elements: Inline[] = [
    { type: 'text', text: evidenceLabel, style: bold },
    ...lines,
    { type: 'text', text: rest === '' ? '' : `\n${rest}` },
  ];
  const filled = elements.filter(({ text }) => text !== '');
  return [{ type: 'rich_text', elements: [{ type: 'rich_text_section', elements: filled }] }];
}

function drawStep(step: ReviewStep): Sized[] {
  const { lead, headline, marks, note, quotes, parts, matters, continued, continues } = step;
  const drawn: Sized[] = [];
  let line: Run[] = [
    ...run(`${lead}  ${headline}`, matters ? bold : null),
    ...marks.flatMap((mark) => [...run('  '), ...run(mark, code)]),
    ...run(continued ? ` ${windowWords.review.continued}` : '', italic),
    ...run(note === '' ? '' : `\n${note}`, italic),
    ...quotes.flatMap((one) => run(`\n${drawQuote(one)}`)),
  ];
  const lineBreak = () => run(line.length === 0 ? '' : '\n');
  for (const { label, text, inline } of parts) {
    line.push(...lineBreak(), ...run(`│ ${label}:`));
    if (inline && text !== '') line.push(...run(` ${text}`));
    else if (text === '') line.push(...run(` ${windowWords.review.empty}`, italic));
    else {
      drawn.push(...sections(line), ...preformatted(text));
      line = [];
    }
  }
  if (continues) line.push(...lineBreak(), ...run(windowWords.review.continues, italic));
  return [...drawn, ...sections(line)];
}

/** In full; reads are subdued. */
export function drawReviewSteps(steps: ReviewStep[]): Drawn[] {
  return draw(steps.flatMap((step) => pack(drawStep(step))));
}
