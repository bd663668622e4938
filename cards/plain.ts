// Untrusted text made fit for a line that people read: nothing invisible can change what it seems to say,
// and cutting never splits what a reader sees as one character.

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Controls, direction overrides and isolates, zero-width spaces: what could hide or reorder the rest. */
const hidden =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: controls are what this looks for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu;
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

/** A shown line cut further, its isolation kept closed. */
export function cutShown(text: string, max: number): string {
  if (text.length <= max) return text;
  const bare = text.replace(/[\u2068\u2069]/gu, '');
  return bare.length === text.length ? cutText(text, max) : isolateText(cutText(bare, max - 2));
}
