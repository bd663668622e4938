import { expect, test } from 'vitest';
import type { SlackAccess } from '#adapters/slack/access.ts';
import { checkSlack } from '#adapters/slack/check.ts';
import manifest from '../../../../manifest.json' with { type: 'json' };
import { useSlack } from '../../fixtures/slack-client.ts';

const scopes = manifest.oauth_config.scopes.bot;

const accessWith = (botToken: string, apiUrl: string): SlackAccess => ({
  transport: { kind: 'http', signingSecret: 'signing-secret-of-slack' },
  workspaces: { kind: 'one', botToken },
  apiUrl,
});

test('whose token it is, and that nothing is missing', async () => {
  const slack = await useSlack({ scopes });
  const state = await checkSlack(accessWith(slack.token, slack.apiUrl), () => {});
  expect(state.state).toBe('ok');
  expect(state.text).toMatch(/^\S.* as @.+, over HTTP$/);
});

test('each scope that the token was not given', async () => {
  const given = scopes.filter((scope) => scope !== 'commands' && scope !== 'im:history');
  const slack = await useSlack({ scopes: given });
  const { state, text } = await checkSlack(accessWith(slack.token, slack.apiUrl), () => {});
  expect(state).toBe('broken');
  expect(text).toMatch(/without the scopes (?=.*commands)(?=.*im:history)/);
});

test.each([
  [null, 'Any workspace that adds it'],
  [['T1'], 'The workspace T1'],
  [['T1', 'E2'], 'The workspaces T1 and E2'],
])('of several workspaces, which may add the app (%j)', async (allowed, words) => {
  const access: SlackAccess = {
    ...accessWith('', 'http://127.0.0.1:1/api/'),
    workspaces: {
      kind: 'many',
      clientId: '1.2',
      clientSecret: 's',
      stateSecret: 's',
      encryptionKey: Buffer.alloc(32),
      installAt: '/slack/install',
      allowed,
    },
  };
  const { text } = await checkSlack(access, () => {});
  expect(text).toBe(`${words}, over HTTP; they add it at /slack/install`);
});

test('what to do about a token that Slack does not know', async () => {
  const slack = await useSlack();
  await expect(checkSlack(accessWith('xoxb-nobody', slack.apiUrl), () => {})).rejects.toThrow(
    /Slack does not know the token of the app\. Install the app again/,
  );
});
