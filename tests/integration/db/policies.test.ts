// Interaction preferences: set by their owner, asked for once.
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '#db/database.ts';
import {
  markProbed,
  readCalendarOf,
  readPolicy,
  replacePolicy,
  storePolicy,
} from '#db/people/policies.ts';
import { createSeal, type Seal } from '#db/seal.ts';
import { person } from '#domain/people/actor.ts';
import { defaultPolicy } from '#domain/people/policy.ts';
import type { Service } from '#domain/service.ts';
import { getPolicy, setPolicy } from '#people/policy.ts';
import { openPreferences } from '#planner/create-planner.ts';
import { startApi } from '../../fixtures/api.ts';
import { createServiceDouble } from '../../fixtures/service-double.ts';
import { useDatabase } from '../../setup/database.ts';

const database = useDatabase();
let processes: Database[];

beforeAll(() => {
  processes = [1, 2].map(() =>
    openDatabase(database.url, { max: 5, applicationName: 'test', onError: () => {} }),
  );
});
afterAll(() => Promise.all(processes.map((db) => db.close())));

const one = () => {
  const [db] = processes;
  if (db === undefined) throw new Error('no database is open');
  return db;
};

type SetArguments = Parameters<Service['setPolicy']>;
const now = new Date('2026-05-04T09:30:00Z');
const seal = createSeal(Buffer.alloc(32, 1));
const context = (openSeal: () => Seal | string = () => seal) => ({
  ...{ db: one(), openSeal },
  clock: { now: () => now },
});

describe('the sliders of a person', () => {
  test('are none for somebody who is not known', async () => {
    expect(await readPolicy(one().query, 'nobody')).toEqual({ policy: {}, probed: false });
  });

  test('are added one by one, or set as a whole', async () => {
    const { query } = one();
    await storePolicy(query, 'ana', { tone: 'friendly' });
    await storePolicy(query, 'ana', { probing_depth: 0 });
    expect((await readPolicy(query, 'ana')).policy).toEqual({ tone: 'friendly', probing_depth: 0 });
    await replacePolicy(query, 'ana', { autonomy: 'low' });
    expect((await readPolicy(query, 'ana')).policy).toEqual({ autonomy: 'low' });
  });

  test('are set by that person, and it is in the audit', async () => {
    const change = { policy: { tone: 'clinical' as const }, keep: true };
    const view = await setPolicy(context(), 'ben', change, person('ben', 'console'));
    expect(view).toEqual({
      user: 'ben',
      policy: { ...defaultPolicy, tone: 'clinical' },
      set: { tone: 'clinical' },
      calendar: null,
    });
    const { rows } = await one().query.execute(
      sql`select actor, action, data from countersign.audit where action = 'set_policy'`,
    );
    expect(rows).toEqual([
      { actor: 'ben', action: 'set_policy', data: { policy: { tone: 'clinical' }, keep: true } },
    ]);
  });

  test.each([
    ['another person', person('cy', 'api')],
    ['a model', { kind: 'model', id: 'ben', via: 'api' } as const],
  ])('are not set by %s', async (_, actor) => {
    const change = { policy: { approval_policy: 'single_final' as const }, keep: true };
    await expect(setPolicy(context(), 'ben', change, actor)).rejects.toMatchObject({
      code: 'not_allowed',
    });
    expect((await getPolicy(one().query, 'ben')).set).not.toHaveProperty('approval_policy');
  });

  test('hold one calendar per person, by all their names, and never its address', async () => {
    const { query } = one();
    await query.execute(sql`
      insert into countersign.identities (account, person)
      values ('slack:T1:U7', 'gil'), ('gil', 'gil')`);
    const enter = (user: string, calendar: string) =>
      setPolicy(
        context(),
        user,
        { policy: {}, keep: true, calendar },
        {
          ...person(user, 'slack'),
          tenant: 'slack:T1',
        },
      );
    const secret = 'https://calendar.example.com/private-1/basic.ics';
    await enter('slack:T1:U7', 'webcal://old.example.com/a.ics');
    const view = await enter('gil', ` ${secret} `);
    expect(view.calendar).toBe('calendar.example.com');
    const names = ['gil', 'slack:T1:U7'];
    const connected = await readCalendarOf(query, names);
    expect(connected).toMatchObject({ host: 'calendar.example.com', tenant: 'slack:T1' });
    expect(connected?.open(seal)).toBe(secret);
    expect((await enter('gil', '')).calendar).toBe('calendar.example.com');
    const { rows } = await query.execute(sql`
      select data::text from countersign.audit
      union all select calendar::text from countersign.interaction_policies`);
    expect(JSON.stringify(rows)).not.toContain('private-1');
    await expect(enter('gil', 'http://calendar.example.com/a.ics')).rejects.toMatchObject({
      code: 'invalid_request',
    });
    expect((await enter('gil', 'None')).calendar).toBeNull();
    expect(await readCalendarOf(query, names)).toBeNull();
  });

  test('connect a calendar through the API, which answers with its host alone', async () => {
    const service = {
      ...createServiceDouble(),
      getPolicy: (user: string) => getPolicy(one().query, user),
      setPolicy: (...args: SetArguments) => setPolicy(context(), ...args),
    };
    const api = await startApi({ service });
    try {
      const put = async (body: object) => {
        const answer = await fetch(`${api.origin}/api/policy/ida`, {
          method: 'PUT',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        });
        return { status: answer.status, text: await answer.text() };
      };
      const calendar = 'https://calendar.example.com/private-2.ics';
      const connected = await put({ calendar });
      expect(connected.status).toBe(200);
      expect(JSON.parse(connected.text)).toMatchObject({
        set: {},
        calendar: 'calendar.example.com',
      });
      const kept = await put({ tone: 'friendly' });
      expect(JSON.parse(kept.text)).toMatchObject({ calendar: 'calendar.example.com' });
      const shown = await (await api.get('/api/policy/ida')).text();
      expect(`${connected.text}${kept.text}${shown}`).not.toContain('private-2');
      expect((await put({ calendar: 'ftp://calendar.example.com/a.ics' })).status).toBe(400);
      expect((await readCalendarOf(one().query, ['ida']))?.open(seal)).toBe(calendar);
      expect(JSON.parse((await put({ calendar: 'none' })).text)).toMatchObject({ calendar: null });
    } finally {
      await api.close();
    }
  });

  test('leave a calendar unconnected if its address cannot be encrypted, and bind it to its person', async () => {
    const { query } = one();
    const calendar = 'https://calendar.example.com/private-3.ics';
    const enter = (user: string, openSeal?: () => Seal | string) =>
      setPolicy(context(openSeal), user, { policy: {}, keep: true, calendar }, person(user, 'api'));
    await expect(enter('joe', () => 'There is no key.')).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining('There is no key.'),
    });
    expect(await readCalendarOf(query, ['joe'])).toBeNull();
    await enter('joe');
    await query.execute(sql`
      insert into countersign.interaction_policies ("user", calendar)
      select 'kim', calendar from countersign.interaction_policies where "user" = 'joe'`);
    const moved = await readCalendarOf(query, ['kim']);
    expect(() => moved?.open(seal)).toThrow(/was changed/);
  });

  test('that were set in a chat are kept for half an hour, and not a moment longer', async () => {
    const set = (tone: 'friendly' | 'clinical', ago: number) => {
      const pressed = { at: new Date(now.getTime() - ago) };
      const change = { policy: { tone }, keep: true, pressed };
      return setPolicy(context(), 'hal', change, person('hal', 'slack'));
    };
    await set('friendly', 30 * 60_000);
    await expect(set('clinical', 30 * 60_000 + 1)).rejects.toMatchObject({
      code: 'stale_version',
      message: 'You set this more than half an hour ago, and it was not saved. Set it again.',
    });
    expect((await getPolicy(one().query, 'hal')).set).toEqual({ tone: 'friendly' });
  });
});

describe('asking for the style', () => {
  test('is done by one of many that want to, over processes', async () => {
    const claims = await Promise.all(
      Array.from({ length: 40 }, (_, index) => {
        const db = processes[index % processes.length] ?? one();
        return openPreferences(db.query).claim('dana');
      }),
    );
    expect(claims.filter((claimed) => claimed)).toHaveLength(1);
    expect(await markProbed(one().query, 'dana')).toBe(false);
    expect(await openPreferences(one().query).isKnown('dana')).toBe(true);
  });

  test('leaves what the person has set as it is', async () => {
    await storePolicy(one().query, 'eve', { tone: 'friendly' });
    expect(await markProbed(one().query, 'eve')).toBe(true);
    expect(await readPolicy(one().query, 'eve')).toEqual({
      policy: { tone: 'friendly' },
      probed: true,
    });
  });

  test('is not needed for a person who has set it, and is for one who set something else', async () => {
    const { isKnown } = openPreferences(one().query);
    await storePolicy(one().query, 'fay', { conversation_style: 'coach' });
    await storePolicy(one().query, 'gus', { tone: 'friendly' });
    expect(await isKnown('fay')).toBe(true);
    expect(await isKnown('gus')).toBe(false);
  });
});
