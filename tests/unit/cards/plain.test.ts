import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  cleanLine,
  cutShown,
  cutText,
  isolateText,
  showExact,
  showLine,
} from '#domain/shown-text.ts';

const graphemes = (text: string) =>
  [...new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(text)].map(
    ({ segment }) => segment,
  );

describe('cutting text', () => {
  it.each([
    ['exactly as long', 'abcde', 5, 'abcde'],
    ['one longer', 'abcdef', 5, 'abcd…'],
    ['a family emoji that would be split', 'ab👨‍👩‍👧‍👦', 6, 'ab…'],
    ['an accent that would be split', 'abcdé'.normalize('NFD'), 5, 'abcd…'],
    ['one grapheme larger than everything', `e${'\u0301'.repeat(500)}`, 20, '…'],
    ['no room', 'abc', 0, ''],
  ])('%s', (_, text, max, expected) => {
    expect(cutText(text, max)).toBe(expected);
  });

  it('never exceeds its limit and never splits a grapheme', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 60 });
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 80 }), (whole, max) => {
        const cut = cutText(whole, max);
        expect(cut.length).toBeLessThanOrEqual(max);
        if (cut === whole) return;
        const kept = graphemes(cut.slice(0, -1));
        expect(graphemes(whole).slice(0, kept.length)).toEqual(kept);
      }),
    );
  });

  it('cuts 3,000 characters of description', () => {
    const shown = showLine('語👍🏽'.repeat(1000), 240);
    expect(shown.length).toBeLessThanOrEqual(240);
    expect(shown.endsWith('👍🏽…') || shown.endsWith('語…')).toBe(true);
  });
});

describe('cleaning text', () => {
  it('makes hidden controls visible and joins lines', () => {
    expect(cleanLine('a\u202Egpj.exe\nb\u0000\u001b[31m')).toBe(
      'a\\u{202E}gpj.exe b\\u{0}\\u{1B}[31m',
    );
  });

  it('keeps what joins emoji and letters', () => {
    expect(cleanLine('👩‍💻 می‌خواهم')).toBe('👩‍💻 می‌خواهم');
  });

  it('escapes a lone surrogate', () => {
    expect(cleanLine('a\ud800b')).toBe('a\\u{D800}b');
  });

  it('sets right-to-left text apart, and closes it when it is cut', () => {
    expect(isolateText('שלום')).toBe('\u2068שלום\u2069');
    expect(isolateText('hello')).toBe('hello');
    const cut = cutShown(showLine('שלום '.repeat(40), 200), 20);
    expect(cut.length).toBeLessThanOrEqual(20);
    expect(cut).toMatch(/^\u2068.*…\u2069$/u);
  });
});

describe('showing a value exactly', () => {
  it.each([
    ['a.txt ', '"a.txt "'],
    ['', '""'],
    ['two\nlines', 'two\\nlines'],
    ['a\u202Etxt.exe', 'a\\u{202E}txt.exe'],
    ['zero\u200bwidth', 'zero\\u{200B}width'],
    ['p\u0430yroll.csv', 'p\\u{430}yroll.csv'],
    ['no\u00a0break', 'no\\u{A0}break'],
    ['typed \\u{202E}', 'typed \\\\u{202E}'],
    ['👩‍💻.md', '👩‍💻.md'],
    ['отчёт.md', 'отчёт.md'],
  ])('%j as %s', (text, shown) => {
    expect(showExact(text)).toBe(shown);
  });
});
