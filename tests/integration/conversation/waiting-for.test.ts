// A person's waits by every rule, in constantly many statements.
import { sql } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import { createLivePlans } from '#conversation/live-plans.ts';
import { type Asking, findWaiting } from '#conversation/waiting-for.ts';
import { person } from '#domain/people/actor.ts';
import type { ApproverPolicy } from '#domain/plan/plan.ts';
import { countStatements } from '../../fixtures/counted-database.ts';
import { noop } from '../../setup/instance.ts';
import { useInstance } from '../../setup/use-instance.ts';

const find = async (context: Asking, user: string) =>
  findWaiting(context, user, createLivePlans(context.db)());

const ana = person('ana@corp.example', 'slack');
const ben = person('ben@corp.example', 'slack');
const instance = useInstance({
  work: false,
  settings: {
    guardedTools: ['control_wait'],
    guardedApprovers: { control_wait: { kind: 'named', people: ['cleo@corp.example'] } },
  },
});
beforeEach(() =>
  instance.db.query.execute(
    sql`truncate countersign.plans, countersign.messages, countersign.identities cascade`,
  ),
);

const wait = { ...noop('w'), operation: 'wait', args: { seconds: 1 } };

async function propose(
  approvers: ApproverPolicy,
  { conversation, steps = [noop('a')] }: { conversation?: string; steps?: object[] } = {},
) {
  const from = { user: ana.id, ...(conversation === undefined ? {} : { conversation }) };
  return instance.service.propose({ title: 'One', approvers, steps: steps as never }, from, ana);
}

const say = (conversation: string, name: string) =>
  instance.db.query.execute(sql`
    insert into countersign.messages (conversation, author, name, text) values (${conversation}, 'person', ${name}, 'hello')`);

const twoOf = (...people: string[]): ApproverPolicy => ({ kind: 'n_of', n: 2, people });

test('each plan waits for those whom its own rules count, and for nobody else', async () => {
  const plans = {
    own: await propose({ kind: 'requester' }),
    other: await propose({ kind: 'not_requester' }),
    named: await propose({ kind: 'named', people: ['ben@corp.example'] }),
    two: await propose(twoOf('ana@corp.example', 'ben@corp.example', 'cleo@corp.example')),
    here: await propose({ kind: 'anyone' }, { conversation: 'here' }),
    there: await propose({ kind: 'anyone' }, { conversation: 'there' }),
    guarded: await propose({ kind: 'requester' }, { steps: [wait] }),
  };
  await say('here', 'ben-elsewhere');
  await say('there', 'cleo@corp.example');
  await instance.db.query.execute(sql`
    insert into countersign.identities (account, person) values ('ben@corp.example', 'ben@corp.example'), ('ben-elsewhere', 'ben@corp.example')`);
  const { id, version, digest } = plans.two;
  await instance.service.approve(id, { version, digest }, ben);
  const waitsFor = async (user: string) => {
    const { groups } = await instance.service.inbox({ user, group: 'needs_you', limit: 100 });
    const found = groups.flatMap(({ plans: waiting }) => waiting.map(({ id }) => id));
    return Object.entries(plans).flatMap(([name, plan]) => (found.includes(plan.id) ? [name] : []));
  };
  expect(await waitsFor('ana@corp.example')).toEqual(['own', 'two', 'here', 'there', 'guarded']);
  // He approved one already, and wrote under another name in one conversation.
  expect(await waitsFor('ben@corp.example')).toEqual(['other', 'named', 'here']);
  expect(await waitsFor('cleo@corp.example')).toEqual(['other', 'two', 'there', 'guarded']);
  expect(await waitsFor('nobody@corp.example')).toEqual(['other']);
});

test.each([
  ['BEN@Corp.example', 'ben@corp.example'],
  ['@ben', ' Ben\t'],
  ['50%_of\\ben', '50%_OF\\BEN'],
  ['ben "the\u001f builder"', 'Ben "the\u001f Builder"'],
  ['slack:T1:U1', 'slack:T1:U1'],
  ['Ş-ben', '@Ş-BEN'],
])('a rule that names %j finds the person who is called %j', async (named, called) => {
  const { id } = await propose({ kind: 'named', people: [named] });
  const found = await find({ db: instance.db, approvers: [], guardedApprovers: {} }, called);
  expect(found.map((one) => one.id)).toEqual([id]);
});

test.each([
  ['like a pattern', '%'],
  ['like a part of a name', 'be'],
  ['like a list', '"ben"'],
  ['like a group', 'group:ben'],
])('a name that reads %s is nobody whom a rule names', async (_, called) => {
  await propose({ kind: 'named', people: ['ben', 'group:be'] });
  const found = await find({ db: instance.db, approvers: [], guardedApprovers: {} }, called);
  expect(found).toEqual([]);
});

test.each([
  ['of the configuration', 'group:crew'],
  ['of a provider, by its short name', 'group:finance'],
  ['of a provider, by its full name', 'group:corp:past'],
  ['of a chat', 'group:@helpers'],
])('a rule or a configured approver that is a group %s finds its members', async (_, group) => {
  await instance.db.query.execute(sql`
    insert into countersign.signed_in (account, provider, name, groups, at) values
      ('ben@corp.example', 'corp', 'Ben', '{finance,past}', now())
    on conflict do nothing`);
  await instance.db.query.execute(sql`
    insert into countersign.chat_groups (name, accounts, read_at) values ('slack:@helpers', '{ben@corp.example}', now())
    on conflict do nothing`);
  const grouping = {
    groups: { crew: ['ben@corp.example'] },
    providers: { corp: {} },
    apart: false,
  };
  const waitsFor = async (user: string, approvers: string[]) =>
    (await find({ db: instance.db, approvers, guardedApprovers: {}, grouping }, user)).map(
      (one) => one.id,
    );
  const named = await propose({ kind: 'named', people: ['nobody'] });
  const policy = JSON.stringify({ kind: 'named', people: [group] });
  await instance.db.query.execute(
    sql`update countersign.plans set approver_policy = ${policy}::jsonb where id = ${named.id}`,
  );
  const own = await propose({ kind: 'requester' });
  expect(await waitsFor(ben.id, [])).toEqual([named.id]);
  expect(await waitsFor(ben.id, [group])).toEqual([own.id, named.id]);
  expect(await waitsFor('cleo@corp.example', [group])).toEqual([]);
});

test('fifty plans take as many statements as two', async () => {
  const counted = countStatements(instance.db);
  const { approvers: configured, guardedApprovers } = instance.config.settings;
  const context = { db: counted.db, approvers: configured, guardedApprovers };
  const countFor = async (user: string) => {
    counted.forget();
    const found = await find(context, user);
    return { found: found.length, statements: counted.statements() };
  };
  const approvers = twoOf('ana@corp.example', 'ben@corp.example');
  const one = async (conversation: string) => {
    const { id, version, digest } = await propose(approvers, { conversation });
    await instance.service.approve(id, { version, digest }, ben);
    await propose({ kind: 'anyone' }, { conversation });
    await say(conversation, 'ana@corp.example');
  };
  await one('c0');
  const few = await countFor('ana@corp.example');
  expect(few.found).toBe(2);
  for (let n = 1; n < 25; n++) await one(`c${n}`);
  expect(await countFor('ana@corp.example')).toEqual({ found: 50, statements: few.statements });
  expect(few.statements).toBeGreaterThan(0);
  expect(few.statements).toBeLessThanOrEqual(11);
});
