import { describe, expect, it } from 'vitest';
import { createEventParser } from '../../../adapters/console/page/live/event-parser.ts';

const stream =
  'retry: 2000\n\n: heartbeat\n\nid: 7\nevent: change\ndata: {"a":1}\n\nevent: change\ndata: one\ndata: two\n\n';

describe('the parser of event streams', () => {
  it('finds events with their ids, and keeps the id for those that have none', () => {
    expect(createEventParser()(stream)).toEqual([
      { id: '7', event: 'change', data: '{"a":1}' },
      { id: '7', event: 'change', data: 'one\ntwo' },
    ]);
  });

  it('finds the same events however the stream is cut, and whatever ends its lines', () => {
    const whole = createEventParser()(stream);
    for (const end of ['\n', '\r\n', '\r']) {
      const text = stream.replaceAll('\n', end);
      for (let at = 1; at < text.length; at += 1) {
        const parse = createEventParser();
        const events = [...parse(text.slice(0, at)), ...parse(text.slice(at)), ...parse('\n')];
        expect(events).toEqual(whole);
      }
    }
  });

  it('gives nothing for an event without data', () => {
    expect(createEventParser()('id: 1\nevent: change\n\n')).toEqual([]);
  });
});
