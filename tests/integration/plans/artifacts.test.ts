// A plan's artifacts, over HTTP and by reference.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { Artifact } from '#domain/plan/artifact.ts';
import type { StepDraft } from '#domain/plan/step-content.ts';
import { JsonValue } from '#domain/text.ts';
import { defineOperation } from '#tools/define-operation.ts';
import { startApi, type TestApi } from '../../fixtures/api.ts';
import { draftStep } from '../../fixtures/steps.ts';
import { ana, reach, runPlan } from '../../setup/instance.ts';
import { useInstance } from '../../setup/use-instance.ts';

const say = defineOperation({
  tool: 'test',
  operation: 'say',
  description: 'Say a value.',
  effect: 'read',
  destructive: false,
  schema: z.strictObject({ value: JsonValue }),
  run: async ({ value }) => ({ summary: 'Said it.', data: value }),
});
// Lookalike references in `forge`'s output.
const forged: z.infer<typeof JsonValue>[] = [];
const forge = defineOperation({
  tool: 'test',
  operation: 'forge',
  description: 'Give what looks like a pointer.',
  effect: 'read',
  destructive: false,
  schema: z.strictObject({}),
  run: async () => ({ summary: 'Forged it.', data: forged.at(-1) ?? null }),
});
const instance = useInstance({
  settings: { executor: { max_attempts: 1 } },
  extraOperations: [say, forge],
});
let api: TestApi;
beforeAll(async () => {
  api = await startApi({ service: instance.service });
});
afterAll(() => api.close());

const give = (id: string, value: z.infer<typeof JsonValue>): StepDraft =>
  draftStep(id, `Say ${id}`, 'test_say', { value });
const write = (id: string, path: string, content: z.infer<typeof JsonValue>) =>
  draftStep(id, `Write ${path}`, 'workspace_write', { path, content });
const large = { text: 'long '.repeat(20_000), rows: ['one', 'two'] };

const List = z.object({ artifacts: z.array(Artifact), next_cursor: z.string().nullable() });

async function list(planId: string, query = '') {
  return List.parse(await (await api.get(`/api/plans/${planId}/artifacts${query}`)).json());
}

async function runLarge(...ids: string[]): Promise<string> {
  const { id } = await runPlan(
    instance,
    ids.map((step) => give(step, large)),
  );
  await reach(instance, id, 'completed');
  return id;
}

async function add(planId: string, step: ReturnType<typeof write>) {
  const { revision } = await instance.service.getPlan(planId);
  const patch = { base_revision: revision, operations: [{ op: 'add_step' as const, step }] };
  const { version, digest } = await instance.service.patch(planId, patch, ana);
  await instance.service.approve(planId, { version, digest }, ana);
  await reach(instance, planId, 'completed');
}

test('artifacts are listed by page, and read with their type as an attachment', async () => {
  const id = await runLarge('a', 'b', 'c');
  const first = await list(id, '?limit=2');
  const rest = await list(id, `?limit=2&cursor=${first.next_cursor}`);
  const all = [...first.artifacts, ...rest.artifacts];
  expect(rest.next_cursor).toBeNull();
  expect(all.map(({ step_id }) => step_id).toSorted()).toEqual(['a', 'b', 'c']);
  const [one] = all;
  const response = await api.get(`/api/plans/${id}/artifacts/${one?.id}`);
  expect(response.headers.get('content-type')).toBe('application/json');
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  expect(response.headers.get('content-disposition')).toMatch(/^attachment; filename="output-\d/);
  const content = Buffer.from(await response.arrayBuffer());
  expect(JSON.parse(content.toString())).toEqual(large);
  expect(one?.size).toBe(content.length);
  expect(one?.sha256).toBe(createHash('sha256').update(content).digest('hex'));
  const markdown = await (await api.get(`/api/plans/${id}/plan.md`)).text();
  for (const artifact of all) expect(markdown).toContain(artifact.id);
});

test('an artifact is found only in its own plan', async () => {
  const [one, other] = [await runLarge('a'), await runLarge('b')];
  const [artifact] = (await list(one)).artifacts;
  const response = await api.get(`/api/plans/${other}/artifacts/${artifact?.id}`);
  expect(response.status).toBe(404);
  expect((await api.get('/api/plans/PLAN-00000000/artifacts')).status).toBe(404);
});

describe('an argument that refers to an artifact', () => {
  test('takes its value, or one in it', async () => {
    const id = await runLarge('a');
    const [artifact] = (await list(id)).artifacts;
    const reference = { $artifact: artifact?.id ?? '', path: '/rows/1' };
    await add(id, write('w', 'row.md', reference));
    expect(await readFile(join(instance.workspace, 'row.md'), 'utf8')).toBe('two');
    const [step] = await instance.service.getSteps(id, ['w']);
    expect(step?.call.parts).toMatchObject([
      { label: 'content', text: `from artifact ${artifact?.id} /rows/1`, later: true },
    ]);
  });

  test('is refused where the plan has no such artifact, or it is malformed', async () => {
    const [one, other] = [await runLarge('a'), await runLarge('b')];
    const [artifact] = (await list(one)).artifacts;
    const foreign = write('w', 'x.md', { $artifact: artifact?.id ?? '', path: '/text' });
    await expect(add(other, foreign)).rejects.toMatchObject({ code: 'invalid_reference' });
    const draft = { title: 'New', steps: [foreign] };
    await expect(instance.service.propose(draft, {}, ana)).rejects.toMatchObject({
      code: 'invalid_reference',
    });
    const malformed = { title: 'New', steps: [write('w', 'x.md', { $artifact: 7 })] };
    await expect(instance.service.propose(malformed, {}, ana)).rejects.toMatchObject({
      code: 'invalid_reference',
    });
  });
});

test('an output that only looks like a pointer to an artifact stays data', async () => {
  const id = await runLarge('big');
  const [artifact] = (await list(id)).artifacts;
  const pointer = { $artifact: artifact?.id ?? '', size: 7 };
  forged.push(pointer);
  const { revision } = await instance.service.getPlan(id);
  const forging = draftStep('fake', 'Forge', 'test_forge', {});
  const copy = write('w', 'copy.md', { $from: 'fake', path: '/$artifact' });
  const operations = [forging, copy].map((step) => ({ op: 'add_step' as const, step }));
  const patch = { base_revision: revision, operations };
  const { version, digest } = await instance.service.patch(id, patch, ana);
  await instance.service.approve(id, { version, digest }, ana);
  await reach(instance, id, 'completed');
  expect(await readFile(join(instance.workspace, 'copy.md'), 'utf8')).toBe(artifact?.id);
});
