// Detects legacy encodings, by chardet and, for short texts, character plausibility.
import { analyse } from 'chardet';
import iconv from 'iconv-lite';

/** With a prior. */
const likely: Record<string, number> = {
  'windows-1252': 0.25,
  'iso-8859-15': 0.2,
  'windows-1251': 0.1,
  'koi8-r': 0.1,
  shift_jis: 0.1,
  gbk: 0.1,
  'windows-1250': 0.05,
  'iso-8859-2': 0.05,
  'windows-1253': 0.05,
  'windows-1254': 0.05,
  'windows-1255': 0.05,
  'windows-1256': 0.05,
  'euc-jp': 0.05,
  big5: 0.05,
  'euc-kr': 0.12,
  gb18030: 0,
  'windows-874': 0,
  'windows-1257': 0,
};

/** The supersets found in practice. */
const wider: Record<string, string> = {
  'iso-8859-1': 'windows-1252',
  'iso-8859-8': 'windows-1255',
  'iso-8859-9': 'windows-1254',
  gb18030: 'gbk',
};

/** Lead bytes, by ranges. */
const everyday: Record<string, [from: number, to: number][]> = {
  shift_jis: [
    [0x81, 0x83],
    [0x88, 0x97],
  ],
  'euc-jp': [
    [0xa1, 0xa5],
    [0xb0, 0xcf],
  ],
  gbk: [
    [0xa1, 0xa3],
    [0xb0, 0xd7],
  ],
  gb18030: [
    [0xa1, 0xa3],
    [0xb0, 0xd7],
  ],
  big5: [[0xa1, 0xc6]],
  'euc-kr': [
    [0xa1, 0xa3],
    [0xb0, 0xc8],
  ],
};

const within = (byte: number, from: number, to: number) => byte >= from && byte <= to;

/** Part of a character may look like another. */
export const hasWideCharacters = (name: string): boolean =>
  /^utf-(?:16|32)/.test(name) || everyday[name] !== undefined;

/** The character's bytes. */
export function characterBytes(name: string, first: number, second: number): number {
  if (name.startsWith('utf-16')) return 2;
  if (name.startsWith('utf-32')) return 4;
  if (everyday[name] === undefined || first <= 0x80 || first === 0xff) return 1;
  if (name === 'shift_jis') return first === 0xa0 || within(first, 0xa1, 0xdf) ? 1 : 2;
  if (name === 'euc-jp') return first === 0x8f ? 3 : first === 0x8e || first > 0xa0 ? 2 : 1;
  return name === 'gb18030' && within(second, 0x30, 0x39) ? 4 : 2;
}

function everydayShare(name: string, bytes: Buffer): number {
  const ranges = everyday[name];
  if (ranges === undefined) return 1;
  let [all, common] = [0, 0];
  for (let at = 0; at < bytes.length; ) {
    const first = bytes[at] ?? 0;
    const length = characterBytes(name, first, bytes[at + 1] ?? 0);
    at += length;
    if (first < 0x80) continue;
    all += 1;
    if (length > 1 && ranges.some(([from, to]) => within(first, from, to))) common += 1;
  }
  return all === 0 ? 1 : common / all;
}

const scripts = [
  /\p{Script=Latin}/u,
  /\p{Script=Cyrillic}/u,
  /\p{Script=Greek}/u,
  /\p{Script=Hebrew}/u,
  /\p{Script=Arabic}/u,
  /\p{Script=Thai}/u,
  /\p{Script=Hangul}/u,
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u,
];
const opens = /[“„‘«‹¿¡§©]/u;
const neutral = /[’°–—…•·\u00a0µ»›]/u;
const beyondAscii = /\P{ASCII}/gu;
const usualSign =
  /[“”‘’‚„«»‹›–—…•·€£¥§©®°±²³µ¼½¾¿¡×÷™№\u00a0、。「」『』・ー〜【】《》\u3000-\u303f\uff00-\uff65]/u;

export function plausibleShare(text: string): number {
  const all = text.match(beyondAscii)?.length ?? 0;
  if (all === 0) return 1;
  let odd = 0;
  for (const [word] of text.matchAll(/[\p{L}\p{M}]+/gu)) {
    const count = word.match(beyondAscii)?.length ?? 0;
    if (count === 0) continue;
    const mixed = scripts.filter((script) => script.test(word)).length !== 1;
    if (mixed || /\p{Ll}\p{Lu}/u.test(word)) odd += count;
    else if (/^[\u00c0-\u00ff]{3,}$/.test(word)) odd += count / 2;
  }
  for (const { 0: sign, index } of text.matchAll(/(?!\p{L}|\p{M})\P{ASCII}/gu)) {
    const around = text.slice(Math.max(0, index - 1), index + sign.length + 1);
    const inWord =
      !neutral.test(sign) &&
      (opens.test(sign) ? /^\p{Script=Latin}./u : /.\p{Script=Latin}$/u).test(around);
    if (inWord || !usualSign.test(sign)) odd += 1;
  }
  // Two Latin letters look like half-width katakana in Shift_JIS.
  odd += (text.match(/[\uff66-\uff9f]/g)?.length ?? 0) * 0.6;
  return 1 - odd / all;
}

/** Controls other than escapes, lone surrogates, unassigned and private characters. */
export function hasUnlikely(text: string): boolean {
  return /[\p{Cn}\p{Co}\p{Cs}]|(?!\s)\p{Cc}/u.test(text.replaceAll('\u001b', ''));
}

/** @param sample characters may be cut at either end @returns the WHATWG name, or null if no text */
export function detectLegacy(sample: Buffer): string | null {
  const declared = new Map(
    analyse(sample).map(({ name, confidence }) => {
      const plain = name.toLowerCase();
      return [wider[plain] ?? plain, confidence / 100];
    }),
  );
  let best: { name: string; score: number } | null = null;
  for (const [name, prior] of Object.entries(likely)) {
    const text = iconv.decode(sample, name);
    const whole = text.slice(1, -1);
    if (whole.includes('\ufffd') || hasUnlikely(whole)) continue;
    // Japanese is rarely written without kana.
    const kanaShare = /jis|jp/.test(name) && !/[\u3040-\u30ff]/.test(text) ? 0.8 : 1;
    const fits = plausibleShare(text) * everydayShare(name, sample) * kanaShare;
    const score = fits + prior + 0.3 * (declared.get(name) ?? 0);
    if (fits >= 0.5 && score > (best?.score ?? 0)) best = { name, score };
  }
  return best?.name ?? null;
}
