// Linking: both sides confirm, then both accounts are one person.
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Queryable } from '#db/database.ts';
import { readPlanRow } from '#db/plans/plans.ts';
import { systemRandom } from '#domain/clock.ts';
import { type Actor, person } from '#domain/people/actor.ts';
import type { LinkCommand } from '#domain/people/link.ts';
import { link } from '#people/link.ts';
import { mayApproveNow, readAuthority } from '#plans/authority/authority.ts';
import { draftStep } from '../../fixtures/steps.ts';
import { useDatabase } from '../../setup/database.ts';
import { noop, openTestInstance, type TestInstance } from '../../setup/instance.ts';
import { runRound } from '../../setup/retention.ts';

const database = useDatabase();
let instance: TestInstance;
let now: Date;

const inSlack = person('slack:T1:U1', 'slack');
const byMail = person('ana@example.com', 'slack');
const inTeams = person('teams:X1:O1', 'teams');
const other = person('teams:X1:O2', 'teams');
const typed = person('local', 'terminal');
const minute = 60_000;

beforeAll(async () => {
  instance = await openTestInstance(database.url, {
    work: false,
    settings: {
      approvers: ['teams:X1:BOSS'],
      guardedApprovers: { http_request: { kind: 'named', people: [inTeams.id] } },
      http: { allowPrivate: ['127.0.0.1'] },
    },
  });
});
afterAll(() => instance.close());
beforeEach(async () => {
  now = new Date('2026-05-04T09:00:00Z');
  await instance.db.query.execute(
    sql`truncate countersign.identities, countersign.former_links, countersign.link_codes, countersign.link_tries, countersign.interaction_policies`,
  );
});

const say = (command: LinkCommand, actor: Actor) =>
  link({ db: instance.db, clock: { now: () => now }, random: systemRandom }, command, actor);

async function ask(actor: Actor): Promise<string> {
  const outcome = await say({ do: 'ask' }, actor);
  if (outcome.kind !== 'code') throw new Error('no code came');
  return outcome.code;
}

const use = (code: string, actor: Actor) => say({ do: 'use', code }, actor);

async function join(asked: Actor, used: Actor) {
  return use(await ask(asked), used);
}

const personOf = ({ id }: Actor) => instance.service.personOf(id);

async function propose(actor: Actor, draft: object = {}) {
  const plan = await instance.service.propose(
    { title: 'Nothing', steps: [noop('1')], ...draft },
    {},
    actor,
  );
  const { id, version, digest } = plan;
  return { id, approve: (by: Actor) => instance.service.approve(id, { version, digest }, by) };
}

describe('A code', () => {
  test('sent from the other account makes both one person', async () => {
    expect(await join(inSlack, inTeams)).toEqual({
      kind: 'linked',
      account: inTeams.id,
      person: inSlack.id,
      accounts: [inSlack.id, inTeams.id],
    });
    expect(await personOf(inTeams)).toBe(inSlack.id);
    expect(await personOf(inSlack)).toBe(inSlack.id);
    expect(await personOf(other)).toBe(other.id);
  });

  test('is read whatever its case, blanks and dashes', async () => {
    const code = await ask(inSlack);
    await use(` ${code.toLowerCase().replace('-', ' ')} `, inTeams);
    expect(await personOf(inTeams)).toBe(inSlack.id);
  });

  test('works until ten minutes are over, and not at that moment', async () => {
    const early = await ask(inSlack);
    now = new Date(now.getTime() + 10 * minute - 1);
    expect(await use(early, inTeams)).toMatchObject({ kind: 'linked' });
    const late = await ask(inSlack);
    now = new Date(now.getTime() + 10 * minute);
    await expect(use(late, other)).rejects.toMatchObject({ code: 'not_found' });
    expect(await personOf(other)).toBe(other.id);
  });

  test('works for one account only, which may send it again', async () => {
    const code = await ask(inSlack);
    await use(code, inTeams);
    await expect(use(code, other)).rejects.toMatchObject({ code: 'not_found' });
    expect(await use(code, inTeams)).toMatchObject({ kind: 'linked', person: inSlack.id });
    expect(await personOf(other)).toBe(other.id);
  });

  test('used by two at the same moment links one of them', async () => {
    const code = await ask(inSlack);
    const ended = await Promise.allSettled([use(code, inTeams), use(code, other)]);
    expect(ended.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const persons = [await personOf(inTeams), await personOf(other)];
    expect(persons.filter((name) => name === inSlack.id)).toHaveLength(1);
  });

  test('takes the place of the one before', async () => {
    const first = await ask(inSlack);
    await ask(inSlack);
    await expect(use(first, inTeams)).rejects.toMatchObject({ code: 'not_found' });
  });

  test('that the same message asked for again leaves the one that may be shown already, for one account', async () => {
    const again = async (once: string) => {
      const outcome = await say({ do: 'ask', once }, inSlack);
      return outcome.kind === 'code' ? outcome.code : '';
    };
    const older = await again('slack:T1:command:1');
    const first = await again('slack:T1:command:2');
    const second = await again('slack:T1:command:2');
    await expect(use(older, inTeams)).rejects.toMatchObject({ code: 'not_found' });
    expect(await use(first, inTeams)).toMatchObject({ kind: 'linked', person: inSlack.id });
    await expect(use(second, other)).rejects.toMatchObject({ code: 'not_found' });
    await use(await again('slack:T1:command:3'), other);
    expect(await personOf(other)).toBe(inSlack.id);
  });

  test('links nobody with themselves, and is not spent by that', async () => {
    const code = await ask(inSlack);
    await expect(use(code, inSlack)).rejects.toMatchObject({ code: 'invalid_request' });
    expect(await use(code, inTeams)).toMatchObject({ kind: 'linked' });
  });

  test('is stored as a hash alone', async () => {
    const code = await ask(inSlack);
    const { rows } = await instance.db.query.execute(sql`select * from countersign.link_codes`);
    expect(rows).toHaveLength(1);
    const stored = JSON.stringify(rows);
    expect(stored).not.toContain(code);
    expect(stored).not.toContain(code.replace('-', ''));
  });

  test('that is right is refused after five wrong ones within ten minutes, and not after four', async () => {
    const code = await ask(inSlack);
    const wrong = async (times: number) => {
      for (let i = 0; i < times; i++) {
        await expect(use('WRONG-WRONG', inTeams)).rejects.toMatchObject({ code: 'not_found' });
      }
    };
    await wrong(4);
    expect(await use(code, inTeams)).toMatchObject({ kind: 'linked' });
    const next = await ask(byMail);
    await wrong(1);
    await expect(use(next, inTeams)).rejects.toMatchObject({ code: 'not_allowed' });
    expect(await use(await ask(byMail), other)).toMatchObject({ kind: 'linked' });
    now = new Date(now.getTime() + 10 * minute - 1);
    await expect(use('WRONG-WRONG', inTeams)).rejects.toMatchObject({ code: 'not_allowed' });
    now = new Date(now.getTime() + 1);
    expect(await use(await ask(inSlack), inTeams)).toMatchObject({ kind: 'linked' });
  });

  test('tried wrongly many times at once counts each of them', async () => {
    const tries = Array.from({ length: 9 }, () => use('WRONG-WRONG', inTeams));
    const codes = (await Promise.allSettled(tries)).map((one) =>
      one.status === 'rejected' ? (one.reason as { code: string }).code : 'fulfilled',
    );
    expect(codes.filter((code) => code === 'not_found')).toHaveLength(5);
    expect(codes.filter((code) => code === 'not_allowed')).toHaveLength(4);
  });

  test('is forgotten once its time is over, and not before', async () => {
    await ask(inSlack);
    await expect(use('WRONG-WRONG', inTeams)).rejects.toThrow();
    const expires = new Date(now.getTime() + 10 * minute);
    // An hour later, since clocks differ.
    const forget = (date: Date) =>
      runRound(instance.db, { now: new Date(date.getTime() + 60 * minute) });
    const left = async (table: string) =>
      (await instance.db.query.execute(sql`select from countersign.${sql.identifier(table)}`)).rows
        .length;
    await forget(new Date(now.getTime() - 1));
    expect([await left('link_codes'), await left('link_tries')]).toEqual([1, 1]);
    // The count of wrong attempts expires before the code.
    await forget(new Date(expires.getTime() - 1));
    expect([await left('link_codes'), await left('link_tries')]).toEqual([1, 0]);
    await forget(new Date(expires.getTime() + 1));
    expect(await left('link_codes')).toBe(0);
  });
});

describe('The name of both', () => {
  test.each([
    ['an address before a platform, whoever asked', inTeams, byMail, byMail],
    ['a platform before what was typed, whoever asked', typed, inTeams, inTeams],
    ['of two alike that of the one who asked', inTeams, inSlack, inTeams],
  ])('is %s', async (_, asked, used, winner) => {
    await join(asked, used);
    expect(await personOf(asked)).toBe(winner.id);
    expect(await personOf(used)).toBe(winner.id);
  });

  test('is that of all, when two who are several each become one', async () => {
    await join(inSlack, inTeams);
    await join(byMail, typed);
    await join(other, inTeams);
    await join(inTeams, typed);
    const all = [inSlack, inTeams, byMail, typed, other];
    expect(new Set(await Promise.all(all.map(personOf)))).toEqual(new Set([byMail.id]));
  });

  test('does not run in circles, linked in both directions at once', async () => {
    const [one, two] = [await ask(inSlack), await ask(inTeams)];
    await Promise.all([use(one, inTeams), use(two, inSlack)]);
    const persons = [await personOf(inSlack), await personOf(inTeams)];
    expect(new Set(persons).size).toBe(1);
    const { rows } = await instance.db.query.execute<{ n: number }>(sql`
      select count(*)::int as n from countersign.identities i
      where exists (select from countersign.identities o where o.account = i.person and o.person <> i.person)`);
    expect(rows).toEqual([{ n: 0 }]);
  });
});

describe('Nobody is somebody else', () => {
  test.each([
    'ana@example.com',
    'slack:T1:U1',
    'teams:X1:O1',
    '@ana@example.com',
    'SLACK:T1:U1',
    ' Teams:X1:O1',
  ])('by typing %s at a terminal or over HTTP', async (name) => {
    for (const via of ['terminal', 'api', 'console'] as const) {
      const who = person(name, via);
      await expect(say({ do: 'ask' }, who)).rejects.toMatchObject({ code: 'not_allowed' });
      await expect(use('ABCDE-FGHJK', who)).rejects.toMatchObject({ code: 'not_allowed' });
      await expect(say({ do: 'remove' }, who)).rejects.toMatchObject({ code: 'not_allowed' });
    }
  });

  test('by two names that were only typed', async () => {
    const code = await ask(typed);
    await expect(use(code, person('boss', 'api'))).rejects.toMatchObject({ code: 'not_allowed' });
    expect(await personOf(typed)).toBe('local');
  });

  test('by a word of the model', async () => {
    const model: Actor = { kind: 'model', id: inSlack.id, via: 'slack' };
    await expect(say({ do: 'ask' }, model)).rejects.toMatchObject({ code: 'not_allowed' });
  });
});

describe('Removing', () => {
  test('gives an account its own name back at once', async () => {
    await join(byMail, inTeams);
    expect(await say({ do: 'remove' }, inTeams)).toEqual({
      kind: 'removed',
      account: inTeams.id,
      person: inTeams.id,
      accounts: [byMail.id],
      former: byMail.id,
    });
    expect(await personOf(inTeams)).toBe(inTeams.id);
    expect(await say({ do: 'show' }, byMail)).toMatchObject({ accounts: [] });
  });

  test('leaves the others together under a name of theirs', async () => {
    await join(byMail, inTeams);
    await join(byMail, inSlack);
    await say({ do: 'remove' }, byMail);
    expect(await personOf(byMail)).toBe(byMail.id);
    expect(await personOf(inSlack)).toBe(await personOf(inTeams));
    expect(await personOf(inSlack)).not.toBe(byMail.id);
  });

  test('makes nobody two, who approved as one', async () => {
    const approvers = { kind: 'n_of', n: 2, people: [inSlack.id, inTeams.id, other.id] };
    await join(inSlack, inTeams);
    const plan = await propose(byMail, { approvers });
    await plan.approve(inSlack);
    await say({ do: 'remove' }, inTeams);
    await expect(plan.approve(inTeams)).rejects.toMatchObject({
      code: 'not_allowed',
      message: expect.stringContaining('count as one approver'),
    });
    const facts = async ({ id: user }: Actor) =>
      (await instance.service.card(plan.id, { user, timezone: 'UTC' })).may_approve;
    expect([await facts(inTeams), await facts(other)]).toEqual([false, true]);
    const later = await propose(byMail, { approvers });
    await later.approve(inSlack);
    expect((await later.approve(inTeams)).status).toBe('approved');
    expect((await plan.approve(other)).status).toBe('approved');
  });

  test('makes nobody two, not in the very moment either in which they become one again by another name', async () => {
    const atWork = person('ana@work.example', 'teams');
    const people = [inSlack.id, atWork.id, other.id];
    await join(atWork, inSlack);
    const { id } = await propose(typed, { approvers: { kind: 'n_of', n: 2, people } });
    await say({ do: 'remove' }, atWork);
    await join(byMail, inSlack);
    const plan = await readPlanRow(instance.db.query, id);
    const settings = { approvers: [], guardedApprovers: {} };
    const { query } = instance.db;
    async function look(after: { statement: number; then: () => Promise<unknown> } | null) {
      let statements = 0;
      const execute = async (text: Parameters<Queryable['execute']>[0]) => {
        const result = await query.execute(text);
        if (++statements === after?.statement) await after.then();
        return result;
      };
      const db: Queryable = Object.assign(Object.create(query), { execute });
      const authority = await readAuthority(db, settings, {
        plan,
        viewer: byMail.id,
        actor: atWork,
      });
      return { counts: mayApproveNow(authority, [byMail.id], atWork.id), statements };
    }
    const before = await look(null);
    expect(before.counts).toBe(false);
    for (let statement = 1; statement <= before.statements; statement++) {
      const then = () => join(atWork, inSlack);
      expect((await look({ statement, then })).counts).toBe(false);
      expect(await personOf(byMail)).toBe(atWork.id);
      await say({ do: 'remove' }, atWork);
    }
  });

  test('leaves a rule that names them to whoever it names, whatever those approved who were one with them', async () => {
    await join(inSlack, inTeams);
    const call = {
      ...draftStep('call', 'Call', 'http_request'),
      args: { url: 'http://127.0.0.1:1/', method: 'POST' },
    };
    const approvers = { kind: 'n_of', n: 2, people: [inSlack.id, other.id] };
    const plan = await propose(byMail, { steps: [call], approvers });
    await plan.approve(inSlack);
    await say({ do: 'remove' }, inTeams);
    await plan.approve(other);
    expect((await plan.approve(inTeams)).status).toBe('approved');
  });

  test('makes nobody another than who asked, when the plan came after it', async () => {
    const boss = person('teams:X1:BOSS', 'teams');
    await join(inSlack, boss);
    const { run_id } = await instance.service.startRun(
      { text: 'Wait', conversation: 'planned-late' },
      inSlack,
    );
    await say({ do: 'remove' }, boss);
    const plan = await propose(inSlack, { approvers: { kind: 'not_requester' } });
    await instance.db.query.execute(
      sql`update countersign.plans set run_id = ${run_id} where id = ${plan.id}`,
    );
    await expect(plan.approve(boss)).rejects.toMatchObject({ code: 'not_allowed' });
  });

  test('makes nobody another than who asked, when they have it changed after it', async () => {
    const boss = person('teams:X1:BOSS', 'teams');
    await join(inSlack, boss);
    const { id } = await propose(inSlack, { approvers: { kind: 'not_requester' } });
    await say({ do: 'remove' }, boss);
    await instance.service.proposeChanges(id, { version: 1, feedback: 'Shorter.' }, inSlack);
    const may = async (user: string) =>
      (await instance.service.card(id, { user, timezone: 'UTC' })).may_approve;
    expect(await may(boss.id)).toBe(false);
    await instance.db.query.execute(
      sql`update countersign.plans set status = 'proposed', revising = false where id = ${id}`,
    );
    const { version, digest } = await instance.service.getPlan(id);
    await expect(instance.service.approve(id, { version, digest }, boss)).rejects.toMatchObject({
      code: 'not_allowed',
    });
  });

  test('lets nobody approve what they asked for by the name they had', async () => {
    await join(byMail, inSlack);
    const mine = await propose(inSlack, { approvers: { kind: 'not_requester' } });
    const boss = person('teams:X1:BOSS', 'teams');
    await join(byMail, boss);
    await say({ do: 'remove' }, boss);
    await expect(mine.approve(boss)).rejects.toMatchObject({ code: 'not_allowed' });
    const later = await propose(inSlack, { approvers: { kind: 'not_requester' } });
    expect((await later.approve(boss)).status).toBe('approved');
  });

  test('leaves what was asked for with the name it was asked by', async () => {
    await join(byMail, inTeams);
    const plan = await propose(inTeams);
    await say({ do: 'remove' }, inTeams);
    await expect(plan.approve(inTeams)).rejects.toMatchObject({ code: 'not_allowed' });
    expect((await plan.approve(byMail)).status).toBe('approved');
  });

  test('changes nothing where nothing is linked', async () => {
    expect(await say({ do: 'remove' }, inSlack)).toMatchObject({ kind: 'shown', accounts: [] });
  });
});

describe('One person', () => {
  test('counts once, though both accounts approved before they were linked', async () => {
    const approvers = { kind: 'n_of', n: 3, people: [inSlack.id, inTeams.id, other.id] };
    const plan = await propose(byMail, { approvers });
    await plan.approve(inSlack);
    await plan.approve(inTeams);
    await join(inSlack, inTeams);
    expect((await instance.service.getPlan(plan.id)).approvals.map(({ by }) => by)).toEqual([
      inSlack.id,
    ]);
    expect((await plan.approve(other)).status).toBe('proposed');
    const facts = await instance.service.card(plan.id, { user: other.id, timezone: 'UTC' });
    expect(facts.plan.approvals).toHaveLength(2);
    expect(facts.approvers).toBe('someone its rule does not name');
  });

  test('who approved by one account cannot approve again by the other', async () => {
    const approvers = { kind: 'n_of', n: 2, people: [inSlack.id, inTeams.id, other.id] };
    const plan = await propose(byMail, { approvers });
    await join(inSlack, inTeams);
    await plan.approve(inSlack);
    expect((await plan.approve(inTeams)).status).toBe('proposed');
    expect((await plan.approve(other)).status).toBe('approved');
  });

  test('decides as the one that was asked, under any of their names', async () => {
    const named = await propose(other, { approvers: { kind: 'named', people: [inTeams.id] } });
    await expect(named.approve(byMail)).rejects.toMatchObject({ code: 'not_allowed' });
    await join(byMail, inTeams);
    expect((await named.approve(byMail)).status).toBe('approved');
    const own = await propose(inTeams);
    expect((await own.approve(byMail)).status).toBe('approved');
  });

  test('who asked by one account does not count as somebody else by the other', async () => {
    const settings = { approvers: { kind: 'not_requester' } };
    const plan = await propose(person('teams:X1:BOSS', 'teams'), settings);
    await join(byMail, person('teams:X1:BOSS', 'teams'));
    await expect(plan.approve(byMail)).rejects.toMatchObject({ code: 'not_allowed' });
    await expect(plan.approve(person('teams:X1:BOSS', 'teams'))).rejects.toMatchObject({
      code: 'not_allowed',
    });
  });

  test('finds the plans that either account has asked for', async () => {
    const { id } = await propose(inTeams);
    await join(byMail, inTeams);
    for (const user of [byMail.id, inTeams.id]) {
      const { plans } = await instance.service.listPlans({ user, limit: 10 });
      expect(plans.map((plan) => plan.id)).toContain(id);
    }
    const { plans } = await instance.service.listPlans({ user: inSlack.id, limit: 10 });
    expect(plans.map((plan) => plan.id)).not.toContain(id);
  });

  test('is talked to as the name that stays wants it, and else as the other did', async () => {
    const { service } = instance;
    await service.setPolicy(
      inTeams.id,
      { policy: { tone: 'clinical', probing_depth: 0 }, keep: true },
      inTeams,
    );
    await service.setPolicy(byMail.id, { policy: { probing_depth: 3 }, keep: true }, byMail);
    await join(inTeams, byMail);
    const { set } = await service.getPolicy(inTeams.id);
    expect(set).toEqual({ tone: 'clinical', probing_depth: 3 });
    await say({ do: 'remove' }, inTeams);
    expect((await service.getPolicy(inTeams.id)).set).toEqual({
      tone: 'clinical',
      probing_depth: 0,
    });
  });

  test('is written down for both when it is made and for the one who ends it', async () => {
    await join(byMail, inTeams);
    await say({ do: 'remove' }, inTeams);
    const { rows } = await instance.db.query.execute(sql`
      select actor, via, action from countersign.audit where action in ('link', 'unlink') order by id desc limit 3`);
    expect(rows).toEqual([
      { actor: inTeams.id, via: 'teams', action: 'unlink' },
      { actor: byMail.id, via: 'slack', action: 'link' },
      { actor: inTeams.id, via: 'teams', action: 'link' },
    ]);
  });
});
