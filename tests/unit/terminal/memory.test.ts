import { describe, expect, it } from 'vitest';
import { exitCodes } from '#adapters/terminal/exit-codes.ts';
import { type MemoryOptions, memory } from '#adapters/terminal/memory.ts';
import { CountersignError } from '#domain/errors.ts';
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
    ['keep' as const, [], 'Say what to keep', {}],
    ['keep' as const, ['x'.repeat(501)], 'Say what to keep, in at most 500 characters', {}],
    ['keep' as const, ['x'], 'A name has at most 80 characters.', { name: 'n'.repeat(81) }],
    ['forget' as const, ['Ben'], 'Pass the entry number', {}],
  ])('%s %j is bad usage', async (verb, words, sentence, more) => {
    const { code, printed } = await run(verb, words, more);
    expect(code).toBe(exitCodes.usage);
    expect(printed.replace(/\s+/g, ' ')).toContain(sentence);
  });
});
