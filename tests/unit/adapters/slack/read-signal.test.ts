// A signal's workspace, also for organisation-wide apps and shared channels.
import { describe, expect, test } from 'vitest';
import { describePerson } from '#adapters/slack/people/people.ts';
import { readSignal } from '#adapters/slack/signals/read-signal.ts';

const read = (data: object) => readSignal(Buffer.from(JSON.stringify(data)));

describe('the workspace of an event', () => {
  const event = { type: 'message', channel: 'C1', ts: '1.1', user: 'U1', text: 'hello' };
  const base = { type: 'event_callback', event_id: 'Ev1', event };
  const bot = { user_id: 'U0', is_bot: true };
  test.each([
    ['where it happened', { team_id: 'T1' }, 'T1'],
    [
      'that has the app, of those that share a channel',
      { team_id: 'T2', authorizations: [{ ...bot, team_id: 'T1', is_enterprise_install: false }] },
      'T1',
    ],
    [
      'is the organisation, wherever it happened, when that has the app',
      {
        team_id: 'T1',
        enterprise_id: 'E1',
        authorizations: [{ ...bot, team_id: null, is_enterprise_install: true }],
      },
      'E1',
    ],
    [
      'is the organisation that has the app, of two that share a channel',
      {
        team_id: 'T2',
        enterprise_id: 'E2',
        authorizations: [
          { ...bot, team_id: null, enterprise_id: 'E1', is_enterprise_install: true },
        ],
      },
      'E1',
    ],
    [
      'is the organisation, where no workspace is named',
      { team_id: null, enterprise_id: 'E1' },
      'E1',
    ],
  ])('%s', (_, changes, team) => {
    const bot = 'authorizations' in changes ? 'U0' : null;
    expect(read({ ...base, ...changes })).toMatchObject({ kind: 'message', team, bot });
  });

  test('that is named nowhere leaves nothing to be done', () => {
    expect(read(base)).toBeNull();
  });
});

describe('the workspace of a press', () => {
  const base = {
    type: 'block_actions',
    trigger_id: 't',
    container: { type: 'message' },
    actions: [{ action_id: 'a', action_ts: '1.1' }],
  };
  const view = { id: 'V1', hash: 'h' };
  test.each([
    ['as it says', { team: { id: 'T1' }, user: { id: 'U1', team_id: 'T2' } }, 'T1'],
    [
      'is the organisation that has the app, whoever presses',
      {
        team: null,
        enterprise: { id: 'E1' },
        is_enterprise_install: true,
        user: { id: 'U1', team_id: 'T2' },
        view: { ...view, app_installed_team_id: 'T1' },
      },
      'E1',
    ],
    [
      'where that has it for itself, not for its organisation',
      {
        team: { id: 'T1' },
        enterprise: { id: 'E1' },
        is_enterprise_install: false,
        user: { id: 'U1', team_id: 'T2' },
      },
      'T1',
    ],
    [
      'of the person, in an organisation that is not named,',
      { team: null, user: { id: 'U1', team_id: 'T2' } },
      'T2',
    ],
    [
      'that has the app, in a window',
      { team: { id: 'T2' }, user: { id: 'U1' }, view: { ...view, app_installed_team_id: 'T1' } },
      'T1',
    ],
  ])('%s', (_, changes, team) => {
    expect(read({ ...base, ...changes })).toMatchObject({ kind: 'press', team });
    const { view: window = view, ...rest } = changes as { view?: object };
    expect(read({ type: 'view_submission', ...rest, view: window })).toMatchObject({
      kind: 'sent',
      team,
    });
  });

  test('that is named nowhere leaves nothing to be done', () => {
    expect(read({ ...base, team: null, user: { id: 'U1' } })).toBeNull();
  });
});

test.each([
  ['true', 'E1'],
  ['false', 'T1'],
])('of a command with is_enterprise_install=%s it is %s', (flag, team) => {
  const form = {
    command: '/plans',
    team_id: 'T1',
    enterprise_id: 'E1',
    is_enterprise_install: flag,
    channel_id: 'C1',
    user_id: 'U1',
    trigger_id: 't',
    response_url: 'https://hooks.slack.com/commands/1',
  };
  const signal = readSignal(Buffer.from(new URLSearchParams(form).toString()));
  expect(signal).toMatchObject({ kind: 'command', team });
});

test('somebody of an organisation is one account in all its workspaces', () => {
  const options = { timezone: 'UTC', vouched: false };
  const of = (changes: object) => describePerson('E1', { id: 'U1', ...changes }, options).account;
  const known = { enterprise_user: { id: 'W1', enterprise_id: 'E1' } };
  expect(of({ team_id: 'T1', ...known })).toBe('slack:E1:W1');
  expect(of({ team_id: 'T2', ...known })).toBe('slack:E1:W1');
  expect(of({ team_id: 'T2' })).toBe('slack:T2:U1');
});

test.each([
  ['a colleague', { team_id: 'T1' }, false],
  ['a guest of several channels', { team_id: 'T1', is_restricted: true }, true],
  ['a guest of one channel', { team_id: 'T1', is_ultra_restricted: true }, true],
  ['somebody of another organisation', { team_id: 'T9' }, true],
  ['a stranger', { team_id: 'T1', is_stranger: true }, true],
  ['somebody without a workspace', {}, true],
  [
    'a colleague of another workspace',
    { team_id: 'T2', enterprise_user: { id: 'W1', enterprise_id: 'E1', teams: ['T1', 'T2'] } },
    false,
  ],
  [
    'somebody of another enterprise',
    { team_id: 'T9', enterprise_user: { id: 'W9', enterprise_id: 'E9', teams: ['T9'] } },
    true,
  ],
])('%s is told apart from those of the workspace', (_, user, guest) => {
  const options = { timezone: 'UTC', vouched: true };
  expect(describePerson('T1', { id: 'U1', ...user }, options).guest).toBe(guest);
});
