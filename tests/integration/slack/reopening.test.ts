// Reinstalled, the app retries work that failed without it.
import { sql } from 'drizzle-orm';
import { expect, onTestFinished, test } from 'vitest';
import { createSlackInstallations } from '#chat/slack-installations.ts';
import { createSeal } from '#db/seal.ts';
import { systemClock } from '#domain/clock.ts';
import { CountersignError } from '#domain/errors.ts';
import { makeEvent } from '../../fixtures/inbox-events.ts';
import { useDatabase } from '../../setup/database.ts';
import type { TestInstance } from '../../setup/instance.ts';
import { clearInbox, openWorker, readInbox, settled, textOf } from '../inbox/bench.ts';

const database = useDatabase();

const installation = {
  owner: 'T1',
  org_wide: false,
  name: 'Globex',
  app_id: 'A1',
  scopes: ['chat:write'],
  installed_by: 'U1',
  token: 'xoxb-again',
};

async function installAgain({ db }: TestInstance): Promise<void> {
  const installations = createSlackInstallations({
    db,
    enqueueAll: async () => {},
    seal: createSeal(Buffer.alloc(32, 1)),
    clock: systemClock,
    installAt: 'http://127.0.0.1/slack/install',
  });
  expect(await installations.store(installation, null)).toBe(true);
}

test('of what failed, what wanted the app is handled once it is added again; a mistake of ours stays as it is', async () => {
  const why: Record<string, () => Error> = {
    removed: () => new CountersignError('not_allowed', 'The app was removed.'),
    'under another key': () =>
      createFailure(() => {
        const sealed = createSeal(Buffer.alloc(32, 2)).seal('xoxb-1', 'T1');
        createSeal(Buffer.alloc(32, 3)).open(sealed, 'T1');
      }),
    'gone channel': () => new CountersignError('not_found', 'The channel is gone.'),
    mistake: () => new TypeError('x is not a function'),
    'from before codes were kept': () => new Error('Something.'),
    elsewhere: () => new CountersignError('not_allowed', 'The app was removed.'),
  };
  let broken = true;
  const instance = await openWorker(
    database.url,
    async (event) => {
      if (broken) throw why[textOf(event)]?.() ?? new Error('no such event');
    },
    { tries: 1, maxWaitMs: 0 },
  );
  onTestFinished(() => instance.close());
  await clearInbox(instance);
  for (const name of Object.keys(why))
    await instance.receive(makeEvent(name, { tenant: name === 'elsewhere' ? 'T2' : 'T1' }));
  const failed = await settled(instance);
  expect(failed.map(({ state }) => state)).toEqual(Object.keys(why).map(() => 'failed'));
  await instance.db.query.execute(sql`
    update countersign.inbox set error_code = null
    where convert_from(body, 'utf8') = 'from before codes were kept'`);
  broken = false;
  await installAgain(instance);
  const states = Object.fromEntries(
    (await settled(instance)).map(({ body, state }) => [body, state]),
  );
  expect(states).toEqual({
    removed: 'handled',
    'under another key': 'handled',
    'from before codes were kept': 'handled',
    'gone channel': 'failed',
    mistake: 'failed',
    elsewhere: 'failed',
  });
  expect((await readInbox(instance)).filter(({ state }) => state === 'handled')).toHaveLength(3);
});

function createFailure(act: () => void): Error {
  try {
    act();
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error('Nothing was thrown.');
}
