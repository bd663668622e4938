import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  cleanLine,
  cutShown,
  cutText,
  escapeJson,
  hidesSomething,
  isolateText,
  quoteName,
  quoteWords,
  showExact,
  showLine,
  showString,
  showTitle,
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
    ['two\nlines', 'two↵lines'],
    ['typed ↵ and \\n', 'typed \\u{21B5} and \\n'],
    ['a\u202Etxt.exe', 'a\\u{202E}txt.exe'],
    ['zero\u200bwidth', 'zero\\u{200B}width'],
    ['p\u0430yroll.csv', 'p\\u{430}yroll.csv'],
    ['no\u00a0break', 'no\\u{A0}break'],
    ['typed \\u{202E}', 'typed \\\\u{202E}'],
    ['👩‍💻.md', '👩‍💻.md'],
    ['отчёт.md', 'отчёт.md'],
    ['a\u{1d173}b\u{1d17a}', 'a\\u{1D173}b\\u{1D17A}'],
    ['a\u2800b', 'a\\u{2800}b'],
    ['a\u{1d159}\u{13441}b', 'a\\u{1D159}\\u{13441}b'],
    ['a\u{e0080}\u{e01f0}', 'a\\u{E0080}\\u{E01F0}'],
    ['\u3164\u115f\u180e', '\\u{3164}\\u{115F}\\u{180E}'],
    ['p\u0336a\u0336y', 'p\\u{336}a\\u{336}y'],
    ['a\ue000\u{f0000}\uffff', 'a\\u{E000}\\u{F0000}\\u{FFFF}'],
    ['x\ufe0f\u{e0100}', 'x\\u{FE0F}\\u{E0100}'],
    [`e${'\u0301'.repeat(6)}`, `e${'\u0301'.repeat(4)}\\u{301}\\u{301}`],
    ['a\u2028b\u2029c\td', 'a\\u{2028}b\\u{2029}c\\td'],
    ['1️⃣ 🏴󠁧󠁢󠁥󠁮󠁧󠁿.md', '1️⃣ 🏴󠁧󠁢󠁥󠁮󠁧󠁿.md'],
    ['नमस्ते กำลัง שָׁלוֹם', '\u2068नमस्ते กำลัง שָׁלוֹם\u2069'],
    ['https://аррӏе.com/login', 'https://аррӏе.com/login (xn--80ak6aa92e.com)'],
    ['ana@аррӏе.com', 'ana@аррӏе.com (xn--80ak6aa92e.com)'],
    ['https://xn--80ak6aa92e.com/', 'https://xn--80ak6aa92e.com/'],
    ['a.txt · asks before it runs', '"a.txt · asks before it runs"'],
  ])('%j as %s', (text, shown) => {
    expect(showExact(text)).toBe(shown);
  });
});

describe('quoting what others say', () => {
  it.each([
    ['done” · guarded by Ana', '“done’ \\u{B7} guarded by Ana”'],
    ['say "yes" · “no”', "“say 'yes' \\u{B7} ‘no’”"],
    ['ok\n 2. Sends nothing', '“ok 2. Sends nothing”'],
    ['see https://аррӏе.com', '“see https://аррӏе.com” (xn--80ak6aa92e.com)'],
    [' \u200b', '“\\u{200B}”'],
    ['  ', ''],
  ])('%j as %s', (text, shown) => {
    expect(quoteWords(text, 200)).toBe(shown);
  });

  it.each([
    ['Ana', 'Ana'],
    ['Ana de la Cruz', 'Ana de la Cruz'],
    ['slack:U012AB3CD', 'slack:U012AB3CD'],
    ['approved by Ana', '“approved by Ana”'],
    ['✓', '“✓”'],
    ['Ana · guarded', '“Ana \\u{B7} guarded”'],
    ['Ana, 14:02', '“Ana, 14:02”'],
  ])('a name: %s as %s', (name, shown) => {
    expect(quoteName(name, 200)).toBe(shown);
  });

  it.each([
    ['Standup note, archived', 'Standup note, archived'],
    ['✓ Approved by Ana', '“✓ Approved by Ana”'],
    ['digest 3f9a1c20', '“digest 3f9a1c20”'],
    ['Notes · version 2', '“Notes \\u{B7} version 2”'],
  ])('a title: %s as %s', (title, shown) => {
    expect(showTitle(title, 200)).toBe(shown);
  });

  it('is bounded in time, whatever is said', () => {
    for (const text of ['“', ' ·', '@', '//', '\u0301', '\u{e0041}', ' ', '\u200d'].map((one) =>
      one.repeat(60_000),
    )) {
      const start = performance.now();
      quoteWords(text, 200);
      quoteName(text, 200);
      showTitle(text, 200);
      expect(performance.now() - start).toBeLessThan(2000);
    }
  });
});

it.each([
  ['false', '"false"'],
  ['null', '"null"'],
  ['1', '"1"'],
  [' 1 ', '" 1 "'],
  ['1e5', '"1e5"'],
  ['{"a":1}', '"{\\"a\\":1}"'],
  ['', '""'],
  ['yes', 'yes'],
  ['1.2.3', '1.2.3'],
])('a text that reads like another type stands in quotation marks: %j as %s', (text, shown) => {
  expect(showString(text)).toBe(shown);
});

it('JSON without hidden characters is the same JSON', () => {
  fc.assert(
    fc.property(fc.json({ stringUnit: 'binary' }), (json) => {
      const escaped = escapeJson(json);
      expect(JSON.parse(escaped)).toEqual(JSON.parse(json));
      expect(hidesSomething(escaped)).toBe(false);
    }),
  );
});
