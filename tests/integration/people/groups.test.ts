// Groups in approver rules: members by configuration and sign-in.
import { sql } from 'drizzle-orm';
import { beforeAll, expect, test } from 'vitest';
import { type Actor, person } from '#domain/people/actor.ts';
import type { ApproverPolicy, Plan } from '#domain/plan/plan.ts';
import { draftStep } from '../../fixtures/steps.ts';
import { noop } from '../../setup/instance.ts';
import { readsOf } from '../../setup/reads.ts';
import { useInstance } from '../../setup/use-instance.ts';

const ana = person('ana@example.com', 'slack');
const ben = person('ben@example.com', 'slack');
const cleo = person('cleo@example.com', 'slack');
const dan: Actor = { ...person('oidc:corp:dan', 'console'), verified: true, role: 'approver' };
const instance = useInstance({
  work: false,
  env: { COUNTERSIGN_PUBLIC_URL: 'https://bot.example.com' },
  settings: {
    identity: {
      providers: Object.fromEntries(
        ['corp', 'other'].map((name) => [
          name,
          { issuer: `https://${name}.example`, client_id: 'c', client_secret: 's' },
        ]),
      ),
    },
    groups: { finance: [ana.id, ben.id], small: [ben.id], nobody: [] },
    approvers: ['group:small'],
    guardedApprovers: { workspace_delete: { kind: 'named', people: ['group:corp:auditors'] } },
  },
});

beforeAll(async () => {
  await instance.db.query.execute(sql`
    insert into countersign.signed_in (account, provider, name, email, tenant, groups, at)
    values (${dan.id}, 'corp', 'Dan', null, null, array['auditors', 'finance'], now())`);
});
const propose = (approvers: ApproverPolicy, requester = cleo): Promise<Plan> =>
  instance.service.propose(
    { title: 'Plan', steps: [noop('a')], approvers },
    { user: requester.id },
    requester,
  );
const { approve } = readsOf(() => instance);
const refused = { code: 'not_allowed' };

test('a member of a group of the configuration approves for it, and nobody else', async () => {
  const plan = await propose({ kind: 'named', people: ['group:finance'] });
  await expect(approve(plan, cleo)).rejects.toMatchObject(refused);
  await expect(approve(plan, dan)).rejects.toMatchObject(refused);
  await expect(approve(plan, cleo)).rejects.toThrow(/ana@example\.com or ben@example\.com/);
  expect((await approve(plan, ben)).status).toBe('approved');
});

test('two of a group are two of its people', async () => {
  const plan = await propose({ kind: 'n_of', people: ['group:finance'], n: 2 });
  expect((await approve(plan, ana)).status).toBe('proposed');
  await approve(plan, ana);
  expect((await instance.service.getPlan(plan.id)).status).toBe('proposed');
  expect((await approve(plan, ben)).status).toBe('approved');
});

test.each([
  ['a group with one member', ['group:small'], 2],
  ['a group and its member', ['group:small', ben.id], 2],
  ['one person written in two ways', [ana.id, '@ANA@example.com'], 2],
  ['a group without anybody', ['group:nobody', ana.id, ben.id], 3],
])('a rule that asks for more people than it names is refused: %s', async (_, people, n) => {
  await expect(propose({ kind: 'n_of', people, n })).rejects.toMatchObject({
    code: 'invalid_request',
  });
});

test('a group of one provider is no group of another, of a chat or of the configuration', async () => {
  const eve: Actor = { ...person('other:eve', 'console'), verified: true, role: 'approver' };
  await instance.db.query.execute(sql`
    insert into countersign.signed_in (account, provider, name, email, tenant, groups, at)
    values (${eve.id}, 'other', 'Eve', null, null, array['auditors', 'finance', '@auditors', 'corp:auditors'], now())`);
  for (const group of ['corp:auditors', 'finance', 'auditors']) {
    const plan = await propose({ kind: 'named', people: [`group:${group}`] });
    await expect(approve(plan, eve)).rejects.toMatchObject(refused);
  }
  const own = await propose({ kind: 'named', people: ['group:other:auditors'] });
  await expect(approve(own, dan)).rejects.toMatchObject(refused);
  expect((await approve(own, eve)).status).toBe('approved');
});

test('a group without anybody is nobody, and nobody becomes it by its name', async () => {
  const plan = await propose({ kind: 'named', people: ['group:nobody', 'group:unknown'] });
  for (const id of ['group:nobody', 'group:unknown', 'nobody'])
    await expect(approve(plan, person(id, 'api'))).rejects.toMatchObject(refused);
});

test('who is in a provider’s group by their last sign-in approves for it, until a sign-in says otherwise', async () => {
  const remove = draftStep('a', 'Delete it', 'workspace_delete', { path: 'a.md' });
  const proposed = async () =>
    instance.service.propose({ title: 'Delete', steps: [remove] }, { user: ben.id }, ben);
  const plan = await proposed();
  expect((await approve(plan, ben)).status).toBe('proposed');
  expect((await approve(plan, dan)).status).toBe('approved');
  const later = await proposed();
  await approve(later, ben);
  await instance.db.query.execute(
    sql`update countersign.signed_in set groups = array['finance'] where account = ${dan.id}`,
  );
  await expect(approve(later, dan)).rejects.toMatchObject(refused);
});

test('an approver of the configuration may be a group, and it needs them in their inbox', async () => {
  const plan = await propose({ kind: 'requester' });
  const waits = async (user: string) => {
    const { groups } = await instance.service.inbox({ user, limit: 20 });
    return groups.find(({ group }) => group === 'needs_you')?.plans.map(({ id }) => id) ?? [];
  };
  expect(await waits(ben.id)).toContain(plan.id);
  expect(await waits(ana.id)).not.toContain(plan.id);
  expect((await approve(plan, ben)).status).toBe('approved');
});
