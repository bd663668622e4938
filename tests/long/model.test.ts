// A language model that doesn't answer, and one without a price, seen from whole processes.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunView } from '#domain/planning/run.ts';
import { type OpenAiDouble, start } from '../fixtures/openai-double.ts';
import { useDatabase } from '../setup/database.ts';
import { usePrograms } from '../setup/process.ts';
import { waitFor } from '../wait.ts';

const databases = { hasty: useDatabase(), stopped: useDatabase() };
const programs = usePrograms();
let model: OpenAiDouble;
let asked = 0;

beforeAll(async () => {
  model = await start({
    script: ({ messages }) => {
      const text = messages.findLast(({ role }) => role === 'user')?.content ?? '';
      asked += 1;
      if (text.includes('"ready"')) return { calls: [{ name: 'ready', args: { word: 'yes' } }] };
      return text.includes('Stall once') && asked > 1 ? { text: 'Here I am.' } : { hang: true };
    },
  });
});
afterAll(() => model.close());

describe('a model that does not answer', () => {
  it('is left, and another process asks it again', async () => {
    asked = 0;
    const options = {
      home: await programs.home(),
      database: databases.stopped.url,
      env: { OPENAI_BASE_URL: model.url },
    };
    const first = await programs.serve(options);
    const { body } = await first.api.post<{ run_id: string }>('/api/run', { text: 'Stall once' });
    await waitFor('the model to be asked', () => asked > 0);
    expect(await first.stop()).toEqual({ code: 0, signal: null });
    const second = await programs.serve(options);
    await waitFor('the run to be answered', async () => {
      const run = await second.api.get<RunView>(`/api/runs/${body.run_id}`);
      // Beside its first answer a person is asked how they like to be talked to.
      return run.body.response_text.startsWith('Here I am.');
    });
    await second.stop();
  });

  it('ends its run with a name once its time is over', async () => {
    const hasty = await programs.serve({
      home: await programs.home(),
      database: databases.hasty.url,
      env: { OPENAI_BASE_URL: model.url, WALL_TIME_SEC: '2' },
    });
    const run = await hasty.api.ask('Hang');
    expect(run).toMatchObject({ planning_status: 'aborted', escalate_reason: 'cap_time' });
    expect(run.response_text).toMatch(/2 seconds.*WALL_TIME_SEC/s);
    await hasty.stop();
  });
});

describe('a model whose price is not known', () => {
  it('is called by doctor only once its price is set', async () => {
    asked = 0;
    const examine = async (settings: object) => {
      const { stdout } = await programs.finish(['doctor', '--json'], {
        home: await programs.home(settings),
        database: databases.hasty.url,
        env: {
          OPENAI_BASE_URL: model.url,
          PLANNER_MODEL: 'local-llama',
          EXECUTOR_MODEL: 'local-llama',
        },
      });
      const findings: { part: string }[] = JSON.parse(stdout);
      return findings.find(({ part }) => part === 'Model');
    };
    const text = expect.stringMatching(/local-llama costs is not known.*"prices"/);
    expect(await examine({})).toMatchObject({ state: 'broken', text });
    expect(asked).toBe(0);
    const free = { prices: { 'local-llama': { input: 0, output: 0 } } };
    expect(await examine(free)).toMatchObject({
      state: 'ok',
      text: expect.stringContaining('local-llama called a tool'),
    });
  });
});
