// Several workspaces: each with its token, and able to return.
import { sql } from 'drizzle-orm';
import pino from 'pino';
import { expect, test } from 'vitest';
import { examine } from '#app/doctor.ts';
import { createSlackInstallations } from '#chat/slack-installations.ts';
import { createSeal } from '#db/seal.ts';
import { systemClock } from '#domain/clock.ts';
import { person } from '#domain/people/actor.ts';
import { add } from '../../fixtures/slack/browser.ts';
import { useDatabase } from '../../setup/database.ts';
import { reach } from '../../setup/instance.ts';
import { waitFor } from '../../wait.ts';
import { clearInbox, readInbox, settled } from '../inbox/bench.ts';
import {
  addPlace,
  ask,
  findCard,
  type InstallInstance,
  key,
  planOf,
  useInstallInstance,
  useWorkspace,
  type WorkspacePlace,
} from './install-instance.ts';

const database = useDatabase();
const silentLog = pino({ level: 'silent' });

async function useInstance(options: Parameters<typeof useInstallInstance>[1] = {}) {
  const use = await useInstallInstance(database, options);
  await use.instance.db.query.execute(
    sql`truncate countersign.slack_installations, countersign.slack_workspaces, countersign.chat_places`,
  );
  await clearInbox(use.instance);
  return use;
}

async function readPlaces(
  { instance }: Pick<InstallInstance, 'instance'>,
  { workspace }: WorkspacePlace,
) {
  const { rows } = await instance.db.query.execute<{ broken: string | null }>(
    sql`select broken from countersign.chat_places where tenant = ${workspace.id}`,
  );
  return rows.map(({ broken }) => broken);
}

async function readTable({ instance }: Pick<InstallInstance, 'instance'>) {
  const { rows } = await instance.db.query.execute<{
    owner: string;
    token: string | null;
    row: string;
  }>(sql`
    select owner, encode(token, 'escape') as token, i::text as row
    from countersign.slack_installations i order by owner`);
  return rows;
}

async function cancel({ instance }: InstallInstance, planId: string) {
  const { version, requester } = await instance.service.getPlan(planId);
  await instance.service.cancel(planId, { version }, person(requester, 'api'));
}

for (const socket of [true, false]) {
  test(`two workspaces add the app, and in each what was asked there is approved there, ${socket ? 'in Socket Mode' : 'over HTTP'}`, async () => {
    const use = await useInstance({ socket });
    const { slack, instance, lines } = use;
    const globex = await useWorkspace(use, 'Globex');
    const initech = await useWorkspace(use, 'Initech');
    for (const { user, card, workspace, channel, root } of [globex, initech]) {
      const id = planOf(card);
      await slack.press(user.id, card, 'countersign:approve');
      const { approvals } = await reach(instance, id, 'completed');
      // With several workspaces none vouches for an address.
      expect(approvals.map(({ by }) => by)).toEqual([`slack:${workspace.id}:${user.id}`]);
      await waitFor('the outcome', async () => {
        const now = slack.messages(channel).find(({ ts }) => ts === card.ts);
        return now !== undefined && !JSON.stringify(now.blocks).includes('countersign:approve');
      });
      // Otherwise posted in the next test.
      await waitFor('its news', async () =>
        slack.replies(channel, root).some(({ text }) => text.includes('is done')),
      );
    }
    const posted = slack.calls.filter(({ method }) => method === 'chat.postMessage');
    for (const { team, parameters } of posted) {
      const place = [globex, initech].find(({ channel }) => channel === parameters.channel);
      expect(team).toBe(place?.workspace.id);
    }
    const table = await readTable(use);
    expect(table.map(({ owner }) => owner)).toEqual(
      [globex.workspace.id, initech.workspace.id].sort(),
    );
    for (const { workspace } of [globex, initech]) {
      const token = slack.installation(workspace.id)?.token ?? 'none';
      expect(token).toMatch(/^xoxb-/);
      expect(JSON.stringify(table)).not.toContain(token);
      expect(lines.join('')).not.toContain(token);
    }
    expect(lines.join('')).not.toContain(slack.app.clientSecret);
  });
}

test('a workspace that removes the app is told of, loses its token, and stops nobody else; added again, what waited is posted', async () => {
  const use = await useInstance();
  const { slack, instance } = use;
  const globex = await useWorkspace(use, 'Globex');
  const initech = await useWorkspace(use, 'Initech');
  await slack.uninstall(globex.workspace.id);
  await waitFor('its token to be deleted', async () =>
    (await readTable(use)).some(
      ({ owner, token }) => owner === globex.workspace.id && token === null,
    ),
  );
  const removed =
    'Countersign was removed from Globex in Slack. Add it there again at /slack/install.';
  expect(await readPlaces(use, globex)).toEqual([removed]);
  await cancel(use, planOf(globex.card));
  const replies = slack.replies(globex.channel, globex.root).length;

  await slack.press(initech.user.id, initech.card, 'countersign:approve');
  await reach(instance, planOf(initech.card), 'completed');
  expect(await readPlaces(use, initech)).toEqual([null]);
  const findings = await examine(instance.config, silentLog);
  const of = (name: string) => findings.find(({ part }) => part.startsWith(`Slack ${name}`));
  expect(of('Globex')).toMatchObject({
    state: 'off',
    text: expect.stringMatching(/^Removed on 2/),
  });
  expect(of('Initech')).toMatchObject({
    state: 'ok',
    text: expect.stringContaining('@countersign'),
  });
  expect(findings.find(({ part }) => part === 'Delivery')?.text).toContain(removed);

  await add(use, globex.user);
  await waitFor('what waited', async () => {
    const now = slack.messages(globex.channel).find(({ ts }) => ts === globex.card.ts);
    return (
      slack.replies(globex.channel, globex.root).length > replies &&
      now !== undefined &&
      !JSON.stringify(now.blocks).includes('countersign:approve')
    );
  });
  expect(await readPlaces(use, globex)).toEqual([null]);
  const again = await ask(use, globex);
  await slack.press(globex.user.id, again.card, 'countersign:approve');
  await reach(instance, planOf(again.card), 'completed');
});

test('news of a removal that come after the app was added again remove nothing', async () => {
  const use = await useInstance();
  const { slack, instance } = use;
  const globex = await useWorkspace(use, 'Globex');
  const url = `${use.home}/slack/events`;
  slack.connect(null);
  const late = await slack.uninstall(globex.workspace.id);
  await slack.settle();
  slack.connect({ url });
  await add(use, globex.user);
  for (const { signal } of late) expect((await slack.replay(signal)).status).toBe(200);
  await settled(instance);
  expect((await readTable(use)).map(({ token }) => token === null)).toEqual([false]);
  await ask(use, globex);
});

test('a removal that nobody told us of is seen at the next call, and a token that was replaced is replaced there as well', async () => {
  const use = await useInstance();
  const { slack, home } = use;
  const globex = await useWorkspace(use, 'Globex');
  const other = await use.another();
  slack.app.redirectUrls = [`${other.home}/slack/oauth_redirect`];
  // Its cached token is being replaced.
  expect((await add({ slack, home: other.home }, globex.user)).status).toBe(200);
  await ask(use, globex);

  slack.app.redirectUrls = [`${home}/slack/oauth_redirect`];
  slack.connect(null);
  await slack.uninstall(globex.workspace.id);
  await cancel(use, planOf(globex.card));
  await waitFor('the place to say so', async () =>
    (await readPlaces(use, globex)).every((broken) => broken?.includes('was removed from Globex')),
  );
  expect((await readTable(use)).map(({ token }) => token)).toEqual([null]);
});

test('what comes from a workspace that never added the app is set aside at once, and handled once it does', async () => {
  const use = await useInstance();
  const { slack, instance, lines } = use;
  const globex = addPlace(slack, 'Globex');
  slack.install(globex.workspace.id);
  await slack.inviteApp(globex.user.id, globex.channel);
  await settled(instance);
  await clearInbox(instance);
  const { message, deliveries } = await slack.mention(globex.user.id, globex.channel, 'hello');
  expect(deliveries.map(({ attempts }) => attempts.at(0)?.status)).toEqual([200, 200]);
  const rows = await settled(instance);
  const why = `Countersign is not installed in the Slack workspace ${globex.workspace.id}. Add it there at /slack/install.`;
  expect(rows.map(({ state, attempt, error }) => [state, attempt, error])).toEqual([
    ['failed', 1, why],
  ]);
  expect(lines.join('')).toContain('was set aside');
  await add(use, globex.user);
  await waitFor('a card', async () => findCard(slack, globex.channel, message.ts));
});

test('an organisation that added the app is found for its workspaces once something comes from them, after their own', async () => {
  const use = await useInstance();
  const { slack, instance } = use;
  const globex = addPlace(slack, 'Globex');
  const { token } = slack.install(globex.workspace.id);
  const seal = createSeal(Buffer.from(key, 'base64'));
  const installations = createSlackInstallations({
    db: instance.db,
    enqueueAll: async () => {},
    seal,
    clock: systemClock,
    installAt: '/slack/install',
  });
  const organisation = {
    owner: 'E0GLOBEX',
    org_wide: true,
    name: 'Globex Inc.',
    app_id: slack.app.id,
    scopes: [],
    installed_by: globex.user.id,
    token,
  };
  await installations.store(organisation, null);
  await slack.inviteApp(globex.user.id, globex.channel);
  const { message, deliveries } = await slack.mention(globex.user.id, globex.channel, 'hello');
  const [delivery] = deliveries;
  if (delivery === undefined) throw new Error('Nothing was sent.');
  // Without its name the double finds nothing.
  expect((await settled(instance)).map(({ state }) => state)).toContain('failed');
  // Names it, so that earlier ones are handled too.
  await slack.replay(delivery.signal, (payload) => {
    payload.enterprise_id = organisation.owner;
    payload.event_id = 'Ev0OTHER';
    payload.event = { type: 'member_joined_channel' };
  });
  await waitFor('a card', async () => findCard(slack, globex.channel, message.ts));
  expect(await installations.find(globex.workspace.id)).toMatchObject({ owner: 'E0GLOBEX', token });

  await add(use, globex.user);
  const own = await installations.find(globex.workspace.id);
  expect(own).toMatchObject({ owner: globex.workspace.id, generation: 1 });
  // Workspaces with an installation of their own stay.
  await installations.remove({ ...organisation, generation: 1 });
  expect(await installations.find(globex.workspace.id)).toMatchObject({ token: own?.token });
  expect(await installations.join('T0OTHER', 'E0GLOBEX')).toBe(false);
});

test('of two who add the app to one workspace at once, the token that holds is kept', async () => {
  const use = await useInstance();
  const { slack } = use;
  const globex = addPlace(slack, 'Globex');
  const pages = await Promise.all([1, 2, 3, 4].map(() => add(use, globex.user)));
  const statuses = pages.map(({ status }) => status);
  // The double may revoke the old token before the new one is stored.
  expect(statuses.filter((status) => status !== 200 && status !== 409)).toEqual([]);
  expect(statuses).toContain(200);
  await slack.inviteApp(globex.user.id, globex.channel);
  await ask(use, globex);
  expect(await readTable(use)).toHaveLength(1);
});

const anotherKey = { COUNTERSIGN_ENCRYPTION_KEY: Buffer.alloc(32, 8).toString('base64') };

test('a process with another key says so, and the app can be added again with it', async () => {
  const use = await useInstance();
  const globex = addPlace(use.slack, 'Globex');
  await add(use, globex.user);
  const other = await use.another(anotherKey);
  expect(other.lines.join('')).toMatch(
    /COUNTERSIGN_ENCRYPTION_KEY is not the key that the Slack tokens of Globex were encrypted with/,
  );
  const findings = await examine(other.instance.config, silentLog);
  expect(findings.find(({ part }) => part.startsWith('Slack Globex'))).toMatchObject({
    state: 'broken',
    text: 'Its token was encrypted with another key',
  });
  use.slack.app.redirectUrls = [`${other.home}/slack/oauth_redirect`];
  expect((await add({ slack: use.slack, home: other.home }, globex.user)).status).toBe(200);
  expect((await readTable(use)).map(({ owner }) => owner)).toEqual([globex.workspace.id]);
  const now = await examine(other.instance.config, silentLog);
  expect(now.find(({ part }) => part.startsWith('Slack Globex'))?.state).toBe('ok');
});

test('what comes to a process with another key waits for one with the right key', async () => {
  const use = await useInstance({ work: false });
  const { slack, instance } = use;
  const globex = addPlace(slack, 'Globex');
  await add(use, globex.user);
  await slack.inviteApp(globex.user.id, globex.channel);
  await clearInbox(instance);
  await use.another(anotherKey, true);
  const { message } = await slack.mention(globex.user.id, globex.channel, 'hello');
  await waitFor('the event to wait', async () =>
    (await readInbox(instance)).some(
      ({ state, failures, error }) =>
        state === 'open' && failures === 0 && error?.startsWith('COUNTERSIGN_ENCRYPTION_KEY'),
    ),
  );
  await use.another({}, true);
  await waitFor('a card', async () => {
    await instance.db.query.execute(sql`update countersign.inbox set due_at = now()`);
    await instance.db.query.execute(sql`update countersign.chat_places set not_before = null`);
    return findCard(slack, globex.channel, message.ts);
  });
});
