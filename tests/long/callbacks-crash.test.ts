// kill -9 around external work, its reference and its result.
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { listenOnLoopback } from '../fixtures/loopback.ts';
import { freshDatabase } from '../setup/database.ts';
import { type Options, type Server, usePrograms } from '../setup/process.ts';
import { waitFor } from '../wait.ts';

const programs = usePrograms();

const tool = `
import { defineOperation, secret, z } from 'countersign/tools';

const film = (operation: string, effect: 'write' | 'idempotent') =>
  defineOperation({
    tool: 'film',
    operation,
    description: 'Render a film.',
    effect,
    destructive: false,
    schema: z.strictObject({}),
    output: z.strictObject({ url: z.string() }),
    async run(_, { callbackUrl, idempotencyKey }) {
      const body = JSON.stringify({ callback: await callbackUrl(), key: idempotencyKey });
      const answer = await fetch(secret('STUDIO'), { method: 'POST', body });
      return { later: await answer.text() };
    },
  });

export default [film('render', 'write'), film('again', 'idempotent')];
`;
const publicUrl = 'http://127.0.0.1:1';
const result = { summary: 'Rendered.', data: { url: 'https://films.example.com/1' } };

const Begun = z.object({ callback: z.string(), key: z.string() });
let begun: z.infer<typeof Begun>[] = [];
let beforeAnswer: (callback: string) => Promise<unknown> = async () => {};
let studio: { url: string; close(): Promise<void> };

beforeAll(async () => {
  const server = createServer(async (request, response) => {
    const one = Begun.parse(await json(request));
    begun.push(one);
    await beforeAnswer(one.callback).catch(() => undefined);
    response.end(`job ${begun.length}`);
  });
  studio = await listenOnLoopback(server);
});
beforeEach(() => {
  begun = [];
  beforeAnswer = async () => {};
});
afterAll(() => studio.close());

const draft = (operation: string) => ({
  title: 'Film',
  steps: [{ id: 'a', description: 'Render it', tool: 'film', operation, args: {} }],
});

async function callBack({ url }: Server, address: string | undefined): Promise<number> {
  if (address === undefined) throw new Error('no address was handed over');
  const response = await fetch(address.replace(publicUrl, url), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(result),
  });
  return response.status;
}

async function beginAt(point: string, operation: string) {
  const database = await freshDatabase();
  const home = await programs.home({ executor: { lease_seconds: 2 }, tools: ['./tools/film.ts'] });
  await mkdir(join(home, 'tools'));
  await writeFile(join(home, 'tools', 'film.ts'), tool);
  const env = { STUDIO: studio.url, COUNTERSIGN_PUBLIC_URL: publicUrl };
  const options: Options = { home, database: database.url, env };
  const first = await programs.serve({ ...options, env: { ...env, COUNTERSIGN_CRASH_AT: point } });
  const plan = await first.api.propose(draft(operation));
  const approve = async () => expect((await first.api.approve(plan)).status).toBe(200);
  return { id: plan.id, first, approve, again: () => programs.serve(options), database };
}

async function endedByKill(server: Server): Promise<void> {
  expect(await server.exited).toEqual({ code: null, signal: 'SIGKILL' });
}

describe('before what finds the work again is stored', () => {
  it.each(['after_call', 'in_settle'])(
    'a write is unknown, and the person who is asked reads the result (%s)',
    async (point) => {
      const { id, first, approve, again, database } = await beginAt(point, 'render');
      await approve();
      await endedByKill(first);
      const server = await again();
      await waitFor(
        'the step to be unknown',
        async () => (await server.api.plan(id)).counts.unknown,
      );
      expect(await callBack(server, begun[0]?.callback)).toBe(410);
      const [step] = await server.api.steps(id);
      expect(step?.question).toContain(
        'The other side reported later that it succeeded: Rendered.',
      );
      const { version } = await server.api.plan(id);
      await server.api.post(`/api/plans/${id}/resume`, { version, steps: { a: 'done' } });
      await server.api.reach(id, 'completed');
      expect(begun).toHaveLength(1);
      await server.stop();
      await database.close();
    },
  );

  it('what may be repeated begins again under the same key, and only the new work is heard', async () => {
    const { id, first, approve, again, database } = await beginAt('after_call', 'again');
    await approve();
    await endedByKill(first);
    const server = await again();
    const second = await waitFor('the work to begin again', () => begun[1]);
    expect(second.key).toBe(begun[0]?.key);
    expect(await callBack(server, begun[0]?.callback)).toBe(410);
    expect(await callBack(server, second.callback)).toBe(204);
    await server.api.reach(id, 'completed');
    expect(begun).toHaveLength(2);
    await server.stop();
    await database.close();
  });

  it('a result that came first has settled the step', async () => {
    const { id, first, approve, again, database } = await beginAt('after_call', 'render');
    beforeAnswer = async (callback) => expect(await callBack(first, callback)).toBe(204);
    await approve();
    await endedByKill(first);
    const server = await again();
    await server.api.reach(id, 'completed');
    expect((await server.api.steps(id))[0]).toMatchObject({ status: 'succeeded', attempt: 1 });
    expect(begun).toHaveLength(1);
    await server.stop();
    await database.close();
  });
});

describe('once it is stored', () => {
  it.each(['render', 'again'])(
    'the work is begun once, and its result settles the step (%s)',
    async (operation) => {
      const { id, first, approve, again, database } = await beginAt('after_outcome', operation);
      await approve();
      await endedByKill(first);
      const server = await again();
      expect((await server.api.steps(id))[0]).toMatchObject({ status: 'running', attempt: 1 });
      expect(await callBack(server, begun[0]?.callback)).toBe(204);
      await server.api.reach(id, 'completed');
      expect((await server.api.steps(id))[0]).toMatchObject({ output: result.data, attempt: 1 });
      expect(begun).toHaveLength(1);
      await server.stop();
      await database.close();
    },
  );

  // The first time is the call's own outcome.
  it.each(['in_settle:2', 'after_outcome:2'])(
    'a result whose answer was lost is sent again, and counts once (%s)',
    async (point) => {
      const { id, first, approve, again, database } = await beginAt(point, 'render');
      await approve();
      await waitFor('the work to go on without a worker', async () => {
        const [step] = await first.api.steps(id);
        return step?.status === 'running' && step.output !== null;
      });
      await expect(callBack(first, begun[0]?.callback)).rejects.toThrow();
      await endedByKill(first);
      const server = await again();
      expect(await callBack(server, begun[0]?.callback)).toBe(204);
      await server.api.reach(id, 'completed');
      const { body } = await server.api.get<{ entries: { action: string }[] }>(
        `/api/plans/${id}/audit`,
      );
      expect(body.entries.filter(({ action }) => action === 'callback_taken')).toHaveLength(1);
      expect(begun).toHaveLength(1);
      await server.stop();
      await database.close();
    },
  );
});
