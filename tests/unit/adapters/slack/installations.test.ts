import type { Installation } from '@slack/bolt';
import { describe, expect, test } from 'vitest';
import { judgeRemoval, readRemoval } from '#adapters/slack/install/guard-workspaces.ts';
import { keepInstallation, readInstallation } from '#adapters/slack/install/keep-installation.ts';
import { drawPage, installedPage } from '#adapters/slack/install/pages.ts';
import { authorizeAt } from '#adapters/slack/install/routes.ts';
import type { NewSlackInstallation } from '#domain/chat/slack-installation.ts';

const given: Installation<'v2', false> = {
  team: { id: 'T1', name: 'Globex' },
  enterprise: undefined,
  user: { id: 'U1', token: undefined, scopes: undefined },
  bot: { id: 'B1', userId: 'U0', token: 'xoxb-1', scopes: ['commands'] },
  appId: 'A1',
  isEnterpriseInstall: false,
};

describe('what Slack gives', () => {
  test('is of the workspace, or of the organisation that installs for all of its workspaces', () => {
    const enterprise = { id: 'E1', name: 'Globex Inc.' };
    expect(readInstallation({ ...given, enterprise })).toMatchObject({
      owner: 'T1',
      org_wide: false,
      name: 'Globex',
    });
    const orgWide = { ...given, team: undefined, enterprise, isEnterpriseInstall: true as const };
    expect(readInstallation(orgWide)).toMatchObject({
      owner: 'E1',
      org_wide: true,
      name: 'Globex Inc.',
      token: 'xoxb-1',
    });
  });

  test('is refused without a token, and where tokens rotate', () => {
    const { bot: _, ...without } = given;
    expect(() => readInstallation(without)).toThrow(/no bot token/);
    const bot = { id: 'B1', userId: 'U0', token: 'x', scopes: [], refreshToken: 'xoxe-1' };
    expect(() => readInstallation({ ...given, bot })).toThrow(/token rotation/);
  });

  test('for an organisation leads to the choice of its workspaces', () => {
    const page = installedPage({
      owner: 'E1',
      org_wide: true,
      name: 'Globex Inc.',
      app_id: 'A1',
      missing: [],
      enterpriseUrl: 'https://globex.enterprise.slack.com/',
    });
    expect(drawPage(page)).toContain(
      'href="https://globex.enterprise.slack.com/manage/organization/apps/profile/A1/workspaces/add"',
    );
  });
});

describe('of two installations at once', () => {
  const late: NewSlackInstallation = {
    ...readInstallation(given),
    token: 'xoxb-late',
  };
  const standing = {
    ...late,
    token: 'xoxb-other',
    generation: 3,
    installed_at: new Date(),
    removed_at: null,
    readable: true,
  };

  test('the one whose token Slack has ended is not stored over the other', async () => {
    const stored: unknown[] = [];
    const store = { read: async () => standing, store: async () => stored.push(1) > 0 };
    await keepInstallation(store, late, async () => false);
    expect(stored).toEqual([]);
    await keepInstallation(store, late, async () => true);
    expect(stored).toEqual([1]);
  });

  test('the one that meets another look again at what stands now', async () => {
    const seen: (number | null)[] = [];
    let now: typeof standing | null = null;
    await keepInstallation(
      {
        read: async () => now,
        store: async (_, after) => {
          seen.push(after);
          now = standing;
          return after !== null;
        },
      },
      late,
      async () => true,
    );
    expect(seen).toEqual([null, 3]);
  });
});

describe('news of a removal', () => {
  const body = (changes: object) => ({
    type: 'event_callback',
    team_id: 'T1',
    event_id: 'Ev1',
    event_time: 1_700_000_000,
    event: { type: 'app_uninstalled' },
    ...changes,
  });
  const at = new Date(1_700_000_000_000);

  test.each([
    ['the app of a workspace', {}, { owner: 'T1', at }],
    [
      'its bot token',
      { event: { type: 'tokens_revoked', tokens: { oauth: [], bot: ['U0'] } } },
      { owner: 'T1', at },
    ],
    [
      "people's tokens only",
      { event: { type: 'tokens_revoked', tokens: { oauth: ['U1'], bot: [] } } },
      null,
    ],
    ['a message', { event: { type: 'message' } }, null],
    [
      'a workspace of an organisation',
      { enterprise_id: 'E1', authorizations: [{ is_enterprise_install: false }] },
      { owner: 'T1', at },
    ],
    [
      'an organisation, under a workspace',
      { enterprise_id: 'E1', authorizations: [{ is_enterprise_install: true }] },
      { owner: 'E1', at },
    ],
    ['an organisation', { team_id: null, enterprise_id: 'E1' }, { owner: 'E1', at }],
    ['nobody', { team_id: null }, null],
  ])('about %s', (_, changes, expected) => {
    expect(readRemoval(body(changes))).toEqual(expected);
  });

  test.each([
    [-300_001, 'earlier'],
    [-300_000, 'ask'],
    [0, 'ask'],
    [300_000, 'ask'],
    [300_001, 'removed'],
  ] as const)('%i ms after the installation: %s', (ms, judged) => {
    expect(judgeRemoval(new Date(at.getTime() + ms), at)).toBe(judged);
  });
});

test.each([
  [undefined, 'https://slack.com/oauth/v2/authorize'],
  ['https://slack-gov.com/api/', 'https://slack-gov.com/oauth/v2/authorize'],
  ['http://127.0.0.1:9/api', 'http://127.0.0.1:9/oauth/v2/authorize'],
])('Slack asks people beside its Web API: %s', (apiUrl, page) => {
  expect(authorizeAt(apiUrl)).toBe(page);
});
