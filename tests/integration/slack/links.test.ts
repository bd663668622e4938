// Plan links shared in Slack unfurl only for permitted readers.
import { expect, test } from 'vitest';
import { person } from '#domain/people/actor.ts';
import { usualScopes } from '../../fixtures/slack/app.ts';
import { useDatabase } from '../../setup/database.ts';
import { noop } from '../../setup/instance.ts';
import { waitFor } from '../../wait.ts';
import { useDesk } from './desk.ts';

const database = useDatabase();
const address = 'https://bot.example.com';
const ana = person('ana@example.com', 'slack');
const draft = { title: 'Ship <!channel> it', steps: [noop('a'), noop('b')] };

async function useLinks(scopes = usualScopes) {
  const desk = await useDesk(database, { console: address, slack: { scopes } });
  const plan = await desk.instance.service.propose(draft, { user: ana.id }, ana);
  const share = (url: string) => desk.slack.say(desk.ben.id, desk.channel, `look: ${url}`);
  return { ...desk, plan, share, url: `${address}/?plan=${plan.id}` };
}

test('a link to a plan unfurls to its title, state and progress, and pings nobody', async () => {
  const { share, url, plan } = await useLinks();
  const { message } = await share(url);
  const unfurled = await waitFor('a preview', () => message.unfurls?.[url]);
  const drawn = JSON.stringify(unfurled);
  expect(drawn).toContain('Ship <!channel> it');
  expect(drawn).toContain(`version 1 · ${plan.id}`);
  expect(drawn).not.toMatch(/button|mrkdwn/);
});

test('once more, the same link shows what is true then', async () => {
  const { share, url, plan, instance } = await useLinks();
  const { message, deliveries } = await share(url);
  await waitFor('a preview', () => message.unfurls?.[url]);
  await instance.service.reject(plan.id, { version: plan.version }, ana);
  const again = await share(url);
  await waitFor('a preview', () =>
    JSON.stringify(again.message.unfurls ?? '').includes('Rejected'),
  );
  expect(deliveries.length).toBeGreaterThan(0);
});

test('what is no plan of ours, or no address of ours, unfurls to nothing', async () => {
  const { share, slack, url, plan } = await useLinks();
  const none = `${address}/?plan=PLAN-00000000`;
  const page = `${address}/other?plan=${plan.id}`;
  const { message } = await share(`${none} ${page} ${address}/?plan=%3Cscript%3E`);
  const { message: good } = await share(url);
  await waitFor('the good one', () => good.unfurls?.[url]);
  expect(message.unfurls).toBeUndefined();
  expect(slack.calls.filter(({ method }) => method === 'chat.unfurl')).toHaveLength(1);
});

test('where people of other organisations read, nothing is shown', async () => {
  const { share, slack, url } = await useLinks();
  const { message, deliveries } = await share(url);
  await waitFor('a preview', () => message.unfurls?.[url]);
  const [event] = deliveries.filter(({ signal }) => JSON.stringify(signal).includes('link_shared'));
  if (event === undefined) throw new Error('No link was shared.');
  const before = slack.calls.length;
  await slack.replay(event.signal, (payload) => {
    Object.assign(payload, { event_id: 'Ev0SHARED', is_ext_shared_channel: true });
  });
  await slack.replay(event.signal, (payload) => {
    Object.assign(payload, { event_id: 'Ev0DRAFT', is_ext_shared_channel: false });
    Object.assign(payload.event as object, { channel: 'COMPOSER', source: 'composer' });
  });
  await slack.settle();
  expect(slack.calls.slice(before).filter(({ method }) => method === 'chat.unfurl')).toEqual([]);
});

test('without the scope the link stands as it is, and is not tried for ever', async () => {
  const scopes = usualScopes.filter((one) => one !== 'links:write');
  const { share, slack, url } = await useLinks(scopes);
  const { message } = await share(url);
  const tried = () => slack.calls.filter(({ method }) => method === 'chat.unfurl');
  await waitFor('Slack to refuse it', () => tried().length === 1);
  expect(JSON.stringify(tried()[0]?.answer)).toContain('missing_scope');
  await slack.settle();
  expect(message.unfurls).toBeUndefined();
  expect(tried()).toHaveLength(1);
});
