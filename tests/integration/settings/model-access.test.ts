// Instances are notified when their model is set in the console.
import { sql } from 'drizzle-orm';
import pino from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { logOptions } from '#app/logging.ts';
import { createScrub } from '#app/secrets.ts';
import { createSettingsFacts } from '#app/settings-facts.ts';
import { openModelAccess } from '#app/wire/open-model-access.ts';
import { openInstance } from '#app/wire.ts';
import { removeModelAccess } from '#db/model-access.ts';
import type { Listener } from '#db/notify.ts';
import { person } from '#domain/people/actor.ts';
import { useInstance } from '../../setup/use-instance.ts';
import { waitFor } from '../../wait.ts';

const env = { COUNTERSIGN_ENCRYPTION_KEY: Buffer.alloc(32, 3).toString('base64') };
const instance = useInstance({ work: false, env });
const noWarning = (message: string) => expect.fail(message);

test('a model that is entered while the instance opens is not missed', async () => {
  const { db, config } = instance;
  onTestFinished(async () => void (await removeModelAccess(db, person('ana', 'console'))));
  const woken: Parameters<Listener['on']>[1][] = [];
  const listener: Listener = {
    ...instance.listener,
    on: (topic, wake) => {
      woken.push(wake);
      return instance.listener.on(topic, wake);
    },
  };
  const opening = openModelAccess(config, { db, listener }, noWarning);
  expect(woken).toHaveLength(1);
  const { model, close } = await opening;
  onTestFinished(close);
  expect(model.access).toBe(null);
  await model.store({ api_key: 'sk-of-this-test' }, person('ana', 'console'));
  const { rows } = await db.query.execute(
    sql`select actor, action from countersign.audit where action = 'connect_model'`,
  );
  expect(rows).toEqual([{ actor: 'ana', action: 'connect_model' }]);
  await waitFor('the change to be heard', () => model.changed.aborted);
});

test('a key that is stored is redacted in the log of the process that opens with it', async () => {
  const { db, config, listener } = instance;
  onTestFinished(async () => void (await removeModelAccess(db, person('ana', 'console'))));
  const before = await openModelAccess(config, { db, listener }, noWarning);
  before.close();
  await before.model.store({ api_key: 'sk-planted-in-the-log' }, person('ana', 'console'));
  const lines: string[] = [];
  const scrub = createScrub([]);
  const log = pino(logOptions('info', scrub), { write: (line: string) => lines.push(line) });
  const opened = await openInstance({ config, log, scrub, work: false, linkTo: () => null });
  onTestFinished(() => opened.close());
  log.info('The server said: sk-planted-in-the-log is wrong.');
  expect(lines.at(-1)).toContain('The server said: … is wrong.');
});

test('a model of the environment wins over one that was entered, and none can be entered then', async () => {
  const { db, config, listener } = instance;
  onTestFinished(async () => void (await removeModelAccess(db, person('ana', 'console'))));
  const before = await openModelAccess(config, { db, listener }, noWarning);
  before.close();
  await before.model.store({ api_key: 'sk-entered' }, person('ana', 'console'));
  const own = { ...config, env: { ...config.env, OPENAI_API_KEY: 'sk-environment' } };
  const opened = await openModelAccess(own, { db, listener }, noWarning);
  onTestFinished(opened.close);
  expect(opened.model).toMatchObject({ access: { apiKey: 'sk-environment' }, by: null });
  const facts = createSettingsFacts(own, instance, pino({ level: 'silent' }));
  await expect(
    facts.connectModel({ api_key: 'sk-another' }, person('ana', 'console')),
  ).rejects.toMatchObject({ code: 'invalid_request' });
});
