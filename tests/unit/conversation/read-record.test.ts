import { describe, expect, it } from 'vitest';
import { writeTrace } from '#cards/chat-words.ts';
import { readExport, readRecord } from '#conversation/read-record.ts';
import type { Export } from '#domain/service.ts';
import { emptyTrace } from '#runs/planning-trace.ts';

const plan = 'PLAN-3f9a1c20';

describe('what was said', () => {
  it.each([
    ['PLAN-3f9a1c20 export', { plan, kind: 'export' }],
    [' plan-3F9A1C20  LOG ', { plan, kind: 'log' }],
    ['plan-3f9a1c20 trace', { plan, kind: 'trace' }],
    ['PLAN-3f9a1c20 calendar', { plan, kind: 'calendar' }],
    ['PLAN-3f9a1c20', null],
    ['PLAN-3f9a1c20 export now', null],
    ['PLAN-3f9a export', null],
  ])('asks for a record or does not: %s', (input, wanted) => {
    expect(readExport(input)).toEqual(wanted);
  });
});

const trace = emptyTrace('offline');

function open(lines: string[]) {
  const counted = { read: 0, closed: false };
  async function* give() {
    try {
      for (const text of lines) {
        counted.read++;
        yield text;
      }
    } finally {
      counted.closed = true;
    }
  }
  const plans = {
    ...{ exportMarkdown: give, exportLog: give, trace: async () => trace },
    exportCalendar: async () => lines.join(''),
  };
  const read = (kind: Export['kind'], atMost: number) =>
    readRecord(plans, { plan, kind }, { fits: ({ length }) => length <= atMost, writeTrace });
  return { counted, read };
}

describe('a record', () => {
  it('is all that was written, under the name of its kind', async () => {
    const { read } = open(['# One\n', 'two\n']);
    expect(await read('export', 100)).toEqual({ text: '# One\ntwo\n', name: `${plan}.md` });
    expect(await read('log', 100)).toEqual({ text: '# One\ntwo\n', name: `${plan}.jsonl` });
    expect(await read('calendar', 100)).toEqual({ text: '# One\ntwo\n', name: `${plan}.ics` });
    const planned = await read('trace', 1000);
    expect(planned).toEqual({ text: writeTrace(trace), name: `${plan}-trace.txt` });
    expect(planned?.text).toContain('offline');
  });

  it('has no text where nothing has run', async () => {
    expect(await open([]).read('log', 100)).toEqual({ text: '', name: `${plan}.jsonl` });
  });

  it('that has no room is none, and is read no further', async () => {
    const { counted, read } = open(['1234', '5678', '9']);
    expect(await read('export', 4)).toBeNull();
    expect(counted).toEqual({ read: 2, closed: true });
    expect(await read('trace', 4)).toBeNull();
    expect(await read('calendar', 4)).toBeNull();
  });
});
