// Two whole processes on one database: however many approve at once, the plan is approved once and runs once.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Plan } from '#domain/plan/plan.ts';
import { appendTool } from '../fixtures/append-tool.ts';
import { draftStep } from '../fixtures/steps.ts';
import { useDatabase } from '../setup/database.ts';
import type { Answer, Problem } from '../setup/http-client.ts';
import { type Server, usePrograms } from '../setup/process.ts';

const database = useDatabase();
const programs = usePrograms();
let servers: [Server, Server];
let log: string;

beforeAll(async () => {
  const place = await programs.home();
  log = join(place, 'log.txt');
  const home = await programs.home({ mcpServers: { log: appendTool(log) } });
  const options = { home, database: database.url };
  servers = await Promise.all([programs.serve(options), programs.serve(options)]);
});

const ids = ['one', 'two', 'three'];
const draft = {
  title: 'Three lines in the log',
  approvers: { kind: 'named', people: ['local', 'ben'] },
  steps: ids.map((id) => draftStep(id, `Append ${id}`, 'log_append', { line: id })),
};

/** The current version and digest in a refusal. */
type Refusal = Problem & { current: Pick<Plan, 'version' | 'digest' | 'status' | 'decided_by'> };

describe('100 approvals at once, half of them at each process', () => {
  it('gives one approval and one execution; whoever was first is told so, the other one refused', async () => {
    const [one, two] = servers;
    const plan = await one.api.propose(draft);
    const answers: Answer<Plan | Refusal>[] = await Promise.all(
      Array.from({ length: 100 }, (_, i) =>
        (i % 2 === 0 ? one : two).api.post<Plan | Refusal>(`/api/plans/${plan.id}/approve`, {
          version: plan.version,
          digest: plan.digest,
          user: i % 4 < 2 ? 'local' : 'ben',
        }),
      ),
    );
    const won = answers.filter(({ status }) => status === 200);
    const lost = answers.filter(({ status }) => status === 409);
    expect([won.length, lost.length]).toEqual([50, 50]);
    for (const { type, body } of lost) {
      expect(type).toContain('application/problem+json');
      expect(body).toMatchObject({
        code: 'already_decided',
        current: {
          version: 1,
          digest: plan.digest,
          decided_by: expect.stringMatching(/^(local|ben)$/),
        },
      });
      expect((body as Refusal).detail).toMatch(
        /^Decided by (local|ben) at \d\d:\d\d UTC\. Version 1 is /,
      );
    }

    await two.api.reach(plan.id, 'completed');
    const lines = (await readFile(log, 'utf8')).trim().split('\n');
    expect(lines.toSorted()).toEqual(ids.toSorted());
    const attempts = (await one.api.text(`/api/plans/${plan.id}/log.jsonl`)).trim().split('\n');
    expect(attempts.map((line) => JSON.parse(line).step).toSorted()).toEqual(ids.toSorted());
    const { entries } = (
      await one.api.get<{ entries: { action: string }[] }>(`/api/plans/${plan.id}/audit`)
    ).body;
    expect(entries.filter(({ action }) => action === 'approve')).toHaveLength(1);
  });
});
