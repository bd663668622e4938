// How an instance hears that its model was entered, or removed, in the console.
import { expect, onTestFinished, test } from 'vitest';
import { openModelAccess } from '#app/wire/open-model-access.ts';
import { removeModelAccess } from '#db/model-access.ts';
import type { Listener } from '#db/notify.ts';
import { useInstance } from '../../setup/use-instance.ts';
import { waitFor } from '../../wait.ts';

const env = { COUNTERSIGN_ENCRYPTION_KEY: Buffer.alloc(32, 3).toString('base64') };
const instance = useInstance({ work: false, env });
const noWarning = (message: string) => expect.fail(message);

test('a model that is entered while the instance opens is not missed', async () => {
  const { db, config } = instance;
  onTestFinished(async () => void (await removeModelAccess(db)));
  const woken: Parameters<Listener['on']>[1][] = [];
  const listener: Listener = {
    ...instance.listener,
    on: (topic, wake) => {
      woken.push(wake);
      return instance.listener.on(topic, wake);
    },
  };
  const opening = openModelAccess(config, { db, listener }, noWarning);
  // It listens before anything is read.
  expect(woken).toHaveLength(1);
  const { model, close } = await opening;
  onTestFinished(close);
  expect(model.access).toBe(null);
  await model.store({ api_key: 'sk-of-this-test' }, 'ana');
  await waitFor('the change to be heard', () => model.changed.aborted);
});
