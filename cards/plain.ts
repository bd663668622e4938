// Makes untrusted text and names safe to show: hidden characters are escaped, right-to-left text is isolated, cuts fall between
// graphemes.
import type { PlanCardFacts } from '#domain/chat/card.ts';
import type { PlanSummary } from '#domain/plan/plan.ts';

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

const pictograph = String.raw`[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f]`;
/** Scripts in which letters are joined or kept apart by zero-width signs. */
const joining = String.raw`[\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Mongolian}]`;

/**
 * Controls, direction overrides and isolates, zero-width and invisible characters, lone surrogates: what could hide or reorder
 * the rest. What joins emoji or the letters of scripts that need it stays, and so do the tags that make a flag of 🏴.
 */
const hidden = new RegExp(
  [
    String.raw`[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f]`,
    String.raw`[\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb\u{e0100}-\u{e01ef}\ud800-\udfff]`,
    String.raw`[\u{e0000}-\u{e007f}](?<!\u{1f3f4}[\u{e0020}-\u{e007f}]*)`,
    String.raw`[\u200c\u200d](?<!(?:${pictograph}|${joining})[\u200c\u200d])`,
    String.raw`[\ufe0e\ufe0f](?<![\p{Extended_Pictographic}0-9#*][\ufe0e\ufe0f])`,
  ].join('|'),
  'gu',
);
const rightToLeft =
  /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

function escapeCharacter(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16).toUpperCase()}}`;
}

/** Hidden characters as `\u{202E}`; a backslash that could be taken for the beginning of such an escape is doubled. */
function escapeHidden(text: string): string {
  return text.replace(/\\(?=u\{)/g, '\\\\').replace(hidden, escapeCharacter);
}

/** `text` on one line, with every hidden character escaped. */
export function cleanLine(text: string): string {
  return text
    .replace(/[\t ]*[\r\n\u2028\u2029\t]+[\t ]*/gu, ' ')
    .replace(hidden, escapeCharacter)
    .trim();
}

/** A text whole, lines and tabs kept, with every hidden character escaped. */
export function showText(text: string): string {
  return escapeHidden(text).replace(/[\u2028\u2029]/gu, escapeCharacter);
}

const latin = /\p{Script=Latin}/u;
const lookAlike =
  /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\uff01-\uff5e]/gu;
const oddSpace = /[\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/gu;
const breaks: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/**
 * A path, an address or another short value on one line, without any loss: breaks and unusual spaces are escaped, so are letters
 * of other scripts within a Latin word, and a value whose ends could not be seen stands in quotation marks.
 */
export function showExact(text: string): string {
  const escaped = escapeHidden(
    text.replace(/\\(?=[nrt"])/g, '\\\\').replace(/[\n\r\t]/g, (c) => breaks[c] ?? c),
  )
    .replace(oddSpace, escapeCharacter)
    .replace(/[^\s/.,:;@?&=#]+/gu, (word) =>
      latin.test(word) ? word.replace(lookAlike, escapeCharacter) : word,
    );
  const needsMarks = escaped === '' || /^ | $| {2}|^"|🛡|⟲/u.test(escaped);
  return isolateText(needsMarks ? `"${escaped.replaceAll('"', '\\"')}"` : escaped);
}

/**
 * `text` in at most `max` UTF-16 code units, ended by `…` when something was left out.
 * Cuts between graphemes, so an emoji or an accented letter stays whole.
 */
export function cutText(text: string, max: number): string {
  if (text.length <= max) return text;
  if (max < 1) return '';
  let kept = 0;
  for (const { segment } of graphemes.segment(text.slice(0, max + 64))) {
    if (kept + segment.length > max - 1) break;
    kept += segment.length;
  }
  return `${text.slice(0, kept).trimEnd()}…`;
}

/** Right-to-left text set apart, so that it cannot reorder the words around it. */
export function isolateText(text: string): string {
  return rightToLeft.test(text) ? `\u2068${text}\u2069` : text;
}

/** An untrusted line as it is shown: cleaned, cut to `max` code units, set apart where it must be. */
export function showLine(text: string, max: number): string {
  return isolateText(cutText(cleanLine(text), max));
}

/** The first lines of a shown text, the last of them cut. */
function cutLines(text: string, max: number): string {
  const kept: string[] = [];
  let left = max;
  for (const line of text.split('\n')) {
    if (line.length > left) {
      if (left > 2) kept.push(cutShown(line, left));
      break;
    }
    kept.push(line);
    left -= line.length + 1;
  }
  return kept.join('\n');
}

/** Shown text cut further; what was set apart in it stays so. */
export function cutShown(text: string, max: number): string {
  if (text.length <= max) return text;
  if (text.includes('\n')) return cutLines(text, max);
  if (!/[\u2068\u2069]/u.test(text)) return cutText(text, max);
  const cut = cutText(text, max - 1);
  const open = cut.split('\u2068').length - cut.split('\u2069').length;
  return open > 0 ? `${cut}\u2069` : cut;
}

/** Of a name with the account beside it, which says who it is. */
const shownAtMost = 120;

/** `name` as readers know it, on one line. @param atMost of a name that stands for itself */
export function showPerson(
  { names = {} }: Pick<PlanCardFacts, 'names'>,
  name: string,
  atMost: number,
): string {
  const shown = Object.hasOwn(names, name) ? names[name] : undefined;
  return shown === undefined ? showLine(name, atMost) : showLine(shown, shownAtMost);
}

/** Who asked for a plan, as a list has it. */
export function showRequester(plan: PlanSummary): string {
  const { asked_by: shown, requester } = plan;
  const name = shown === undefined ? showLine(requester, 60) : showLine(shown, shownAtMost);
  return name + throughAgent(plan);
}

/** ` through Claude Code`, where an agent proposed a plan for its requester, or asked for it. */
export function throughAgent({ agent }: Pick<PlanSummary, 'agent'>): string {
  return agent === undefined ? '' : ` through ${showLine(agent, 60)}`;
}

/**
 * For Slack's mrkdwn and its fallback text: `<!channel>` and `<@U…>` become plain characters.
 * https://docs.slack.dev/messaging/formatting-message-text#escaping
 */
export function escapeMrkdwn(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

const wordJoiner = '\u2060';

/** For Adaptive Cards: text runs know no markdown, but `{{DATE(…)}}` and `{{TIME(…)}}` are replaced in them too. */
export function escapeMacros(text: string): string {
  return text.replace(/\{\{(?=\s*(?:DATE|TIME)\b)/giu, `{${wordJoiner}{`);
}

/** Every string inside `value` changed by `change`; keys named in `except` are left as they are. */
export function mapStrings<T>(value: T, change: (text: string) => string, except: string[]): T {
  const walk = (node: unknown): unknown => {
    if (typeof node === 'string') return change(node);
    if (Array.isArray(node)) return node.map(walk);
    if (typeof node !== 'object' || node === null) return node;
    return Object.fromEntries(
      Object.entries(node).map(([key, item]) => [key, except.includes(key) ? item : walk(item)]),
    );
  };
  // The shape is kept; only strings are exchanged for strings.
  return walk(value) as T;
}
