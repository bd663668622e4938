// Programs killed while planning, and the instance that resumes their work.
import { sql } from 'drizzle-orm';
import { afterAll, expect, vi } from 'vitest';
import { type Database, openDatabase } from '#db/database.ts';
import type { RunView } from '#domain/planning/run.ts';
import { settled } from '../fixtures/model-instance.ts';
import { type ChatBody, type OpenAiDouble, start, type Turn } from '../fixtures/openai-double.ts';
import { waitFor } from '../wait.ts';
import { freshDatabase } from './database.ts';
import { openTestInstance } from './instance.ts';
import { usePrograms } from './process.ts';

export type Scene = { url: string; model: OpenAiDouble; db: Database };

export const killed = { code: null, signal: 'SIGKILL' };

export function useCrashes(atOnce: number) {
  const programs = usePrograms();
  vi.setConfig({ maxConcurrency: atOnce });
  const closers: (() => Promise<void>)[] = [];
  afterAll(async () => {
    for (const close of closers) await close();
  });

  async function openScene(script: (body: ChatBody, index: number) => Turn): Promise<Scene> {
    const [database, model] = await Promise.all([freshDatabase(), start({ script })]);
    const { url } = database;
    const db = openDatabase(url, { max: 2, applicationName: 'test', onError: () => {} });
    closers.push(model.close, db.close, database.close);
    return { url, model, db };
  }

  const startDying = async ({ url, model }: Scene, point: string, settings: object = {}) =>
    programs.serve({
      home: await programs.home(settings),
      database: url,
      env: { OPENAI_BASE_URL: model.url, COUNTERSIGN_CRASH_AT: point },
    });

  /** @returns the run's ID */
  async function askDying(scene: Scene, point: string, request: object): Promise<string> {
    const server = await startDying(scene, point);
    const options = { user: 'ana', conversation: 'crash', ...request };
    const { body } = await server.api.post<{ run_id: string }>('/api/run', options);
    expect(await server.exited).toEqual(killed);
    return body.run_id;
  }

  /**
   * Releases the dead process's work, as the queue does after half a minute of silence.
   * @param awaited the job that it certainly held
   */
  async function resume(
    { url, model, db }: Scene,
    runId: string,
    awaited: string | null = 'plan',
  ): Promise<RunView> {
    await waitFor('the jobs of the dead process', async () => {
      const { rows } = await db.query.execute<{ name: string }>(sql`
        update pgboss.job set state = 'retry', start_after = now(), started_on = null
        where name in ('plan', 'expand', 'request') and state = 'active' returning name`);
      return awaited === null || rows.some(({ name }) => name === awaited);
    });
    const instance = await openTestInstance(url, { env: { OPENAI_BASE_URL: model.url } });
    try {
      return await settled(instance, runId);
    } finally {
      await instance.close();
    }
  }

  async function readBooks({ db }: Scene, runId: string) {
    const { rows } = await db.query.execute(sql`
      select (select count(*)::int from countersign.plans) as plans,
        (select count(*)::int from countersign.model_calls where run_id = ${runId}) as calls,
        (select count(*)::int from countersign.model_calls where cost_usd is null) as open,
        (select count(*)::int from countersign.messages where author = 'bot' and plan_id is not null) as proposals`);
    return rows[0];
  }

  return { openScene, startDying, askDying, resume, readBooks };
}
