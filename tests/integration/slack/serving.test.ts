// Starting and stopping while Slack is away.
import pino from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { serve } from '#app/serve.ts';
import { startSlack } from '../../fixtures/slack/double.ts';
import { useDatabase } from '../../setup/database.ts';
import { openTestInstance } from '../../setup/instance.ts';
import { waitFor } from '../../wait.ts';

const database = useDatabase();
const log = pino({ level: 'silent' });
const open = 'apps.connections.open';

// Socket Mode, not serving yet.
async function useInstance(env: Record<string, string> = {}) {
  const slack = await startSlack();
  slack.connect('socket mode');
  const instance = await openTestInstance(database.url, {
    env: {
      SLACK_API_URL: slack.apiUrl,
      SLACK_BOT_TOKEN: slack.token,
      SLACK_APP_TOKEN: slack.app.appToken,
      PORT: '0',
      ...env,
    },
    work: false,
  });
  onTestFinished(async () => {
    await instance.close();
    await slack.end();
  });
  return {
    slack,
    instance,
    opened: () => slack.calls.filter(({ method }) => method === open).length,
  };
}

test('a Slack that does not answer holds nothing else up, and is connected to once it does', async () => {
  const { slack, instance } = await useInstance();
  slack.fail(open, { silence: 'before' });
  const { app, port } = await serve(instance, instance.config, log);
  expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
  expect(slack.socket.connections()).toBe(0);
  await app.close();
  const again = await serve(instance, instance.config, log);
  await waitFor('a connection', () => slack.socket.connections() === 1);
  await again.app.close();
  await waitFor('its end', () => slack.socket.connections() === 0);
});

test('a server whose port is taken asks Slack for nothing', async () => {
  const first = await useInstance();
  const { app, port } = await serve(first.instance, first.instance.config, log);
  const second = await useInstance({ PORT: String(port) });
  await expect(serve(second.instance, second.instance.config, log)).rejects.toThrow(
    `PORT: ${port}`,
  );
  expect(second.opened()).toBe(0);
  await app.close();
});

test('where Teams cannot be let in, the server is closed and Slack not connected to', async () => {
  const { instance, opened } = await useInstance({ COUNTERSIGN_TEAMS_LOCAL: 'true' });
  const { teams } = instance.chats;
  if (teams === undefined) throw new Error('Teams is not set up.');
  let closed = false;
  const receive: typeof teams.receive = async (app) => {
    app.addHook('onClose', async () => {
      closed = true;
    });
    throw new Error('Teams is away.');
  };
  const broken = { ...instance, chats: { ...instance.chats, teams: { ...teams, receive } } };
  await expect(serve(broken, instance.config, log)).rejects.toThrow('Teams is away.');
  expect([closed, opened()]).toEqual([true, 0]);
});
