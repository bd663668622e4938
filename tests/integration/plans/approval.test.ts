// Approvers by a plan's own rule and its operations' rules.
import { sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { viewPlan } from '#cards/view-model.ts';
import { type Actor, person } from '#domain/people/actor.ts';
import type { ApproverPolicy, Plan, PlanDraft } from '#domain/plan/plan.ts';
import { refusalCode } from '../../fixtures/refusal.ts';
import { draftStep } from '../../fixtures/steps.ts';
import { noop } from '../../setup/instance.ts';
import { readsOf } from '../../setup/reads.ts';
import { useInstance } from '../../setup/use-instance.ts';

const ana = person('ana', 'slack');
const ben = person('ben', 'slack');
const cleo = person('cleo', 'slack');
const dan = person('dan', 'slack');

const instance = useInstance({
  work: false,
  settings: {
    guardedApprovers: {
      workspace_delete: { kind: 'n_of', people: ['ana', 'ben', 'cleo'], n: 2 },
      workspace_move: { kind: 'named', people: ['dan'] },
    },
  },
});

const remove = (id: string, ...after: string[]) =>
  draftStep(id, `Delete ${id}`, 'workspace_delete', { path: `${id}.md` }, ...after);
const move = (id: string, ...after: string[]) =>
  draftStep(
    id,
    `Move ${id}`,
    'workspace_move',
    { from: `${id}.md`, to: `archive/${id}.md` },
    ...after,
  );

function propose(draft: Omit<PlanDraft, 'title'>, conversation?: string): Promise<Plan> {
  const options = conversation === undefined ? { user: 'ana' } : { user: 'ana', conversation };
  return instance.service.propose({ title: 'Plan', ...draft }, options, ana);
}
const { approve } = readsOf(() => instance);
const cardFor = (plan: Plan, user: string) =>
  instance.service.card(plan.id, { user, timezone: 'UTC' });
const refused = { code: 'not_allowed' };

describe('a start that has passed since the proposal', () => {
  const at = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();
  const start = at(-1);
  const dated = (id: string, not_before: string) => ({ ...noop(id), not_before });

  async function proposeEarlier(steps: PlanDraft['steps'], conversation?: string): Promise<Plan> {
    const plan = await propose({ steps }, conversation);
    await instance.db.query.execute(
      sql`update countersign.plan_versions set created_at = created_at - interval '1 hour' where plan_id = ${plan.id}`,
    );
    return plan;
  }
  const passed = { code: 'times_passed', details: { passed: start } };

  test('is refused until it was shown, and then named by the card and its button', async () => {
    const plan = await proposeEarlier([dated('a', start), dated('b', at(60)), noop('c')]);
    await expect(approve(plan, ana)).rejects.toMatchObject(passed);
    await expect(approve(plan, ana, { passed: at(-30) })).rejects.toMatchObject(passed);
    const facts = await cardFor(plan, 'ana');
    expect(facts.passed).toMatchObject({ labels: ['1a'], more: 0, last: start });
    const [button] = viewPlan(facts).buttons;
    expect(button).toMatchObject({ label: 'Approve · starts now', press: { passed: start } });
    expect(facts.plan.revision).toBeGreaterThan(plan.revision);
    const { last } = facts.passed ?? { last: '' };
    expect(await approve(plan, ana, { passed: last })).toMatchObject({ status: 'approved' });
  });

  test('is refused in words, and taken by “approve now”', async () => {
    const plan = await proposeEarlier([dated('a', start)], 'conv-passed');
    const say = (text: string) => instance.service.say('conv-passed', text, ana);
    await say('approve').catch(() => undefined);
    expect(await instance.service.getPlan(plan.id)).toMatchObject({ status: 'proposed' });
    await say('approve now');
    expect(await instance.service.getPlan(plan.id)).toMatchObject({ status: 'approved' });
  });

  test('is not asked about where its step is left out', async () => {
    const plan = await proposeEarlier([dated('a', start), noop('b')]);
    expect(await approve(plan, ana, { except: ['a'] })).toMatchObject({ status: 'approved' });
  });

  test('is asked about for the first occurrence of a series', async () => {
    const steps = [noop('s')];
    const series = [
      {
        id: 's',
        title: 'S',
        rrule: 'FREQ=DAILY',
        timezone: 'UTC',
        starts_at: at(60),
        until: null,
        steps,
      },
    ];
    const plan = await propose({ steps: [], series });
    await instance.db.query.execute(sql`
      update countersign.plan_versions set created_at = created_at - interval '3 days' where plan_id = ${plan.id}`);
    await instance.db.query.execute(sql`
      update countersign.plan_steps set not_before = not_before - interval '2 days' where plan_id = ${plan.id}`);
    await expect(approve(plan, ana)).rejects.toMatchObject({ code: 'times_passed' });
  });

  test('was in the past when it was proposed, so an approval of that means it', async () => {
    const plan = await propose({ steps: [dated('a', start)] });
    expect((await cardFor(plan, 'ana')).passed).toMatchObject({ last: start });
    expect(await approve(plan, ana)).toMatchObject({ status: 'approved' });
  });
});

describe('a policy', () => {
  const table: [string, ApproverPolicy, Actor[], Actor[]][] = [
    ['the requester', { kind: 'requester' }, [ana], [ben]],
    ['named people', { kind: 'named', people: ['ben', 'cleo'] }, [ben], [ana, dan]],
    ['two of three', { kind: 'n_of', people: ['ana', 'ben', 'cleo'], n: 2 }, [cleo, ana], [dan]],
    ['not the requester', { kind: 'not_requester' }, [dan], [ana]],
    ['anyone, outside a conversation', { kind: 'anyone' }, [dan], []],
  ];
  test.each(table)('of %s counts them and nobody else', async (_, approvers, those, others) => {
    const plan = await propose({ steps: [noop('1')], approvers });
    for (const actor of others) await expect(approve(plan, actor)).rejects.toMatchObject(refused);
    for (const [index, actor] of those.entries()) {
      const now = await approve(plan, actor);
      expect(now.status).toBe(index === those.length - 1 ? 'approved' : 'proposed');
    }
  });

  test('of anyone in the conversation counts who has written there, and the requester', async () => {
    const draft = { steps: [noop('1')], approvers: { kind: 'anyone' as const } };
    const plan = await propose(draft, 'room');
    await expect(approve(plan, ben)).rejects.toThrow(
      'Only someone in this conversation can approve this. You have not written there yet.',
    );
    expect((await cardFor(plan, 'ben')).may_approve).toBe(false);
    await instance.service.say('elsewhere', 'status', ben);
    await expect(approve(plan, ben)).rejects.toMatchObject(refused);
    await instance.service.say('room', 'status', ben);
    expect((await cardFor(plan, 'ben')).may_approve).toBe(true);
    expect((await approve(plan, ben)).decided_by).toBe('ben');
    expect((await approve(await propose(draft, 'room'), ana)).status).toBe('approved');
  });

  test('never counts a model, whatever its name', async () => {
    const plan = await propose({ steps: [noop('1')], approvers: { kind: 'anyone' } });
    const model: Actor = { kind: 'model', id: 'ana', via: 'system' };
    await expect(approve(plan, model)).rejects.toMatchObject(refused);
    await expect(approve(plan, model, { steps: ['1'] })).rejects.toMatchObject(refused);
  });
});

describe('a plan with guarded operations', () => {
  test('needs its own rule and theirs, and says at each moment who is missing', async () => {
    const plan = await propose({ steps: [remove('a'), move('b')] });
    const words = async (user: string) => viewPlan(await cardFor(plan, user)).approvals;
    const all = 'ana, and 2 of ana, ben and cleo for workspace_delete, and dan for workspace_move';
    expect(await words('ana')).toBe(`Nobody has approved yet (0 of 3). Needs ${all}.`);
    await expect(approve(plan, person('eve', 'api'))).rejects.toThrow(
      `Only ${all} can approve this.`,
    );
    expect((await approve(plan, ana)).status).toBe('proposed');
    expect(await words('ben')).toBe(
      'ana approved (1 of 3). Also needs one of ben or cleo for workspace_delete, and dan for workspace_move.',
    );
    const may = async (user: string) => (await cardFor(plan, user)).may_approve;
    expect([await may('ana'), await may('ben'), await may('dan')]).toEqual([false, false, true]);
    expect((await approve(plan, ana)).approvals).toHaveLength(1);
    expect((await approve(plan, dan)).status).toBe('proposed');
    expect((await approve(plan, ben)).status).toBe('approved');
  });

  test('refuses who has nothing left to approve', async () => {
    const plan = await propose({
      steps: [move('b')],
      approvers: { kind: 'named', people: ['ana', 'ben'] },
    });
    await approve(plan, ana);
    await expect(approve(plan, ben)).rejects.toThrow(
      'Everything you can approve is already approved (ana). It still needs dan for workspace_move.',
    );
    expect((await instance.service.getPlan(plan.id)).approvals.map(({ by }) => by)).toEqual([
      'ana',
    ]);
    expect((await approve(plan, dan)).status).toBe('approved');
  });

  test('is moved once when its last approvers come at the same moment', async () => {
    const plan = await propose({
      steps: [remove('a')],
      approvers: { kind: 'named', people: ['cleo'] },
    });
    const results = await Promise.allSettled(
      Array.from({ length: 30 }, (_, n) => approve(plan, [ana, ben, cleo][n % 3] ?? ana)),
    );
    const now = await instance.service.getPlan(plan.id);
    expect(now.status).toBe('approved');
    const audit = await instance.service.audit(plan.id, { limit: 500 });
    expect(audit.filter(({ action }) => action === 'approve')).toHaveLength(1);
    expect(audit.filter(({ action }) => action === 'approve_in_part')).toHaveLength(
      now.approvals.length - 1,
    );
    for (const result of results) {
      if (result.status === 'rejected') {
        expect(['already_decided', 'not_allowed']).toContain(result.reason.code);
      }
    }
  });
});

describe('a part of a plan', () => {
  test('is judged by the operations that remain', async () => {
    const plan = await propose({ steps: [noop('1'), remove('a'), noop('2', '1')] });
    await expect(approve(plan, ana, { except: ['2'] })).rejects.toThrow(
      'These steps need more than one approval (also one of ben or cleo for workspace_delete), so the plan can only be approved as a whole.',
    );
    expect((await instance.service.getPlan(plan.id)).approvals).toEqual([]);
    const now = await approve(plan, ana, { except: ['a'] });
    expect(now).toMatchObject({ status: 'approved', tools_required: ['control_noop'] });
    expect(now.guarded_operations).toEqual([]);
    const { steps } = await instance.service.listSteps(plan.id, { limit: 10 });
    expect(steps.map(({ id, status }) => [id, status])).toEqual([
      ['1', 'pending'],
      ['a', 'cancelled'],
      ['2', 'pending'],
    ]);
  });

  test('is not completed by who approved the whole', async () => {
    const both: ApproverPolicy = { kind: 'n_of', people: ['ana', 'ben'], n: 2 };
    const plan = await propose({ steps: [noop('1'), noop('2')], approvers: both });
    expect(await refusalCode(approve(plan, ana, { steps: ['1'] }))).toBe('invalid_request');
    expect((await instance.service.getPlan(plan.id)).approvals).toEqual([]);
    await approve(plan, ana);
    expect(await refusalCode(approve(plan, ben, { steps: ['1'] }))).toBe('invalid_request');
    expect((await approve(plan, ben)).status).toBe('approved');
  });

  test('names what it needs however far back, and no step that is not there', async () => {
    const plan = await propose({
      steps: [noop('1'), noop('2', '1'), noop('3', '2'), noop('4'), noop('5', '4')],
    });
    await expect(approve(plan, ana, { steps: ['3', '5'] })).rejects.toMatchObject({
      code: 'steps_missing',
      details: { missing: ['1', '2', '4'], missing_total: 3 },
    });
    await expect(approve(plan, ana, { except: ['4'] })).rejects.toMatchObject({
      details: { missing: ['4'] },
    });
    expect(await refusalCode(approve(plan, ana, { except: ['9'] }))).toBe('unknown_step');
    expect(await refusalCode(approve(plan, ana, { except: ['1', '2', '3', '4', '5'] }))).toBe(
      'unknown_step',
    );
    expect(await refusalCode(approve(plan, ana, { steps: ['1'], except: ['2'] }))).toBe(
      'invalid_request',
    );
    expect((await approve(plan, ana, { steps: ['4', '5'] })).status).toBe('approved');
    const audit = await instance.service.audit(plan.id, { limit: 100 });
    expect(audit.find(({ action }) => action === 'approve')?.reason).toBe('2 of 5 steps');
  });

  test('is approved in words by the numbers of the card', async () => {
    const texts = async () =>
      (await instance.service.messages('words', { limit: 100 })).map(({ text }) => text);
    const plan = await propose(
      { steps: [noop('x'), noop('y'), noop('1', 'x', 'y'), noop('2', '1')] },
      'words',
    );
    await instance.service.say('words', 'approve all but 2', ana);
    expect((await texts()).at(-1)).toBe('The steps you approved need 2 (Does nothing).');
    await instance.service.say('words', 'approve all but 7', ana);
    expect((await texts()).at(-1)).toContain('There is no step 7');
    expect((await instance.service.getPlan(plan.id)).status).toBe('proposed');
    await instance.service.say('words', 'approve 1-2', ana);
    expect((await texts()).at(-1)).toBe(
      'Approved by ana: 1a (Does nothing), 1b (Does nothing) and 2 (Does nothing) only.',
    );
    const { steps } = await instance.service.listSteps(plan.id, {
      status: ['cancelled'],
      limit: 10,
    });
    expect(steps.map(({ id }) => id)).toEqual(['2']);
  });
});

// More than connections, to detect deadlocks on the pool.
test('forty plans are proposed at once, and approved by forty presses in a chat', async () => {
  const numbers = Array.from({ length: 40 }, (_, i) => i);
  const plans = await Promise.all(
    numbers.map((n) =>
      instance.service.propose({ title: `Plan ${n}`, steps: [noop('a')] }, { user: ana.id }, ana),
    ),
  );
  const at = new Date();
  const approved = await Promise.all(
    plans.map(({ id, version, digest }) =>
      instance.service.approve(
        id,
        { version, digest, pressed: { once: `press on ${id}`, at } },
        ana,
      ),
    ),
  );
  expect(approved).toHaveLength(40);
  for (const { id } of plans)
    expect(await instance.service.getPlan(id)).toMatchObject({ status: 'approved' });
});

test('an approval of an outdated digest or version changes nothing and says what is current', async () => {
  const plan = await instance.service.propose({ title: 'Digest', steps: [noop('1')] }, {}, ana);
  await expect(
    instance.service.approve(plan.id, { version: 1, digest: '0'.repeat(64) }, ana),
  ).rejects.toMatchObject({
    code: 'digest_mismatch',
    details: { current: { version: 1, digest: plan.digest } },
  });
  expect(
    await refusalCode(instance.service.approve(plan.id, { version: 2, digest: plan.digest }, ana)),
  ).toBe('stale_version');
  expect((await instance.service.getPlan(plan.id)).status).toBe('proposed');
});
