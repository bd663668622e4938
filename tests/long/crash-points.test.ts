// kill -9 at every named point of a run, then a restart.
import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { PlanCardFacts } from '#domain/chat/card.ts';
import { crashPoints } from '#domain/crash-points.ts';
import type { Message } from '#domain/service.ts';
import { appendTool } from '../fixtures/append-tool.ts';
import { draftStep } from '../fixtures/steps.ts';
import { freshDatabase } from '../setup/database.ts';
import type { Client } from '../setup/http-client.ts';
import { type Options, usePrograms } from '../setup/process.ts';
import { waitFor } from '../wait.ts';

const programs = usePrograms();
vi.setConfig({ maxConcurrency: 3 });

// A repeated call would leave two lines.
const append = (id: string, after: string) =>
  draftStep(id, `Append ${id} to the log`, 'log_append', { line: id }, after);
const draft = {
  title: 'Five effects in a row',
  conversation: 'crash',
  steps: [
    draftStep('write', 'Create a.txt', 'workspace_write', { path: 'a.txt', content: 'first' }),
    append('append', 'write'),
    draftStep(
      'move',
      'Move a.txt to b.txt',
      'workspace_move',
      { from: 'a.txt', to: 'b.txt' },
      'append',
    ),
    append('append-again', 'move'),
    draftStep(
      'report',
      'Write the report',
      'workspace_write',
      { path: 'report.txt', content: 'done' },
      'append-again',
    ),
  ],
};

type Effects = { log: string[]; files: string[] };

async function readEffects(home: string, logFile: string): Promise<Effects> {
  const log = await readFile(logFile, 'utf8').catch(() => '');
  const files: string[] = [];
  for (const name of ['a.txt', 'b.txt', 'report.txt']) {
    const there = await access(join(home, 'workspace', name)).then(
      () => true,
      () => false,
    );
    if (there) files.push(name);
  }
  return { log: log.split('\n').filter(Boolean), files };
}

function happened(step: string, { log, files }: Effects): boolean {
  return step === 'move' ? files.includes('b.txt') : log.includes(step);
}

async function openHome(): Promise<{ home: string; log: string }> {
  const place = await programs.home();
  const log = join(place, 'log.txt');
  const home = await programs.home({
    executor: { lease_seconds: 2 },
    mcpServers: { log: appendTool(log) },
  });
  return { home, log };
}

/** @returns the plan's id */
async function crashAt(point: string, options: Options): Promise<string> {
  const server = await programs.serve({ ...options, env: { COUNTERSIGN_CRASH_AT: point } });
  const plan = await server.api.propose(draft);
  expect((await server.api.approve(plan)).status).toBe(200);
  expect(await server.exited).toEqual({ code: null, signal: 'SIGKILL' });
  return plan.id;
}

async function rest(api: Client, id: string) {
  return await waitFor(
    `${id} to be done or to ask`,
    async () => {
      const plan = await api.plan(id);
      return (plan.status === 'completed' || plan.counts.unknown > 0) && plan;
    },
    { timeoutMs: 120_000 },
  );
}

async function readQuestion(api: Client, id: string): Promise<{ step: string; text: string }> {
  const [step, ...others] = (await api.steps(id)).filter(({ status }) => status === 'unknown');
  expect(others).toEqual([]);
  const { messages } = await waitFor('the question to be asked', async () => {
    const { body } = await api.get<{ messages: Message[] }>('/api/conversations/crash/messages');
    return body.messages.some(({ text }) => text.includes('Check whether it happened')) && body;
  });
  const questions = messages.filter(({ text }) => text.includes('Check whether it happened'));
  expect(questions).toHaveLength(1);
  expect(questions[0]).toMatchObject({ author: 'bot', plan_id: id });
  expect(questions[0]?.text).toContain(step?.question);
  const card = await api.get<{ facts: PlanCardFacts; adaptive_card: unknown }>(
    `/api/plans/${id}/card`,
  );
  expect(card.body.facts.unknown.map((one) => one.id)).toEqual([step?.id]);
  for (const words of ['outcome unknown', 'no result came back', 'Mark done'])
    expect(JSON.stringify(card.body.adaptive_card)).toContain(words);
  return { step: step?.id ?? '', text: step?.question ?? '' };
}

// `unknown`: the step left unknown, or null.
const cases: { at: string; unknown: string | null; made?: boolean }[] = [
  { at: 'before_attempt:2', unknown: null },
  { at: 'after_attempt:2', unknown: null },
  { at: 'before_call:1', unknown: 'append', made: false },
  { at: 'before_call:2', unknown: 'move', made: false },
  { at: 'after_call:1', unknown: null },
  { at: 'after_call:2', unknown: 'append', made: true },
  { at: 'after_call:3', unknown: 'move', made: true },
  { at: 'in_settle:4', unknown: 'append-again', made: true },
  { at: 'after_outcome:2', unknown: null },
  { at: 'before_next_job:2', unknown: 'append', made: true },
  { at: 'before_attempt:3', unknown: 'append', made: true },
];

describe.concurrent('after kill -9', () => {
  it('has a case for every crash point', () => {
    const covered = new Set(cases.map(({ at }) => at.split(':')[0]));
    expect([...covered].sort()).toEqual([...crashPoints.executor].sort());
  });

  it.for(cases)('at $at each effect is there once (unknown: $unknown)', async (one) => {
    const database = await freshDatabase();
    const { home, log } = await openHome();
    const options = { home, database: database.url };
    const id = await crashAt(one.at, options);

    const server = await programs.serve(options);
    const { api } = server;
    const plan = await rest(api, id);
    if (one.unknown === null) {
      expect(plan.counts.unknown).toBe(0);
    } else {
      expect(plan.status).toBe('executing');
      const { step, text } = await readQuestion(api, id);
      expect(step).toBe(one.unknown);
      expect(text).toContain('It may have gone through');
      const effects = await readEffects(home, log);
      expect(happened(step, effects)).toBe(one.made);
      const verdict = happened(step, effects) ? 'done' : 'retry';
      const settled = await api.post(`/api/plans/${id}/resume`, {
        version: plan.version,
        steps: { [step]: verdict },
      });
      expect(settled.status).toBe(200);
      await api.reach(id, 'completed');
    }
    expect(await readEffects(home, log)).toEqual({
      log: ['append', 'append-again'],
      files: ['b.txt', 'report.txt'],
    });
    expect(await readFile(join(home, 'workspace', 'b.txt'), 'utf8')).toBe('first');
    const steps = await api.steps(id);
    expect(steps.map(({ status }) => status)).toEqual(steps.map(() => 'succeeded'));
    await server.stop();
    await database.close();
  });
});
