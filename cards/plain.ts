// Untrusted text made fit for a line that people read: nothing invisible can change what it seems to say,
// and cutting never splits what a reader sees as one character.

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/**
 * Controls, direction overrides and isolates, zero-width and invisible letters: what could hide or reorder the rest. What joins
 * letters and emoji stays, and so do the tags that make a flag of 🏴.
 */
const hidden =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: controls are what this looks for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb]|[\u{e0000}-\u{e007f}](?<!\u{1f3f4}[\u{e0020}-\u{e007f}]*)/gu;
const rightToLeft =
  /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** `text` on one line, well-formed, with every hidden control made visible as `�`. */
export function cleanLine(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\t ]*[\r\n\u2028\u2029\t]+[\t ]*/gu, ' ')
    .replace(hidden, '�')
    .trim();
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
