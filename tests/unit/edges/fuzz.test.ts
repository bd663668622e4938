// Hostile input: parsers end within a turn, and keep what is sound.
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { collectText } from '#adapters/slack/talk/read-blocks.ts';
import { readPlainText } from '#adapters/slack/talk/read-text.ts';
import { readHtml } from '#adapters/teams/signals/read-content.ts';
import { charsetOf, decodeText, encodeText } from '#domain/encoding/encoding.ts';
import { parseRequestJson, parseShallowJson } from '#domain/json.ts';
import { findHeaderProblem } from '#tools/http/headers.ts';
import { readTools } from '#tools/mcp/read-tools.ts';
import { readDelimited, readJsonLines, type TableEntry } from '#tools/tables/read-rows.ts';
import { compileValidator } from '#tools/validate-arguments.ts';
import { rounds } from '../../rounds.ts';
import { runInTurn } from '../../setup/watch-loop.ts';

const longest = 100_000;
const anywhere = [
  '\0',
  '\r\n',
  '\r',
  '\n',
  '\t',
  ' ',
  '\ud800',
  '\udc00',
  '\u202e',
  '\ufeff',
  '😀',
  'é',
  'a',
];

function hostile(...pieces: string[]): fc.Arbitrary<string> {
  const unit = fc
    .array(
      fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...pieces) }, fc.constantFrom(...anywhere)),
      {
        minLength: 1,
        maxLength: 4,
      },
    )
    .map((all) => all.join(''));
  const run = fc
    .tuple(unit, fc.integer({ min: 1, max: longest }))
    .map(([one, length]) => one.repeat(Math.ceil(length / one.length)));
  return fc
    .array(fc.oneof(unit, run, fc.string({ unit: 'binary', maxLength: 30 })), { maxLength: 8 })
    .map((all) => all.join('').slice(0, longest));
}

const all = { numRuns: rounds(200) };
const refused = (read: () => unknown, code: string): unknown => {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof SyntaxError)) expect(error).toMatchObject({ code });
    return null;
  }
};

type TextEdge = {
  pieces: string[];
  read(text: string): string;
  sound: string;
  plain: fc.Arbitrary<string>;
  write?(plain: string): string;
};

const names = new Map([['U2', 'Ben']]);
const letters = fc.string({
  unit: fc.constantFrom('a', '1', '|', '"', "'", '}', '*', '_', 'é', '😀', '@', '#'),
});
const escapeHtml = (text: string) => text.replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const texts: Record<string, TextEdge> = {
  'the text of Slack': {
    pieces: [
      '<',
      '>',
      '|',
      '<@U1>',
      '<@U2|',
      '<!date^',
      '<!subteam^',
      '<#C1',
      '<http://a.md|a.md>',
      '&lt;',
      '&amp;',
      '&',
      '>>>',
      '`',
    ],
    read: (text) => readPlainText(collectText({ text }), names, 'U1'),
    sound: 'sound &lt; 42\n',
    plain: letters,
  },
  'the blocks of Slack': {
    pieces: ['<', '>', '|', '<@U2|', '&lt;', '&', 'http://', '`', '•'],
    read: (text) =>
      readPlainText(
        collectText({
          text: '',
          blocks: [
            {
              type: 'rich_text',
              elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text }] }],
            },
          ],
        }),
        names,
        'U1',
      ),
    sound: 'sound < 42\n',
    plain: letters,
  },
  'the text of Teams': {
    pieces: [
      '<',
      '>',
      '<p>',
      '</p>',
      '<div',
      '<at id="0">',
      '</at>',
      '<img alt="',
      '="',
      '"',
      "'",
      '<!--',
      '-->',
      '<script>',
      '<![CDATA[',
      '<blockquote>',
      '</blockquote>',
      '&',
      '&#',
      '&nbsp;',
      '<li>',
      '<pre>',
      '</',
      '/>',
    ],
    read: (text) => readHtml(text).text,
    sound: '<p>sound &lt; 42</p>',
    plain: letters,
    write: (plain) => `<div>${escapeHtml(plain)}</div>`,
  },
};

describe.each(Object.entries(texts))(
  '%s',
  (_, { pieces, read, sound, plain, write = (same) => same }) => {
    test('is read within a turn, and what is sound of it stays', () => {
      const property = fc.property(hostile(...pieces), (noise) => {
        expect(runInTurn(() => read(sound + noise))).toContain('sound < 42');
      });
      fc.assert(property, all);
    });

    test('is as it was written where it means nothing else', () => {
      fc.assert(
        fc.property(plain, (text) => {
          expect(read(write(text))).toBe(text);
        }),
        all,
      );
    });
  },
);

async function* inPieces(text: string, size: number): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += size) {
    // As from a file.
    await nextTurn();
    yield text.slice(at, at + size);
  }
}

async function rowsOf(entries: AsyncIterable<TableEntry>): Promise<unknown[]> {
  const rows: unknown[] = [];
  for await (const entry of entries) if ('row' in entry) rows.push(entry.row);
  return rows;
}

describe('a table', () => {
  const size = fc.integer({ min: 30_000, max: 64_000 });
  const sound = [
    { id: '1', name: 'a "b", c' },
    { id: '2', name: 'two\nlines' },
  ];
  const csv = 'id,name\n1,"a ""b"", c"\n2,"two\nlines"\n';
  const jsonLines = sound.map((row) => `${JSON.stringify(row)}\n`).join('');

  test('is read in turns, and its sound rows stay', async () => {
    const noise = hostile('"', '""', ',', ';', '","', '"\n', '",', ',"', '\n"', "'", 'sep=;');
    await fc.assert(
      fc.asyncProperty(noise, size, async (odd, bytes) => {
        const rows = await rowsOf(readDelimited(inPieces(csv + odd, bytes), ','));
        expect(rows.slice(0, 2)).toEqual(sound);
      }),
      { numRuns: rounds(50) },
    );
  });

  test('of JSON lines too, also behind what is none', async () => {
    const noise = hostile('{', '}', '[', ']', '{"a":', '"', '\\', ':', ',', '1e999', '{}');
    await fc.assert(
      fc.asyncProperty(noise, size, async (odd, bytes) => {
        const rows = await rowsOf(
          readJsonLines(inPieces(`${jsonLines}${odd}\n${jsonLines}`, bytes)),
        );
        expect(rows.slice(0, 2)).toEqual(sound);
        expect(rows.slice(-2)).toEqual(sound);
      }),
      { numRuns: rounds(50) },
    );
  });
});

describe('JSON', () => {
  const noise = hostile(
    '{',
    '}',
    '[',
    ']',
    '{"a":',
    '"',
    '\\',
    '\\u',
    ':',
    ',',
    '-',
    '0',
    '9007199254740993',
    '0.1e5',
    '1e999',
    'null',
    'true',
    '"__proto__":',
  );

  test('is read or refused within a turn', () => {
    const property = fc.property(noise, fc.boolean(), (odd, wrap) => {
      const text = wrap ? `{"sound":[${odd}]}` : odd;
      runInTurn(() => refused(() => parseShallowJson(text), 'invalid_json'));
      runInTurn(() => refused(() => parseRequestJson(text), 'invalid_json'));
    });
    fc.assert(property, all);
  });

  test('of many numbers and names is read within a turn, and none is changed', () => {
    const item = fc.oneof(
      fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }).map(String),
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((one) => JSON.stringify(one)),
      fc.string({ unit: 'binary' }).map((one) => JSON.stringify(one.toWellFormed())),
    );
    const property = fc.property(item, fc.integer({ min: 1, max: 5000 }), (one, times) => {
      const text = `[${Array.from({ length: times }, () => one).join(',')}]`;
      const value = runInTurn(() => parseShallowJson(text));
      const isWhole = /^-?\d+$/.test(one);
      const found: unknown[] = Array.isArray(value) ? value : [];
      // As written out: 1.5e+23 is 15 and 22 zeros, even if the nearest double is another integer.
      const kept = found.map((item) => {
        if (!isWhole || typeof item !== 'number') return item;
        const [digits = '', exponent = '0'] = String(item).split('e+');
        const [whole = '', fraction = ''] = digits.split('.');
        return BigInt(whole + fraction.padEnd(Number(exponent), '0'));
      });
      expect(kept).toHaveLength(times);
      expect(new Set(kept)).toEqual(new Set([isWhole ? BigInt(one) : JSON.parse(one)]));
    });
    fc.assert(property, all);
  });
});

describe('a schema', () => {
  const pattern = fc.oneof(
    fc.constantFrom(
      '^(a+)+$',
      '(a|a)*b',
      '(.*)*x',
      '([a-z]+)*\\d',
      '^(?:a?){50}a{50}$',
      '(?=a)',
      '\\1',
      '[',
    ),
    hostile('(', ')', '*', '+', '[', ']', '{9}', '|', '\\', '^', '$', '.', 'a'),
  );
  const schema = fc.letrec<{ one: object }>((tie) => ({
    one: fc.oneof(
      { depthSize: 'small' },
      fc.record(
        { type: fc.constantFrom('string', 'array', 'object', 'number', 'null', 7), pattern },
        { requiredKeys: [] },
      ),
      fc.record({
        $ref: fc.constantFrom('#', '#/nowhere', '#/properties/a', 'https://a.example/b'),
      }),
      fc.record(
        { uniqueItems: fc.boolean(), contains: tie('one'), items: tie('one') },
        { requiredKeys: [] },
      ),
      fc.record(
        {
          properties: fc.dictionary(fc.constantFrom('a', 'b', '__proto__'), tie('one')),
          patternProperties: fc.dictionary(pattern, tie('one')),
        },
        { requiredKeys: [] },
      ),
      fc.record(
        { anyOf: fc.array(tie('one'), { maxLength: 4 }), not: tie('one') },
        { requiredKeys: [] },
      ),
    ),
  })).one;
  const value = fc.oneof(
    hostile('a', 'b', '1', '@', '.'),
    fc
      .integer({ min: 1, max: 3000 })
      .map((length) => Array.from({ length }, (_, at) => ({ at: at % 7 }))),
    fc.json().map((text) => parseShallowJson(text)),
  );

  test('of a server is compiled and asked within a turn each, and its sound tools stay', () => {
    const property = fc.property(schema, value, (odd, a) => {
      const tools = [
        { name: 'sound', inputSchema: { type: 'object' } },
        { name: 'odd', inputSchema: { properties: { a: odd } } },
      ];
      expect(runInTurn(() => readTools(tools)).tools[0]?.name).toBe('sound');
      const validate = runInTurn(() => {
        try {
          return compileValidator({ type: 'object', properties: { a: odd } });
        } catch {
          return null;
        }
      });
      runInTurn(() => validate?.({ a }));
    });
    compileValidator({ properties: { a: { pattern: 'a' } } })({ a: 'a' }); // Loads the engine.
    fc.assert(property, all);
  });
});

test('headers are taken as they are or refused within a turn', () => {
  const text = hostile(':', ';', ',', '=', '"', 'charset=', 'x-a', '–');
  const property = fc.property(
    fc.dictionary(fc.oneof(fc.constant('x-a'), text), text, { maxKeys: 5 }),
    (odd) => {
      const headers: Record<string, string> = { ...odd, 'x-sound': 'Grüße' };
      runInTurn(() => Object.values(headers).map(charsetOf));
      if (runInTurn(() => findHeaderProblem(headers)) !== null) return;
      for (const [name, value] of Object.entries(headers))
        expect(new Headers([[name, value]]).get(name)).toBe(value);
    },
  );
  fc.assert(property, all);
});

test('bytes are decoded within a turn, and written back as they were', () => {
  const odd = fc.oneof(
    hostile('<meta charset=', '<?xml encoding="', 'ä', '漢', '\u00a0').map((one) =>
      Buffer.from(one),
    ),
    hostile('ä', 'ß', '\u0000').map((one) => Buffer.from(one, 'latin1')),
    hostile('ä', '漢').map((one) => Buffer.from(one, 'utf16le')),
  );
  const property = fc.property(odd, (bytes) => {
    const decoded = runInTurn(() => decodeText(bytes));
    if (decoded?.exact) expect(encodeText(decoded.text, decoded.encoding).equals(bytes)).toBe(true);
  });
  fc.assert(property, all);
});
