// Plans exported to a file, and imported once.
import { expect, test } from 'vitest';
import { writeExport } from '#app/verbs/transfer.ts';
import { type Imported, importPlans } from '#plans/transfer/import-plans.ts';
import { draftStep } from '../../fixtures/steps.ts';
import { ana, ben, reach } from '../../setup/instance.ts';
import { useInstance } from '../../setup/use-instance.ts';

const from = useInstance();
const to = useInstance();

const draft = (title: string) => ({
  title,
  approvers: { kind: 'not_requester' as const },
  steps: [
    draftStep('1', 'Write it', 'workspace_write', { path: `${title}.md`, content: '{{x}}' }),
    draftStep('2', 'Wait', 'control_wait', { seconds: 0 }, '1'),
  ],
});

async function exported(ids: string[] = []): Promise<string[]> {
  let text = '';
  await writeExport(from.db, ids, async (chunk) => {
    text += chunk;
  });
  return text.trimEnd().split('\n');
}

async function* each(lines: string[]) {
  yield* lines;
}

async function load(lines: string[], target = to, ended = false): Promise<Imported[]> {
  const done: Imported[] = [];
  for await (const one of importPlans(each(lines), target, { ended, actor: ben })) done.push(one);
  return done;
}

test('open plans are proposed under their ids with nothing approved, ended ones only when asked, and all once', async () => {
  const open = await from.service.propose(draft('open'), {}, ana);
  const over = await from.service.propose(
    { ...draft('over'), approvers: { kind: 'anyone' } },
    {},
    ana,
  );
  const { version, digest } = over;
  await from.service.approve(over.id, { version, digest }, ben);
  await reach(from, over.id, 'completed');
  const lines = await exported();
  const tables = new Set(lines.map((line) => JSON.parse(line).table));
  for (const table of [
    'plans',
    'plan_versions',
    'plan_steps',
    'plan_edges',
    'approvals',
    'step_attempts',
    'audit',
  ])
    expect(tables).toContain(table);
  expect(await load(lines)).toEqual([
    { id: open.id, status: 'proposed', outcome: 'proposed', plan_id: open.id },
    { id: over.id, status: 'completed', outcome: 'ended' },
  ]);
  const here = await to.service.getPlan(open.id);
  expect(here).toMatchObject({
    ...{ status: 'proposed', requester: 'ana', approver_policy: { kind: 'not_requester' } },
    ...{ title: 'open', approvals: [], version: 1 },
  });
  expect(here.summary).toContain(`Imported: ${open.id}`);
  const auditEntries = (await to.service.audit(open.id, { limit: 10 })).map(({ action }) => action);
  expect(auditEntries).toEqual(['propose', 'import']);
  const [again, ended] = await load(lines, to, true);
  expect(again).toMatchObject({ outcome: 'here already', plan_id: open.id });
  expect(ended).toMatchObject({ outcome: 'proposed' });
  const { risks, approvals, status } = await to.service.getPlan(over.id);
  expect([approvals, status]).toEqual([[], 'proposed']);
  expect(risks[0]?.text).toContain('2 of 2 steps had begun or ended there');
  expect((await load(lines, to, true)).map(({ outcome }) => outcome)).toEqual([
    'here already',
    'here already',
  ]);
  expect((await load(lines, from, true)).map(({ outcome }) => outcome)).toEqual([
    'here already',
    'here already',
  ]);
});

test('a plan whose id is taken gets a new one, and is known by its origin', async () => {
  const { id } = await from.service.propose(draft('taken'), {}, ana);
  const lines = await exported([id]);
  const taken = { id, digest: 'other', exported_at: 'then' };
  const other = await to.service.checkProposal(draft('other'), { imported: taken }, ana);
  await to.service.commit(other);
  const [first] = await load(lines);
  expect(first).toMatchObject({
    id,
    outcome: 'proposed',
    plan_id: expect.not.stringContaining(id),
  });
  expect(await load(lines)).toEqual([{ ...first, outcome: 'here already' }]);
});

test('what was changed, cut off, or is of a newer format is refused', async () => {
  const { id } = await from.service.propose(draft('changed'), {}, ana);
  const lines = await exported([id]);
  const edited = lines.map((line) => line.replace('changed.md', 'elsewhere.md'));
  await expect(load(edited)).rejects.toMatchObject({ code: 'invalid_request' });
  await expect(load(lines.slice(0, -1))).rejects.toThrow(`ends within ${id}`);
  const newer = lines.map((line) =>
    line.replace('"version":1,"exported_at"', '"version":2,"exported_at"'),
  );
  await expect(load(newer)).rejects.toThrow('Upgrade first');
  await expect(load(['{}'])).rejects.toThrow('line 1');
  await expect(load([])).rejects.toThrow('empty');
  await expect(to.service.getPlan(id)).rejects.toMatchObject({ code: 'plan_not_found' });
});
