// More of the job in a terminal than the stories of tests/e2e: changes, questions, and answers without a plan.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { useDatabase } from '../setup/database.ts';
import { type Options, usePrograms } from '../setup/process.ts';

const database = useDatabase();
const programs = usePrograms();
let options: Options;
beforeAll(async () => {
  options = { home: await programs.home(), database: database.url };
});

const ask = (text: string, more: string[] = [], input = '') =>
  programs.finish(['ask', text, ...more], { ...options, input });
const readNote = (name: string) => readFile(join(options.home, 'workspace', name), 'utf8');

describe('countersign ask', () => {
  it('sends changes back and shows the next version', async () => {
    const input = 'propose changes: use second.txt instead of first.txt\napprove';
    const { code, stdout } = await ask('Create first.txt saying "Hello"', [], input);
    expect(code).toBe(0);
    expect(stdout).toContain('Changed since version 1');
    expect(stdout).toMatch(/Done · version 2/);
    expect(await readNote('second.txt')).toBe('Hello');
    await expect(readNote('first.txt')).rejects.toThrow('ENOENT');
  });

  it('asks what it has to know, and goes on with the answer', async () => {
    const { code, stdout } = await ask('Write "Hello"', [], 'answered.md\napprove');
    expect(stdout).toContain('Which file should I write?');
    expect(code).toBe(0);
    expect(await readNote('answered.md')).toBe('Hello');
  });

  it('answers what needs no plan, and ends with 0', async () => {
    const { code, stdout } = await ask('Book me a flight');
    expect(code).toBe(0);
    expect(stdout).toContain('“help” lists them all');
    expect(stdout).not.toContain('PLAN-');
  });
});
