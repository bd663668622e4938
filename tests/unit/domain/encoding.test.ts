import fc from 'fast-check';
import iconv from 'iconv-lite';
import { describe, expect, test } from 'vitest';
import { decodeChunks, decodeText, detectEncoding, encodeText } from '#domain/encoding/encoding.ts';
import { rounds } from '../../rounds.ts';

const bytesOf = (text: string, name: string) => iconv.encode(text, name);
const marked = (text: string, name: string) => iconv.encode(`\ufeff${text}`, name);

async function* inPieces(bytes: Buffer, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const files: [name: string, text: string][] = [
  ['windows-1252', 'café'],
  ['windows-1252', 'ä'],
  ['windows-1252', 'SUMMARY:Besprechung mit Müller\r\nLOCATION:Köln\r\n'],
  ['windows-1252', '“quoted” — it’s €5'],
  ['windows-1252', 'id;name\n1;Zoë\r\n2;Jürgen'],
  ['iso-8859-15', 'Prix: 5 €, cœur'],
  ['koi8-r', 'Добрый день, коллеги. Отчёт готов.'],
  ['windows-1251', 'Привет, мир'],
  ['windows-1250', 'Příliš žluťoučký kůň'],
  ['windows-1253', 'Καλημέρα'],
  ['shift_jis', '会議の資料を送ります。\r\n山田'],
  ['shift_jis', 'こんにちは世界'],
  ['euc-jp', 'こんにちは世界'],
  ['gbk', '关于明天的会议，请准备材料。'],
  ['gbk', '客户;金额\n张三;100\n李四;200'],
  ['big5', '會議記錄：下週三開會'],
  ['euc-kr', '회의록 2024년 3월'],
  ['utf-16le', 'hello\r\n'],
  ['utf-16be', '会議は3時です\r\n'],
  ['utf-32le', 'hello 😀'],
  ['utf-8', 'naïve 😀\n'],
];

describe.each(files)('text in %s: %j', (name, text) => {
  test('is told, also in pieces, and gives the same bytes again', async () => {
    const bytes = bytesOf(text, name);
    const decoded = decodeText(bytes);
    expect(decoded).toEqual({ text, encoding: { name, bom: false }, exact: true });
    expect(encodeText(text, { name, bom: false })).toEqual(bytes);
    expect(await detectEncoding(inPieces(bytes, 3))).toEqual({ name, bom: false });
  });
});

test.each(['utf-8', 'utf-16le', 'utf-16be', 'utf-32le', 'utf-32be'])(
  'a byte order mark of %s is left out of the text and kept in the file',
  async (name) => {
    const bytes = marked('a\r\nb\nü', name);
    const decoded = decodeText(bytes);
    expect(decoded).toEqual({ text: 'a\r\nb\nü', encoding: { name, bom: true }, exact: true });
    expect(encodeText('a\r\nb\nü', { name, bom: true })).toEqual(bytes);
    let text = '';
    for await (const piece of decodeChunks(inPieces(bytes, 5), { name, bom: true })) text += piece;
    expect(text).toBe('a\r\nb\nü');
  },
);

test.each([
  ['meta charset', '<!doctype html><meta charset=iso-8859-1><p>café', null, 'windows-1252'],
  [
    'http-equiv',
    '<html><head><META HTTP-EQUIV="Content-Type" content="text/html; charset=koi8-r"><p>чай',
    null,
    'koi8-r',
  ],
  ['XML', '<?xml version="1.0" encoding="ISO-8859-15"?><a>5 €</a>', null, 'iso-8859-15'],
  ['header', 'caf\u00e9', 'latin1', 'windows-1252'],
  ['header over meta', '<meta charset=koi8-r>caf\u00e9', 'iso-8859-1', 'windows-1252'],
])('the charset of %s is taken', (_, text, declared, name) => {
  expect(decodeText(bytesOf(text, name), { declared })).toMatchObject({
    text,
    encoding: { name },
    exact: true,
  });
});

test('a declaration that cannot be true does not count', () => {
  expect(decodeText(Buffer.from('<meta charset=utf-16>é'))?.text).toContain('é');
  expect(decodeText(Buffer.from('é'), { declared: 'no-such-charset' })?.text).toBe('é');
  expect(decodeText(bytesOf('né', 'windows-1252'), { declared: 'utf-8' })?.text).toBe('né');
});

test.each([
  [
    'one bad byte in UTF-8',
    Buffer.concat([Buffer.from('né 1 '), Buffer.from([0xff])]),
    'né 1 \ufffd',
  ],
  ['a lone surrogate', Buffer.from([0xff, 0xfe, 0x41, 0, 0, 0xd8]), 'A\ufffd'],
])('%s is shown and is not exact', (_, bytes, text) => {
  expect(decodeText(bytes)).toMatchObject({ text, exact: false });
});

test.each([
  ['a NUL', Buffer.from([0])],
  ['a binary with NULs', Buffer.from([1, 0, 2, 0, 0, 3, 255, 0])],
  ['a picture', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')],
  ['noise', Buffer.from(Array.from({ length: 5000 }, (_, i) => ((i * 7919) % 255) + 1))],
])('%s is no text', (_, bytes) => {
  expect(decodeText(bytes)).toBeNull();
});

test('an empty file and one byte are text', () => {
  expect(decodeText(Buffer.from(''))).toMatchObject({ text: '', exact: true });
  expect(decodeText(Buffer.from('a'))).toMatchObject({ text: 'a', exact: true });
});

test.each([
  ['utf-8', '会議の資料を送ります。\n会議の資料'],
  ['utf-16le', '会議の資料を送ります。\n会議の資料'],
  ['shift_jis', '会議の資料を送ります。\n会議の資料'],
  ['gbk', '关于明天的会议，请准备材料。'],
])('a character of %s cut at the end is left out', (name, text) => {
  const bytes = bytesOf(text, name);
  for (let left = 1; left <= 2; left += 1) {
    const decoded = decodeText(bytes.subarray(0, -left), { cut: true });
    expect(decoded?.exact).toBe(true);
    expect(text).toContain(decoded?.text);
  }
});

test.each([
  ['windows-1252', 'a → b'],
  ['gbk', '😀'],
  ['utf-8', 'a\ud800'],
  ['iso-2022-jp', 'é'],
])('text that %s cannot hold is refused: %j', (name, text) => {
  expect(() => encodeText(text, { name, bom: false })).toThrow(
    expect.objectContaining({ code: 'tool_failed' }),
  );
});

test('whatever is decoded exactly gives the same bytes, and any bytes are judged in bounded time', () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 300 }),
    fc
      .tuple(fc.string({ unit: 'binary' }), fc.constantFrom('utf-8', 'utf-16le', 'gbk', 'latin1'))
      .map(([text, name]) => bytesOf(text, name)),
  );
  fc.assert(
    fc.property(bytes, (one) => {
      const decoded = decodeText(one);
      if (decoded?.exact)
        expect(encodeText(decoded.text, decoded.encoding)).toEqual(Buffer.from(one));
      expect(decoded?.text.isWellFormed() ?? true).toBe(true);
    }),
    { numRuns: rounds(1000) },
  );
});
