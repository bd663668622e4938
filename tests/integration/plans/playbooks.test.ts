// Playbooks: named plans, run with other values.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { playbook as playbookIn } from '#adapters/terminal/playbook.ts';
import type { Actor } from '#domain/people/actor.ts';
import { PlanDraft } from '#domain/plan/plan.ts';
import type { NewPlaybook } from '#domain/plan/playbook.ts';
import { readDraft } from '#domain/plan/templates.ts';
import { startApi } from '../../fixtures/api.ts';
import { draftStep } from '../../fixtures/steps.ts';
import { createFakeTerminal } from '../../fixtures/terminal.ts';
import { ana, ben, reach } from '../../setup/instance.ts';
import { useInstance } from '../../setup/use-instance.ts';
import { waitFor } from '../../wait.ts';

const instance = useInstance();

const draft: PlanDraft = {
  title: 'Report of ACME for May',
  summary: 'ACME has its report.',
  approvers: { kind: 'anyone' },
  context: { tool_outputs: {}, notes: '', artifacts: [], budget_usd: 0.2 },
  steps: [
    draftStep('read', 'Read what ACME owes', 'workspace_write', {
      path: 'ACME/may.md',
      content: 'ACME owes 42 in May. ACMEX does not.',
    }),
    draftStep('wait', 'Wait', 'control_wait', { seconds: 1 }, 'read'),
  ],
};

async function proposeReport(actor: Actor = ana): Promise<string> {
  const [first] = draft.steps;
  if (first === undefined) throw new Error('The draft has no step.');
  const again = {
    ...first,
    id: 'copy',
    description: 'Copy for ACME',
    args: { path: 'copy.md', content: 'Wrote {{read/path}} for ACME' },
  };
  const whole = readDraft({ ...draft, steps: [first, again] });
  return (await instance.service.propose(whole, {}, actor)).id;
}

const save = async (playbook: Partial<NewPlaybook> & { name: string }, actor: Actor = ana) =>
  instance.service.savePlaybook(
    await proposeReport(actor),
    { params: {}, defaults: {}, ...playbook },
    actor,
  );

const run = async (name: string, values: Record<string, string>, actor: Actor = ben) => {
  const { service } = instance;
  return service.commit(await service.checkPlaybookRun(name, values, {}, actor));
};

test('those that ship are in the list of a fresh installation, and run in any order and twice', async () => {
  const { service } = instance;
  const shipped = (await service.listPlaybooks(ana)).filter(({ plan_id }) => plan_id === '');
  expect(shipped).toHaveLength(5);
  const names = shipped.map(({ name }) => name);
  for (const name of [...names, ...names.toReversed()]) {
    const plan = await run(name, {}, ana);
    expect(plan.findings_open).toMatchObject({});
    await service.approve(plan.id, { version: 1, digest: plan.digest }, ana);
    const isLater = ['weekly-report', 'follow-up'].includes(name);
    await waitFor(`${name} to run`, async () => {
      const { status, counts } = await service.getPlan(plan.id);
      expect(status).not.toBe('failed');
      return status === (isLater ? 'executing' : 'completed') && counts.failed === 0;
    });
  }
  const changed = await run('two-files', { first: 'Plums' }, ana);
  expect((await service.getSteps(changed.id, ['a']))[0]?.args).toMatchObject({ content: 'Plums' });
  await expect(service.removePlaybook('two-files', ana)).rejects.toMatchObject({
    code: 'not_allowed',
  });
  const own = await save({ name: 'two-files' });
  expect((await service.getPlaybook('two-files', ana)).playbook).toEqual(own);
  await service.removePlaybook('two-files', ana);
  expect((await service.getPlaybook('two-files', ana)).playbook.plan_id).toBe('');
});

test('a playbook is proposed with other values, by whoever runs it, and approved afresh', async () => {
  const saved = await save({
    name: 'report',
    params: { customer: 'ACME' },
    defaults: { month: 'May' },
  });
  expect(saved.params).toEqual([
    { name: 'customer', text: 'ACME', optional: false, places: 7 },
    { name: 'month', text: 'May', optional: true, places: 2 },
  ]);
  const plan = await run('Report', { customer: 'May & $& {{read/path}}' });
  expect(plan).toMatchObject({
    status: 'proposed',
    requester: 'ben',
    approvals: [],
    title: 'Report of May & $& {{read/path}} for May',
    approver_policy: { kind: 'anyone' },
    context: { budget_usd: 0.2 },
  });
  expect(plan.summary).toContain('Playbook report: customer = May & $&');
  expect(plan.context.notes).toContain(saved.plan_id);
  const [read, copy] = await instance.service.getSteps(plan.id, ['read', 'copy']);
  expect(read).toMatchObject({
    tool: 'workspace',
    args: {
      path: 'May & $& {{read/path}}/may.md',
      content: 'May & $& {{read/path}} owes 42 in May. ACMEX does not.',
    },
  });
  // Inserted values are never parsed as templates.
  expect(copy?.args).toMatchObject({
    content: {
      $template: ['Wrote ', { $from: 'read', path: '/path' }, ' for May & $& {{read/path}}'],
    },
  });
  const { version, digest } = plan;
  await instance.service.approve(plan.id, { version, digest }, ben);
  await reach(instance, plan.id, 'completed');
});

test('what cannot be kept or run is refused with the reason', async () => {
  const refused = (text: RegExp | string) => expect.objectContaining({ message: text });
  const matching = (text: string) => refused(expect.stringContaining(text));
  await expect(save({ name: 'bad', params: { who: 'Globex' } })).rejects.toEqual(
    matching('does not contain "Globex" (who)'),
  );
  await expect(save({ name: 'bad', params: { tool: 'workspace' } })).rejects.toEqual(
    matching('does not contain'),
  );
  await expect(
    save({ name: 'bad', params: { a: 'ACME' }, defaults: { b: 'ACME' } }),
  ).rejects.toEqual(matching('both stand for'));
  await save({ name: 'strict', params: { customer: 'ACME' } });
  await expect(run('strict', {})).rejects.toEqual(matching('customer (such as ACME)'));
  await expect(run('strict', { customer: 'a', other: 'b' })).rejects.toEqual(
    matching('has no parameter other'),
  );
  await expect(run('absent', {})).rejects.toMatchObject({ code: 'not_found' });
});

test('a number of the plan varies as a number', async () => {
  const { id } = await instance.service.propose(
    { ...draft, approvers: { kind: 'anyone' } },
    {},
    ana,
  );
  const playbook = { name: 'wait', params: { seconds: '1' }, defaults: {} };
  await instance.service.savePlaybook(id, playbook, ana);
  const plan = await run('wait', { seconds: '2' });
  const [wait] = await instance.service.getSteps(plan.id, ['wait']);
  expect(wait?.args).toEqual({ seconds: 2 });
  await expect(run('wait', { seconds: 'two' })).rejects.toMatchObject({
    code: 'invalid_arguments',
  });
});

test('only whoever saved a playbook, or an admin, replaces and removes it', async () => {
  const { service } = instance;
  await save({ name: 'mine' });
  await expect(save({ name: 'mine' }, ben)).rejects.toMatchObject({ code: 'not_allowed' });
  await expect(service.removePlaybook('mine', ben)).rejects.toMatchObject({ code: 'not_allowed' });
  expect(await save({ name: 'mine' })).toMatchObject({ version: 2, owner: 'ana' });
  await service.removePlaybook('mine', { ...ben, role: 'admin' });
  await expect(service.getPlaybook('mine', ana)).rejects.toMatchObject({ code: 'not_found' });
});

test('a playbook is of one organisation, and its plans are too', async () => {
  const { service } = instance;
  const of = (tenant: string): Actor => ({ ...ana, verified: true, tenant });
  await save({ name: 'ours' }, of('slack:T1'));
  const names = async (actor: Actor) =>
    (await service.listPlaybooks(actor)).flatMap(({ name, plan_id }) =>
      plan_id === '' ? [] : [name],
    );
  expect(await names(of('slack:T1'))).toEqual(['ours']);
  expect(await names(of('slack:T2'))).toEqual([]);
  await expect(run('ours', {}, of('slack:T2'))).rejects.toMatchObject({ code: 'not_found' });
  const plan = await run('ours', {}, of('slack:T1'));
  const seen = (tenant: string) =>
    service.isWithin({ tenant, reader: 'zoe' }, { plan_id: plan.id });
  expect([await seen('slack:T1'), await seen('slack:T2')]).toEqual([true, false]);
});

test('over HTTP and in a terminal it is saved, shown, run and removed', async () => {
  const api = await startApi({ service: instance.service });
  const inTerminal = async (verb: Parameters<typeof playbookIn>[1]['verb'], ...words: string[]) => {
    const io = createFakeTerminal();
    const options = { user: 'ana', timezone: 'UTC', verb, words };
    return { code: await playbookIn(instance.service, options, io), said: io.plain() };
  };
  try {
    const params = { customer: 'ACME' };
    const plan_id = await proposeReport();
    const saved = await api.post('/api/playbooks', {
      plan_id,
      name: 'Shared',
      params,
      user: 'ana',
    });
    expect(await saved.json()).toMatchObject({ name: 'shared', owner: 'ana', version: 1 });
    const shown = await (await api.get('/api/playbooks/shared')).json();
    expect(shown).toMatchObject({ playbook: { name: 'shared' }, draft: { title: draft.title } });
    const key = { 'idempotency-key': 'once' };
    const body = { params: { customer: 'Globex' }, user: 'ben' };
    const ids: string[] = [];
    for (let sent = 0; sent < 2; sent++) {
      const answer = await api.post('/api/playbooks/shared/run', body, key);
      expect(answer.status).toBe(201);
      ids.push(answer.headers.get('location') ?? '');
    }
    expect(ids[0]).toMatch(/PLAN-/);
    expect(ids[0]).toBe(ids[1]);
    expect((await api.post('/api/playbooks/shared/run', { params: {} })).status).toBe(400);
    expect((await inTerminal('list')).said).toContain('shared customer=…');
    expect((await inTerminal('show', 'shared')).said).toContain('customer stands for “ACME”');
    const run = await inTerminal('run', 'shared', 'customer=Initech = Co');
    expect(run.said).toContain('is proposed: “Report of Initech = Co for May”');
    expect((await inTerminal('run', 'shared', 'customer')).code).toBe(2);
    const removed = await fetch(`${api.origin}/api/playbooks/shared?user=ana`, {
      method: 'DELETE',
    });
    expect(removed.status).toBe(200);
    expect((await inTerminal('show', 'shared')).said).toContain('There is no playbook shared');
  } finally {
    await api.close();
  }
});

const examples = join(import.meta.dirname, '../../../examples/playbooks');

test.each(readdirSync(examples))('examples/playbooks/%s is proposed and saved', async (file) => {
  const { service } = instance;
  const example: unknown = JSON.parse(readFileSync(join(examples, file), 'utf8'));
  const draft = readDraft(PlanDraft.parse(example));
  const { id } = await service.propose(draft, {}, ana);
  const name = file.replace('.json', '');
  await service.savePlaybook(id, { name, params: {}, defaults: {} }, ana);
  const again = await run(name, {});
  expect(again.title).toBe(draft.title);
});
