// "run PLAN-… again with …" and "run playbook …" in words.
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Actor } from '#domain/people/actor.ts';
import type { PlanDraft } from '#domain/plan/plan.ts';
import { proposeFiles } from '../../fixtures/model-calls.ts';
import { type ModelInstance, openModelInstance, settled } from '../../fixtures/model-instance.ts';
import { draftStep } from '../../fixtures/steps.ts';
import { useDatabase } from '../../setup/database.ts';
import {
  ana,
  ben,
  noop,
  openTestInstance,
  reach,
  type TestInstance,
} from '../../setup/instance.ts';
import { waitFor } from '../../wait.ts';

const draft: PlanDraft = {
  title: 'Report of ACME',
  approvers: { kind: 'named', people: ['carla'] },
  context: { tool_outputs: {}, notes: '', artifacts: [], budget_usd: 0.2 },
  steps: [
    draftStep('write', 'Write what ACME owes', 'workspace_write', {
      path: 'ACME.md',
      content: 'ACME owes 42 in May. ACMEX does not.',
    }),
  ],
};

async function ask(instance: TestInstance, text: string, actor: Actor = ben) {
  const { run_id } = await instance.service.startRun({ text }, actor);
  return settled(instance, run_id);
}

describe('without a model', () => {
  const database = useDatabase();
  let instance: TestInstance;
  beforeAll(async () => {
    instance = await openTestInstance(database.url);
  });
  afterAll(() => instance.close());

  test('a run whose plan has a start that has passed is approved by who saw it', async () => {
    const { service } = instance;
    const steps = [{ ...noop('a'), not_before: new Date(Date.now() - 60_000).toISOString() }];
    const first = await service.propose({ title: 'Late', steps }, {}, ben);
    const run = await ask(instance, `run ${first.id} again`);
    const { id, digest } = await service.getPlan(run.plan_id ?? '');
    await instance.db.query.execute(
      sql`update countersign.plan_versions set created_at = created_at - interval '1 hour' where plan_id = ${id}`,
    );
    const choice = { kind: 'approve', digest } as const;
    const refused = await service.decideRun(run.run_id, choice, ben).catch((error) => error);
    expect(refused).toMatchObject({ code: 'times_passed' });
    const { passed } = refused.details;
    await service.decideRun(run.run_id, { ...choice, passed }, ben);
    expect(await service.getPlan(id)).toMatchObject({ status: 'approved' });
  });

  test('a plan is proposed once more with other texts, under the rule of who approves it', async () => {
    const { service } = instance;
    const first = await service.propose(draft, {}, ana);
    const run = await ask(instance, `run ${first.id} again with ACME=Globex, May=June`);
    expect(run).toMatchObject({ planning_status: 'needs_clarification' });
    const plan = await service.getPlan(run.plan_id ?? '');
    expect(plan).toMatchObject({
      title: 'Report of Globex',
      status: 'proposed',
      requester: 'ben',
      approvals: [],
      approver_policy: { kind: 'named', people: ['carla'] },
      context: { budget_usd: 0.2 },
    });
    expect(plan.id).not.toBe(first.id);
    expect(plan.summary).toContain(`${first.id} again: ACME = Globex, May = June`);
    const [step] = await service.getSteps(plan.id, ['write']);
    expect(step?.args).toEqual({
      path: 'Globex.md',
      content: 'Globex owes 42 in June. ACMEX does not.',
    });
    const { version, digest } = plan;
    await expect(service.approve(plan.id, { version, digest }, ben)).rejects.toMatchObject({
      code: 'not_allowed',
    });
    await service.approve(plan.id, { version, digest }, { ...ana, id: 'carla' });
    await reach(instance, plan.id, 'completed');
    expect((await service.getPlan(first.id)).status).toBe('proposed');
  });

  test('what cannot be run again says why and what to write', async () => {
    const { id } = await instance.service.propose(draft, {}, ana);
    const answerTo = async (text: string) => {
      const { planning_status, response_text, plan_id, escalate_reason } = await ask(
        instance,
        text,
      );
      expect([planning_status, plan_id]).toEqual(['complete', undefined]);
      // The terminal's exit code depends on it.
      expect(escalate_reason).toBe(response_text);
      return response_text;
    };
    expect(await answerTo(`run ${id} again with Initech=Globex`)).toContain(
      `${id} does not contain "Initech"`,
    );
    expect(await answerTo(`run ${id} again with Globex instead of ACME`)).toContain(
      `run ${id} again with ACME=Globex`,
    );
    expect(await answerTo('run PLAN-00000000 again')).toContain('no plan PLAN-00000000');
    expect(await answerTo('run playbook absent')).toContain('There is no playbook absent');
    expect(await answerTo('run playbook two-file')).toContain('Did you mean two-files?');
  });

  test('values that do not fit are told, and nothing is proposed', async () => {
    const wait = draftStep('w', 'Wait', 'control_wait');
    const steps = [{ ...wait, args: { seconds: 1 } }];
    const { id } = await instance.service.propose({ title: 'Wait', steps }, {}, ana);
    const run = await ask(instance, `run ${id} again with 1=soon`);
    expect(run).toMatchObject({ planning_status: 'aborted' });
    expect(run.response_text).toContain('It cannot run again with these values');
  });

  test('playbooks are listed with how to run them, and run by name', async () => {
    const { service } = instance;
    const list = async () => (await ask(instance, 'Which playbooks are there?')).response_text;
    expect(await list()).toContain('run playbook two-files with first=Apples');
    const { id } = await service.propose(draft, {}, ana);
    const playbook = { name: 'report', params: { customer: 'ACME' }, defaults: { month: 'May' } };
    await service.savePlaybook(id, playbook, ana);
    expect(await list()).toContain(
      '- run playbook report with customer=ACME, month=May: “Report of ACME” (1 step)',
    );
    const company = { ...draft, title: 'Report of ACME, Inc.' };
    const other = await service.propose(company, {}, ana);
    const params = { customer: 'ACME, Inc.' };
    await service.savePlaybook(other.id, { name: 'inc', params, defaults: {} }, ana);
    expect(await list()).toContain('run playbook inc with customer=“ACME, Inc.”:');
    const run = await ask(instance, 'run playbook Report with customer="Globex, Inc."');
    expect(await service.getPlan(run.plan_id ?? '')).toMatchObject({
      title: 'Report of Globex, Inc.',
      requester: 'ben',
      approver_policy: { kind: 'named', people: ['carla'] },
    });
    expect((await ask(instance, 'run playbook report')).response_text).toContain(
      'customer (such as ACME)',
    );
    const named = await ask(instance, 'use the report with customer: Globex: Spain');
    expect((await service.getPlan(named.plan_id ?? '')).title).toBe('Report of Globex: Spain');
  });

  test('words of somebody else do not say who approves what the requester is asked about', async () => {
    const { service } = instance;
    const mallory: Actor = { ...ana, id: 'mallory' };
    const own = { ...draft, approvers: { kind: 'named' as const, people: ['mallory'] } };
    const { id } = await service.propose(own, {}, mallory);
    const { run_id } = await service.startRun({ text: 'Create', conversation: 'thread' }, ben);
    await settled(instance, run_id);
    await service.reply(run_id, `run ${id} again`, mallory);
    const run = await settled(instance, run_id);
    expect(await service.getPlan(run.plan_id ?? '')).toMatchObject({
      requester: 'ben',
      approver_policy: { kind: 'requester' },
    });
  });

  test('below a plan that waits it is a request of its own', async () => {
    const { service } = instance;
    await service.say('waiting', 'Create one.txt saying "ACME"', ben);
    const plansIn = async () =>
      (await service.listPlans({ conversation: 'waiting', limit: 10 })).plans.map(
        ({ id, title, status }) => ({ id, title, status }),
      );
    const [first] = await waitFor('the plan', async () => {
      const plans = await plansIn();
      return plans.length === 1 && plans;
    });
    await service.say('waiting', `run ${first?.id} again with one.txt=two.txt`, ben);
    await waitFor('the other plan', async () => (await plansIn()).length === 2);
    expect((await plansIn()).map(({ status }) => status)).toEqual(['proposed', 'proposed']);
    expect((await plansIn()).map(({ title }) => title).sort()).toEqual([
      'Write one.txt',
      'Write two.txt',
    ]);
  });

  test('a plan that was proposed so is changed and rejected like any other', async () => {
    const { service } = instance;
    const { id } = await service.propose(draft, {}, ana);
    const run = await ask(instance, `run ${id} again with ACME=Globex`);
    const { version, id: again } = await service.getPlan(run.plan_id ?? '');
    const feedback = 'use Initech.md instead of Globex.md';
    await service.proposeChanges(again, { version, feedback }, ben);
    const revised = await reach(instance, again, 'proposed');
    expect(revised).toMatchObject({ version: 2, approver_policy: { people: ['carla'] } });
    await service.reject(again, { version: 2 }, ben);
  });
});

describe('with a model, where several organisations share the instance', () => {
  const database = useDatabase();
  const provider = {
    ...{ issuer: 'https://id.example', client_id: 'c', client_secret: 's' },
    ...{ tenant_claim: 'org', allowed_tenants: ['any'] },
  };
  let instance: ModelInstance;
  beforeAll(async () => {
    instance = await openModelInstance(database.url, {
      settings: { identity: { providers: { corp: provider } } },
      env: { COUNTERSIGN_PUBLIC_URL: 'http://127.0.0.1:3978' },
    });
  });
  afterAll(() => instance.close());

  test('what is written as old=new needs no model; what is said otherwise is its work', async () => {
    const { id } = await instance.service.propose(draft, {}, ana);
    instance.play([]);
    const run = await ask(instance, `run ${id} again with ACME=Globex`);
    expect(instance.requests()).toEqual([]);
    expect((await instance.service.getPlan(run.plan_id ?? '')).title).toBe('Report of Globex');
    instance.play([proposeFiles(['globex.md'])]);
    await ask(instance, `run ${id} again with Globex instead of ACME`);
    expect(instance.requests().length).toBeGreaterThan(0);
  });

  test('nobody runs a plan or a playbook of another, and the instance’s own are not theirs', async () => {
    const { service } = instance;
    const here = { ...ana, tenant: 'corp:one' };
    const there = { ...ben, tenant: 'corp:two' };
    const { id } = await service.propose(draft, {}, here);
    const playbook = { params: {}, defaults: {} };
    await service.savePlaybook(id, { name: 'report', ...playbook }, here);
    await service.savePlaybook(id, { name: 'own', ...playbook }, ana);
    const answerTo = async (text: string, actor: Actor) =>
      (await ask(instance, text, actor)).response_text;
    expect(await answerTo(`run ${id} again`, there)).toContain(`no plan ${id}`);
    expect(await answerTo('run playbook report', there)).toContain('There is no playbook report');
    expect(await answerTo('run playbook own', there)).toContain('There is no playbook own');
    expect(await answerTo('playbooks', there)).toContain('run playbook two-files');
    expect((await ask(instance, 'run playbook report', here)).plan_id).toMatch(/^PLAN-/);
  });
});
