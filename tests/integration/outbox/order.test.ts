// Concurrent changes of places and conversations never deadlock.
import { sql } from 'drizzle-orm';
import { beforeEach, describe, expect, test } from 'vitest';
import { createSlackInstallations } from '#chat/slack-installations.ts';
import { createTeamsConversations } from '#chat/teams-conversations.ts';
import { lockConversation } from '#db/chat/messages.ts';
import { askForDelivery } from '#db/chat/places.ts';
import type { Database } from '#db/database.ts';
import { createSeal } from '#db/seal.ts';
import { type ChatPlace, conversationAt } from '#domain/chat/chat.ts';
import { systemClock } from '#domain/clock.ts';
import { countStatements } from '../../fixtures/counted-database.ts';
import { useInstance } from '../../setup/use-instance.ts';
import { waitFor } from '../../wait.ts';
import { open } from './bench.ts';

const instance = useInstance({ work: false });
const sent: string[] = [];

const enqueue = async (): Promise<void> => {};

beforeEach(async () => {
  sent.length = 0;
  await instance.db.query.execute(
    sql`truncate countersign.chat_places, countersign.teams_conversations, countersign.slack_installations, countersign.slack_workspaces`,
  );
});

const inTeams = (channel: string, thread: string | null = null): ChatPlace => ({
  platform: 'teams',
  tenant: 'X1',
  channel,
  thread,
});

const teams = (db: Database = instance.db) => createTeamsConversations({ db, enqueue });

const keep = (channel: string, team: string | null = null) =>
  teams().keep({
    ...{ tenant: 'X1', channel, kind: 'channel', service_url: 'https://smba.example', bot: '28:b' },
    ...{ person: null, team, timezone: null },
  });

const brokenIn = async () => {
  const { rows } = await instance.db.query.execute<{ tenant: string; channel: string }>(
    sql`select tenant, channel from countersign.chat_places where broken is not null order by tenant, channel`,
  );
  return rows;
};

const waiting = () =>
  waitFor('somebody to wait for a lock', async () => {
    const { rows } = await instance.db.query.execute(sql`select from pg_locks where not granted`);
    return rows.length > 0;
  });

function twoThreads(channel: string): [ChatPlace, ChatPlace] {
  for (let n = 1; ; n++) {
    const [first, second] = [inTeams(channel, `${n}`), inTeams(channel, `${n}x`)];
    if (conversationAt(first) > conversationAt(second)) return [first, second];
  }
}

const area = { tenant: 'X1', channel: 'C', team: null };

describe('In Teams', () => {
  test('a welcome and somebody who speaks in the same conversation wait for each other in one order', async () => {
    await keep('C');
    const conversation = await open(instance, inTeams('C'));
    const welcome = await instance.db.transaction(async (tx) => {
      await lockConversation(tx, conversation);
      const welcome = teams().welcome(inTeams('C'), 'Hello');
      await waiting();
      await askForDelivery(tx, conversation);
      return { welcome };
    });
    await welcome.welcome;
    expect(
      (await instance.service.messages(conversation, { limit: 5 })).map(({ text }) => text),
    ).toEqual(['Hello']);
  });

  test.each(['leave', 'comeBack'] as const)(
    'many places are locked in the order of everybody who locks several: %s',
    async (verb) => {
      await keep('C');
      const [last, first] = twoThreads('C');
      for (const place of [last, first]) await open(instance, place);
      const at = new Date();
      if (verb === 'comeBack') await teams().leave(area, new Date(at.getTime() - 1000));
      const moved = await instance.db.transaction(async (tx) => {
        await askForDelivery(tx, conversationAt(first));
        const moved = teams()[verb](area, at);
        await waiting();
        await askForDelivery(tx, conversationAt(last));
        return { moved };
      });
      await moved.moved;
      expect(await brokenIn()).toHaveLength(verb === 'leave' ? 2 : 0);
    },
  );

  test('news that come late change nothing of what is known since', async () => {
    await keep('C', 'team');
    await open(instance, inTeams('C'));
    const at = (ms: number) => new Date(1_700_000_000_000 + ms);
    await teams().leave(area, at(0));
    expect(await brokenIn()).toHaveLength(1);
    await teams().comeBack(area, at(2));
    await teams().leave(area, at(1));
    expect(await brokenIn()).toHaveLength(0);
    // A repeat, and one sent at the same moment.
    await teams().leave(area, at(2));
    expect(await brokenIn()).toHaveLength(0);
    await teams().leave(area, at(3));
    await teams().comeBack(area, at(2));
    expect(await brokenIn()).toHaveLength(1);
  });
});

function installations(db: Database = instance.db) {
  return createSlackInstallations({
    db,
    enqueueAll: async (_tx, _queue, jobs) => {
      sent.push(...jobs.map(({ key }) => key ?? ''));
    },
    seal: createSeal(Buffer.alloc(32, 1)),
    clock: systemClock,
    installAt: '/slack/install',
  });
}

const install = (owner: string, org_wide: boolean) => ({
  ...{ owner, org_wide, name: owner, app_id: 'A1', scopes: [], installed_by: 'U1' },
  token: 'xoxb-1',
});

const inSlack = (tenant: string, channel: string): ChatPlace => ({
  ...inTeams(channel),
  platform: 'slack',
  tenant,
});

// Not zero, so they were counted.
function expectFew(statements: number): void {
  expect(statements).toBeGreaterThan(0);
  expect(statements).toBeLessThanOrEqual(6);
}

describe('In Slack', () => {
  test('the end of an installation breaks only places that no other one serves', async () => {
    const { store, join, remove } = installations();
    await store(install('E1', true), null);
    await store(install('T1', false), null);
    for (const team of ['T1', 'T2']) {
      await join(team, 'E1');
      await open(instance, inSlack(team, 'C'));
    }
    await remove({ owner: 'T1', generation: 1, name: 'T1' });
    expect(await brokenIn()).toEqual([]);
    await store(install('T1', false), 1);
    await remove({ owner: 'E1', generation: 1, name: 'E1' });
    expect(await brokenIn()).toEqual([{ tenant: 'T2', channel: 'C' }]);
    await remove({ owner: 'T1', generation: 2, name: 'T1' });
    expect((await brokenIn()).map(({ tenant }) => tenant)).toEqual(['T1', 'T2']);
  });

  test('what waited for an installation is asked for in the order of everybody who asks for several', async () => {
    const channels = Array.from({ length: 20 }, (_, n) => `C${n}`);
    for (const channel of channels) {
      const conversation = await open(instance, inSlack('T1', channel));
      await instance.db.transaction((tx) => askForDelivery(tx, conversation));
    }
    const shuffled = channels.map((channel) => conversationAt(inSlack('T1', channel)));
    await instance.db.query.execute(sql`
      update countersign.chat_places set broken = 'removed' where conversation = any(${sql.param(shuffled)}::text[])`);
    await installations().store(install('T1', false), null);
    expect(sent).toEqual(shuffled.toSorted());
  });

  test('an organisation of a hundred workspaces and a thousand places comes and goes in a few statements', async () => {
    const counted = countStatements(instance.db);
    const { store, join, remove } = installations(counted.db);
    await store(install('E1', true), null);
    const places: string[] = [];
    for (let n = 0; n < 100; n++) {
      await join(`T${n}`, 'E1');
      places.push(...Array.from({ length: 10 }, (_, m) => `["T${n}","C${m}"]`));
    }
    await instance.db.query.execute(sql`
      insert into countersign.chat_places (conversation, platform, tenant, channel, asked)
      select 'slack-' || place, 'slack', place::jsonb ->> 0, place::jsonb ->> 1, 1
      from unnest(${sql.param(places)}::text[]) as p(place)`);
    counted.forget();
    await remove({ owner: 'E1', generation: 1, name: 'E1' });
    expect(await brokenIn()).toHaveLength(1000);
    expectFew(counted.statements());
    counted.forget();
    await store(install('E1', true), 1);
    expect(await brokenIn()).toEqual([]);
    expect(sent).toHaveLength(1000);
    expectFew(counted.statements());
  });

  test('an installation is kept although its first transaction met a deadlock', async () => {
    let tries = 0;
    const db: Database = {
      ...instance.db,
      transaction(work) {
        tries += 1;
        if (tries > 1) return instance.db.transaction(work);
        return Promise.reject(Object.assign(new Error('deadlock detected'), { code: '40P01' }));
      },
    };
    expect(await installations(db).store(install('T1', false), null)).toBe(true);
    expect(tries).toBe(2);
    expect((await installations().find('T1'))?.token).toBe('xoxb-1');
  });
});
