import { describe, expect, it } from 'vitest';
import { exitCodes } from '#adapters/terminal/exit-codes.ts';
import { type MemoryOptions, memory } from '#adapters/terminal/memory.ts';
import { type RemindersOptions, reminders } from '#adapters/terminal/reminders.ts';
import { CountersignError } from '#domain/errors.ts';
import type { Recurring } from '#domain/plan/recurring.ts';
import type { Service } from '#domain/service.ts';
import { createServiceDouble } from '../../fixtures/service-double.ts';
import { createFakeTerminal } from '../../fixtures/terminal.ts';

const service = createServiceDouble();

async function run(
  verb: MemoryOptions['verb'],
  words: string[] = [],
  more: object = {},
  on = service,
) {
  const terminal = createFakeTerminal({ columns: 100 });
  terminal.end();
  const options = { user: 'ana', timezone: 'UTC', verb, words, ...more };
  const code = await memory(on, options, terminal);
  return { code, printed: terminal.printed() };
}

describe('countersign memory', () => {
  it('keeps, lists and forgets', async () => {
    expect((await run('list')).printed).toContain('Nothing yet.');
    const { printed: kept } = await run('keep', ['ben@example.com'], { name: 'Ben' });
    expect(kept.replace(/\s+/g, ' ')).toContain(
      "I'll remember “Ben: ben@example.com”. To undo: countersign memory forget 1",
    );
    expect((await run('list')).printed).toContain('1. “Ben: ben@example.com”');
    const { printed } = await run('list', [], { json: true });
    expect(JSON.parse(printed)).toMatchObject({ entries: [{ id: 1, name: 'Ben' }] });
    expect((await run('forget', ['1'])).printed).toContain('Forgotten: “Ben: ben@example.com”.');
    expect((await run('forget', ['1'])).code).toBe(exitCodes.failed);
  });

  it('says how to make room where there is none', async () => {
    const keepMemory = async () => {
      throw new CountersignError('limit_exceeded', 'My memory here is full.');
    };
    const { code, printed } = await run('keep', ['x'], {}, { ...service, keepMemory });
    expect(code).toBe(exitCodes.failed);
    expect(printed).toContain('To make room: countersign memory forget NUMBER');
  });

  it.each([
    ['keep' as const, [], 'Pass the text to keep', {}],
    ['keep' as const, ['x'.repeat(501)], 'Pass the text to keep, up to 500 characters', {}],
    ['keep' as const, ['x'], 'A name has at most 80 characters.', { name: 'n'.repeat(81) }],
    ['forget' as const, ['Ben'], 'Pass the entry number', {}],
  ])('%s %j is bad usage', async (verb, words, sentence, more) => {
    const { code, printed } = await run(verb, words, more);
    expect(code).toBe(exitCodes.usage);
    expect(printed.replace(/\s+/g, ' ')).toContain(sentence);
  });
});

describe('countersign reminders', () => {
  const entry: Recurring = {
    ...{ id: 'REM-1', kind: 'reminder', title: 'Standup', rule: 'every day at 09:30' },
    ...{ timezone: 'UTC', plan_id: null, others: 0 },
    next_at: '2026-05-05T09:30:00.000Z',
    then_at: '2026-05-06T09:30:00.000Z',
  };
  const changes: unknown[] = [];
  const on: Service = {
    ...service,
    listRecurring: async () => [entry],
    changeRecurring: async (id, change) => {
      changes.push({ id, ...change });
      return { before: entry, entry: change.action === 'end' ? null : entry, waits: null };
    },
  };
  async function ask(verb: RemindersOptions['verb'], more: object = {}, typed: string[] = []) {
    const terminal = createFakeTerminal({ columns: 80, tty: typed.length > 0 });
    for (const line of typed) terminal.type(line);
    if (typed.length === 0) terminal.end();
    const now = new Date('2026-05-04T12:00:00Z');
    const options = { user: 'ana', timezone: 'UTC', verb, id: 'REM-1', now, ...more };
    const code = await reminders(on, options, terminal);
    return { code, printed: terminal.printed().replace(/\s+/g, ' ') };
  }

  it('lists, skips once, changes and ends, after a question', async () => {
    expect((await ask('list')).printed).toContain('“Standup”: every day at 09:30');
    expect((await ask('skip')).printed).toContain('is left out at');
    await ask('change', { when: 'every Tuesday at 9:00' });
    expect((await ask('end')).code).toBe(exitCodes.usage);
    expect((await ask('end', {}, ['k'])).printed).toContain('You will not be reminded again');
    await ask('change', {}, ['10:00', '']);
    expect((await ask('end', {}, ['e'])).printed).toContain('has ended');
    expect(changes).toEqual([
      { id: 'REM-1', action: 'skip' },
      { id: 'REM-1', action: 'change', when: 'every Tuesday at 9:00' },
      { id: 'REM-1', action: 'change', when: '10:00' },
      { id: 'REM-1', action: 'end' },
    ]);
  });
});
