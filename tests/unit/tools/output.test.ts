import type { CallToolResult } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { limitOutput } from '#tools/limit-output.ts';
import { readResult } from '#tools/mcp/read-result.ts';

describe('an output', () => {
  it('under the limit stays as it is', () => {
    const output = { summary: 'Done.', data: { text: 'hello', list: [1, null, true] } };
    expect(limitOutput(output)).toEqual(output);
  });

  it('with a long text is cut with a mark that says how much is left', () => {
    const { data } = limitOutput(
      { summary: '', data: { path: 'a', text: 'é'.repeat(20_000) } },
      9000,
    );
    expect(JSON.stringify(data).length).toBeLessThanOrEqual(9000);
    expect(data).toMatchObject({ path: 'a', truncated: true });
    expect(data).toHaveProperty(
      'text',
      expect.stringMatching(/\[cut: the first \d+ of 20000 char/),
    );
  });

  it('that is large in every part is replaced by its beginning', () => {
    const { data } = limitOutput({ summary: '', data: Array(5000).fill('some text') }, 9000);
    expect(data).toMatchObject({ truncated: true, note: expect.stringMatching(/too large/) });
  });

  it('becomes storable', () => {
    expect(limitOutput({ summary: 'a\u0000\nb', data: { 'k\u0000': ['\ud800x'] } })).toEqual({
      summary: 'a\ufffd b',
      data: { 'k\ufffd': ['\ufffdx'] },
    });
  });
});

describe('the result of an MCP tool', () => {
  const content = [{ type: 'text' as const, text: '{"count":3}' }];

  it('is its structured content', () => {
    const result = { content, structuredContent: { count: 4 } };
    expect(readResult('x_count', result, true).data).toEqual({ count: 4 });
  });

  it('is the JSON of its text where a schema promises it, and the text otherwise', () => {
    expect(readResult('x_count', { content }, true).data).toEqual({ count: 3 });
    expect(readResult('x_count', { content }, false).data).toEqual({ text: '{"count":3}' });
    const prose = { content: [{ type: 'text' as const, text: 'three' }] };
    expect(readResult('x_count', prose, true).data).toEqual({ text: 'three' });
  });

  it('reports what the server found, about no other step, and nothing that is no finding', () => {
    const found = { severity: 'ERROR', message: 'The total is off by 3.' };
    const meta = {
      'countersign/findings': [found, { ...found, step_id: 'x' }, { severity: 'BAD' }, 7],
    };
    const result = { content: [], _meta: meta };
    expect(readResult('x_check', result, false).findings).toEqual([
      { ...found, category: 'reported', evidence: [] },
    ]);
    expect(readResult('x_check', { content: [], _meta: {} }, false)).not.toHaveProperty('findings');
  });
});

describe('a number that the protocol has rounded', () => {
  const of = (structuredContent: object, text = ''): CallToolResult => ({
    content: text === '' ? [] : [{ type: 'text', text }],
    structuredContent: { ...structuredContent },
  });

  it.each([
    [of({ id: 9007199254740992 }, '{"id":9007199254740993}'), '{"id":9007199254740993}'],
    [
      of({ id: 1e21, f: 0.1 }, '{"id":1e21,"f":0.1000000000000000055}'),
      '{"id":1e+21,"f":"0.1000000000000000055"}',
    ],
    [of({ id: 7 }, 'Order 9007199254740993 is paid.'), '{"id":7}'],
  ])('is taken from the text that has it', (result, data) => {
    expect(JSON.stringify(readResult('x_get', result, false).data)).toBe(data);
  });

  it.each([
    [of({ id: 9007199254740992 })],
    [of({ rows: [{ id: 9007199254740992 }] }, '{"rows":[{"id":7}]}')],
    [of({ id: Number.POSITIVE_INFINITY }, 'much')],
  ])('of which no text has the digits is not used', (result) => {
    expect(() => readResult('x_get', result, false)).toThrow(
      /cannot be read exactly \(\/(id|rows)/,
    );
  });
});
