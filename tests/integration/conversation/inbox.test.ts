// The inbox: groups, waits and a constant number of statements.
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { readInbox } from '#conversation/inbox.ts';
import { createLivePlans } from '#conversation/live-plans.ts';
import { serveWithin } from '#conversation/serve-within.ts';
import type { Database } from '#db/database.ts';
import { readPlanRow } from '#db/plans/plans.ts';
import { CountersignError } from '#domain/errors.ts';
import { type Actor, person } from '#domain/people/actor.ts';
import type { InboxGroup, InboxPlan, InboxQuery, InboxWait } from '#domain/plan/inbox.ts';
import type { ApproverPolicy, Plan, PlanStatus } from '#domain/plan/plan.ts';
import { requireManager } from '#plans/authority/authority.ts';
import { countStatements } from '../../fixtures/counted-database.ts';
import { explainReads } from '../../fixtures/explained-database.ts';
import { type Chance, chanceFrom } from '../../fixtures/random.ts';
import { draftStep } from '../../fixtures/steps.ts';
import { rounds } from '../../rounds.ts';
import { useDatabase } from '../../setup/database.ts';
import { noop, openTestInstance, type TestInstance } from '../../setup/instance.ts';

const database = useDatabase();
const ana = person('ana@corp.example', 'slack');
const ben = person('ben@corp.example', 'slack');
const cleo = person('cleo@corp.example', 'slack');
const people = [ana, ben, cleo, person('dan@corp.example', 'slack')];
const guardedApprovers = {
  control_wait: { kind: 'named', people: [cleo.id] } as const satisfies ApproverPolicy,
};
const rules = { approvers: [ben.id], guardedApprovers };
let instance: TestInstance;
beforeAll(async () => {
  const settings = { ...rules, guardedTools: ['control_wait'] };
  instance = await openTestInstance(database.url, { work: false, settings });
});
afterAll(() => instance.close());
beforeEach(() =>
  instance.db.query.execute(sql`
    truncate countersign.plans, countersign.messages, countersign.identities, countersign.former_links,
      countersign.person_names, countersign.runs, countersign.chat_places cascade`),
);

const wait = { ...noop('w'), operation: 'wait', args: { seconds: 1 } };
const ask = (assignee?: string) => ({
  ...draftStep('h', 'Read it', 'human_task'),
  args: { question: 'Is it right?', ...(assignee === undefined ? {} : { assignee }) },
});

const propose = (by: Actor, draft: object = {}, conversation?: string) =>
  instance.service.propose(
    { title: 'One', steps: [noop('a'), noop('b')], ...draft } as never,
    { user: by.id, ...(conversation === undefined ? {} : { conversation }) },
    by,
  );

async function readAll(user: string, query: Partial<InboxQuery> = {}) {
  const { groups } = await instance.service.inbox({ user, limit: 7, ...query });
  const found = new Map<InboxGroup, InboxPlan[]>();
  for (const { group, total, plans, next_cursor } of groups) {
    const all = [...plans];
    for (let cursor = next_cursor; cursor !== null; ) {
      const next = await instance.service.inbox({ user, limit: 7, ...query, group, cursor });
      all.push(...(next.groups[0]?.plans ?? []));
      cursor = next.groups[0]?.next_cursor ?? null;
    }
    expect(all).toHaveLength(total);
    found.set(group, all);
  }
  return found;
}

const idsOf = (plans: InboxPlan[] | undefined) => (plans ?? []).map(({ id }) => id);
const allIds = (found: Map<InboxGroup, InboxPlan[]>) => [...found.values()].flatMap(idsOf);

const setStatus = (id: string, status: PlanStatus, revising = false) =>
  instance.db.query.execute(
    sql`update countersign.plans set status = ${status}, revising = ${revising} where id = ${id}`,
  );

async function stop(id: string, step: string, status: 'waiting' | 'unknown', output: object = {}) {
  await instance.db.query.execute(sql`
    update countersign.step_states set status = ${status}, output = ${JSON.stringify(output)}::jsonb, started_at = now(), ended_at = now()
    where plan_id = ${id} and step_id = ${step}`);
  const counter = sql.identifier(status);
  await instance.db.query.execute(sql`
    update countersign.plans set ${counter} = ${counter} + 1, pending = pending - 1 where id = ${id}`);
}

test('a proposed plan needs its approver, and is somebody else’s to everybody else', async () => {
  const { id } = await propose(ana);
  const own = await readAll(ana.id);
  expect(own.get('needs_you')).toMatchObject([{ id, waits: 'approval', may_approve: true }]);
  expect(own.get('others')).toEqual([]);
  const others = await readAll('zoe@corp.example');
  expect(others.get('others')).toMatchObject([{ id, waits: null, may_approve: false }]);
  expect(others.get('needs_you')).toEqual([]);
});

const policies: ApproverPolicy[] = [
  { kind: 'requester' },
  { kind: 'not_requester' },
  { kind: 'anyone' },
  { kind: 'named', people: ['@Ana@corp.example', cleo.id] },
  { kind: 'n_of', n: 2, people: [ana.id, ben.id, 'dan-elsewhere'] },
];
const statuses: PlanStatus[] = [
  ...(['proposed', 'needs_review', 'approved', 'executing', 'stalled'] as const),
  ...(['failed', 'completed', 'rejected', 'cancelled'] as const),
];

async function makeAny(chance: Chance): Promise<void> {
  const by = chance.pick(people);
  const assignee = chance.pick([null, ...people.map(({ id }) => id), 'dan-elsewhere']);
  const steps = [noop('a'), ask(assignee ?? undefined), ...(chance.next() < 0.3 ? [wait] : [])];
  const conversation = chance.pick([null, 'here']);
  const plan = await propose(
    by,
    { approvers: chance.pick(policies), steps },
    conversation ?? undefined,
  );
  const { id, version, digest } = plan;
  if (chance.next() < 0.5)
    await instance.service.approve(id, { version, digest }, chance.pick(people)).catch(() => {});
  if (chance.next() < 0.3) {
    const severity = chance.pick(['WARN', 'ERROR'] as const);
    const finding = { severity, category: 'reported' as const, message: 'Wrong.', evidence: [] };
    await instance.service.raiseFinding(id, { ...finding, step_id: 'a' }, by);
  }
  const status = chance.pick(statuses);
  await setStatus(id, status, status === 'rejected' && chance.next() < 0.5);
  if (status === 'approved' && chance.next() < 0.7) {
    const { revision } = await instance.service.getPlan(id);
    const operations = [{ op: 'add_step' as const, step: { ...wait, id: 'extra' } }];
    await instance.service
      .patch(id, { base_revision: revision, operations } as never, by)
      .catch(() => {});
  }
  if (status !== 'executing' && status !== 'stalled') return;
  if (chance.next() < 0.5) await stop(id, 'h', 'waiting', assignee === null ? {} : { assignee });
  const call = chance.pick(['unknown', 'waiting', null] as const);
  if (call !== null) await stop(id, 'a', call, call === 'unknown' ? {} : { confirm: true });
}

async function expectWait(plan: Plan, actor: Actor): Promise<InboxWait | null> {
  const { id, status, revising } = plan;
  const card = await instance.service.card(id, { user: actor.id, timezone: 'UTC' });
  const isProposed = status === 'proposed' || status === 'needs_review';
  if (isProposed && !revising && card.may_approve) return 'approval';
  const alive = status === 'executing' || status === 'stalled';
  const mine = actor.id === 'dan@corp.example' ? [actor.id, 'dan-elsewhere'] : [actor.id];
  const [task] = card.waiting.filter(({ tool }) => tool === 'human');
  const asked = (task?.output as { assignee?: string } | null | undefined)?.assignee;
  if (alive && task !== undefined && mine.includes(asked ?? plan.requester)) return 'task';
  if (card.patch?.may_approve === true) return 'change';
  const row = await readPlanRow(instance.db.query, id);
  const manages = await requireManager(instance.db.query, rules, row, actor).then(
    () => true,
    (error: unknown) => {
      if (error instanceof CountersignError) return false;
      throw error;
    },
  );
  if (!manages) return null;
  // A call without its own rule follows the plan's.
  const confirms = card.waiting.some(({ tool }) => tool !== 'human');
  const mayConfirm = confirms && (await confirmsAs(plan, actor));
  if (alive && (card.unknown.length > 0 || mayConfirm)) return 'outcome';
  if (status === 'stalled') return 'outcome';
  return card.findings.open.some(
    (finding) => finding.status === 'open' && finding.severity === 'ERROR',
  )
    ? 'problem'
    : null;
}

async function confirmsAs({ approver_policy: rule, requester }: Plan, { id }: Actor) {
  const mine = id === 'dan@corp.example' ? [id, 'dan-elsewhere'] : [id];
  switch (rule.kind) {
    case 'requester':
      return requester === id || id === ben.id;
    case 'not_requester':
      return requester !== id && id === ben.id;
    case 'anyone':
      return true;
    case 'named':
    case 'n_of':
      return rule.people.some((name) => mine.includes(name.toLowerCase().replace(/^@/, '')));
    default:
      return rule satisfies never;
  }
}

function groupOf({ status, revising }: Plan): InboxGroup {
  if (revising || status === 'approved' || status === 'executing') return 'running';
  if (status === 'failed' || status === 'stalled') return 'failed';
  return status === 'proposed' || status === 'needs_review' ? 'others' : 'done';
}

test.each(Array.from({ length: rounds(5) }, (_, i) => i + 1))(
  'each plan is in exactly one group of each person, by what their cards and decisions say (chance %i)',
  { timeout: 120_000 },
  async (seed) => {
    const chance = chanceFrom(seed);
    await instance.db.query.execute(sql`
      insert into countersign.identities (account, person)
      values ('dan@corp.example', 'dan@corp.example'), ('dan-elsewhere', 'dan@corp.example')`);
    for (const { id } of people)
      await instance.db.query.execute(sql`
        insert into countersign.messages (conversation, author, name, text) values ('here', 'person', ${id}, 'hello')`);
    for (let i = 0; i < 30; i++) await makeAny(chance);
    const { plans } = await instance.service.listPlans({ limit: 100 });
    expect(plans).toHaveLength(30);
    for (const actor of people) {
      const found = await readAll(actor.id);
      expect(allIds(found).toSorted()).toEqual(plans.map(({ id }) => id).toSorted());
      const listed = [...found].flatMap(([group, some]) =>
        some.map(({ id, status, waits }) => ({ id, status, group, waits })),
      );
      const expected = [];
      for (const { id } of plans) {
        const plan = await instance.service.getPlan(id);
        const waits = await expectWait(plan, actor);
        const group = waits === null ? groupOf(plan) : 'needs_you';
        expected.push({ id, status: plan.status, group, waits });
      }
      const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
      expect(listed.toSorted(byId), actor.id).toEqual(expected.toSorted(byId));
    }
  },
);

test('what began to wait last is first among what needs somebody, the latest activity elsewhere', async () => {
  const first = await propose(ana);
  const second = await propose(ana);
  const failed = [await propose(ben), await propose(ben)];
  for (const { id } of failed) await setStatus(id, 'failed');
  await instance.db.query.execute(
    sql`update countersign.plans set updated_at = now() where id = ${failed[0]?.id}`,
  );
  const found = await readAll(ana.id);
  expect(idsOf(found.get('needs_you'))).toEqual([second.id, first.id]);
  expect(idsOf(found.get('failed'))).toEqual(failed.map(({ id }) => id));
  const [waiting] = found.get('needs_you') ?? [];
  expect(waiting?.waits_since).toBe(second.created_at);
});

test('a task names its step as the card does, whomever else it is given to', async () => {
  const steps = [noop('a'), { ...ask(), after: ['a'] }, { ...noop('c'), after: ['a'] }];
  const { id } = await propose(ana, { steps });
  await setStatus(id, 'executing');
  await stop(id, 'h', 'waiting');
  expect((await readAll(ana.id)).get('needs_you')).toMatchObject([
    { id, waits: 'task', waits_step: '2a' },
  ]);
  const many = Array.from({ length: 40 }, (_, index) => noop(`n${index}`));
  const large = await propose(ben, { steps: [...many, ask(ana.id)] });
  await setStatus(large.id, 'executing');
  await stop(large.id, 'h', 'waiting', { assignee: ana.id });
  const [found] = (await readAll(ana.id)).get('needs_you') ?? [];
  const [step] = await instance.service.getSteps(large.id, ['h']);
  expect(found).toMatchObject({ id: large.id, waits_step: `${step?.label}` });
});

test('a search finds by every word, by who has to do with a plan, and by tool; all conditions together', async () => {
  const notes = await propose(ana, {
    title: 'Publish the Release notes',
    summary: 'Tells 100% of all.',
  });
  const guarded = await propose(ben, {
    title: 'Wait for the release',
    steps: [wait, ask('dan-elsewhere')],
    approvers: { kind: 'named', people: ['@Cleo'] },
  });
  await instance.db.query.execute(sql`
    insert into countersign.identities (account, person) values ('dan', 'dan'), ('dan-elsewhere', 'dan')`);
  await instance.service.noteName('dan-elsewhere', 'Daniel Ortiz');
  const find = async (query: Partial<InboxQuery>) =>
    allIds(await readAll(ana.id, query)).toSorted();
  const both = [notes.id, guarded.id].toSorted();
  expect(await find({ words: 'RELEASE' })).toEqual(both);
  expect(await find({ words: 'release notes' })).toEqual([notes.id]);
  expect(await find({ words: '100%' })).toEqual([notes.id]);
  expect(await find({ words: '_' })).toEqual([]);
  expect(await find({ words: guarded.id.slice(5) })).toEqual([guarded.id]);
  expect(await find({ person: 'ana@corp.example' })).toEqual([notes.id]);
  for (const name of ['ben', 'cleo', 'Dan', 'daniel ortiz'])
    expect(await find({ person: name }), name).toEqual([guarded.id]);
  expect(await find({ person: 'me' })).toEqual([notes.id]);
  expect(await find({ person: 'nobody' })).toEqual([]);
  expect(await find({ tool: 'human' })).toEqual([guarded.id]);
  expect(await find({ tool: 'control.wait' })).toEqual([guarded.id]);
  expect(await find({ tool: 'control' })).toEqual(both);
  expect(await find({ tool: 'control', words: 'notes', person: 'ben' })).toEqual([]);
});

test('of an organisation’s inbox only its own plans are in any group', async () => {
  const inChat = (platform: string, conversation: string) =>
    instance.db.query.execute(sql`
      insert into countersign.chat_places (conversation, platform, tenant, channel) values (${conversation}, ${platform}, 'T1', 'C1')`);
  await inChat('slack', 'ours');
  await inChat('teams', 'theirs');
  const ours = [await propose(ben, {}, 'ours'), await propose(ana, {}, 'ours')];
  const theirs = await propose(ana, {}, 'theirs');
  const outside = await propose(ana);
  await propose(ben);
  const read = serveWithin(instance.service, { tenant: 'slack:T1', reader: ana.id });
  const { groups } = await read.inbox({ user: ana.id, limit: 20 });
  const shown = groups.flatMap(({ plans }) => plans.map(({ id }) => id)).toSorted();
  expect(shown).toEqual([...ours, outside].map(({ id }) => id).toSorted());
  expect(shown).not.toContain(theirs.id);
  expect(groups.reduce((sum, { total }) => sum + total, 0)).toBe(shown.length);
});

// Every fourth has the same rule.
const fill = (count: number) =>
  instance.db.query.execute(sql`
    with made as (
      insert into countersign.plans (id, status, version, digest, revision, total, title, requester, approver_policy,
        planner_model, tools_required, guarded_operations, created_at, updated_at)
      select 'PLAN-' || lpad(to_hex(n), 8, '0'), 'proposed', 1, 'd', 1, 1, 'Plan ' || n,
        case n % 3 when 0 then ${ana.id} else ${ben.id} end,
        case n % 4 when 0 then '{"kind":"requester"}' when 1 then '{"kind":"not_requester"}' when 2 then '{"kind":"named","people":["zoe"]}'
          else '{"kind":"n_of","n":2,"people":["ana@corp.example","zoe"]}' end::jsonb,
        'm', '{control_noop}', '{}', now() - make_interval(secs => n / 2), now() - make_interval(secs => n / 2)
      from generate_series(1, ${count}::int) n returning id, approver_policy, title, created_at
    )
    insert into countersign.plan_versions (plan_id, version, digest, title, context, risks, approver_policy, tools_required, total, planner_model, created_at)
    select id, 1, 'd', title, '{}', '[]', approver_policy, '{}', 1, 'm', created_at from made`);

test('2,000 proposed plans are counted exactly and paged without a gap', async () => {
  await fill(2000);
  const found = await readAll(ana.id, { limit: 90 });
  // Four of every twelve: one of her own, three that name two people.
  const needs = found.get('needs_you') ?? [];
  expect(needs).toHaveLength(666);
  expect(new Set(allIds(found)).size).toBe(2000);
  const since = needs.map((plan) => plan.waits_since ?? '');
  expect(since).toEqual(since.toSorted().toReversed());
  const read = (db: Database) =>
    readInbox({ db, ...rules }, createLivePlans(db), { user: ana.id, limit: 20 });
  expect((await explainReads(instance.db, read)).blocks).toBeLessThan(2000 * 12);
});

test('2,000 plans take as many statements as twenty', async () => {
  const counted = countStatements(instance.db);
  const context = { db: counted.db, ...rules };
  const count = async () => {
    counted.forget();
    await readInbox(context, createLivePlans(context.db), { user: ana.id, limit: 20 });
    return counted.statements();
  };
  await fill(20);
  const few = await count();
  await instance.db.query.execute(sql`truncate countersign.plans cascade`);
  await fill(2000);
  expect(await count()).toBe(few);
  expect(few).toBeLessThanOrEqual(14);
});

test('a cursor is of use in the group it is from, and nowhere else', async () => {
  await fill(40);
  const { groups } = await instance.service.inbox({ user: ana.id, group: 'others', limit: 2 });
  const cursor = groups[0]?.next_cursor ?? '';
  const read = (group: InboxGroup) =>
    instance.service.inbox({ user: ana.id, group, cursor, limit: 2 });
  expect((await read('others')).groups[0]?.plans).toHaveLength(2);
  await expect(read('needs_you')).rejects.toMatchObject({ code: 'invalid_request' });
});

test('conversations outside chats are listed, the latest first: all, or a person’s own', async () => {
  const { service, db } = instance;
  await service.say('console-1', 'Create a.txt saying "A"', ana);
  await service.say('console-2', `Create b.txt saying "${'B'.repeat(200)}"`, ben);
  await db.query.execute(sql`
    insert into countersign.chat_places (conversation, platform, tenant, channel) values ('slack-1', 'slack', 'T1', 'C1')`);
  await service.say('slack-1', 'Create c.txt saying "C"', ana);
  await propose(ana, {}, 'console-1');
  const approved = await propose(ana, {}, 'console-1');
  await setStatus(approved.id, 'executing');
  const all = await service.listConversations({ limit: 10 });
  expect(all.conversations).toMatchObject([
    { id: 'console-2', plans: 0, running: 0 },
    { id: 'console-1', title: 'Create a.txt saying "A"', plans: 2, running: 1 },
  ]);
  expect(all.conversations[0]?.title).toMatch(/^Create b\.txt saying "B+…$/);
  const first = await service.listConversations({ limit: 1 });
  const cursor = first.next_cursor ?? '';
  const second = await service.listConversations({ limit: 1, cursor });
  expect(second).toMatchObject({ conversations: [{ id: 'console-1' }], next_cursor: null });
  await db.query.execute(sql`
    insert into countersign.identities (account, person) values (${ana.id}, 'anna'), ('anna', 'anna')`);
  const own = await service.listConversations({ user: 'anna', limit: 10 });
  expect(own.conversations.map(({ id }) => id)).toEqual(['console-1']);
});
