// Required people: one mention and one direct message.
import { expect, test } from 'vitest';
import type { PlanDraft } from '#domain/plan/plan.ts';
import { usualScopes } from '../../fixtures/slack/app.ts';
import { useDatabase } from '../../setup/database.ts';
import { noop, reach, scriptedPlanner } from '../../setup/instance.ts';
import { waitFor } from '../../wait.ts';
import { approve, askFor, type Desk, lookAgain, seeCard, useDesk } from './desk.ts';

const database = useDatabase();
const draft: PlanDraft = { title: 'Ship it', steps: [noop('a')] };
const planner = scriptedPlanner(() => ({ kind: 'proposal', draft }));
const settings = {
  guardedTools: ['control_noop'],
  guardedApprovers: { control_noop: { kind: 'named', people: ['ben@example.com'] } },
};

// `before`: direct messages of earlier tests.
async function useAsking(options: Parameters<typeof useDesk>[1] = {}) {
  const desk = await useDesk(database, { planner, settings, ...options });
  const { slack, ana, ben } = desk;
  const counts = [ana, ben].map(
    ({ id }) => [id, slack.messages(slack.direct(id).id).length] as const,
  );
  return { ...desk, before: new Map(counts) };
}
type Asking = Awaited<ReturnType<typeof useAsking>>;
const direct = ({ slack, before }: Asking, user: string) =>
  slack.messages(slack.direct(user).id).slice(before.get(user) ?? 0);
// Edits send no notification.
const posts = ({ slack }: Desk) =>
  slack.calls
    .filter(({ method }) => method === 'chat.postMessage')
    .map(({ parameters }) => parameters);

async function askBen(desk: Asking) {
  const asked = await askFor(desk, 'ship it', desk.ben.id);
  const notice = await waitFor('ben to be told', () => direct(desk, desk.ben.id)[0]);
  return { ...asked, told: notice };
}

test('an approver is mentioned on the card and told alone, with what is asked and a link to the card', async () => {
  const desk = await useAsking();
  const { ana, ben, instance } = desk;
  const { card, told, plan, root } = await askBen(desk);
  expect(card.pings).toEqual([`@${ben.id}`]);
  expect(told.text).toContain('ana asks for your approval');
  expect(told.text).toContain('Ship it');
  expect(JSON.stringify(told.blocks)).toContain(`/p${card.ts.replace('.', '')}`);
  expect(direct(desk, ana.id)).toEqual([]);
  await approve(desk, ana, await seeCard(desk, root));
  await approve(desk, ben, await seeCard(desk, root));
  await reach(instance, plan.id, 'completed');
  await waitFor('nobody to be asked any more', () => lookAgain(desk, card).pings.length === 0);
  const naming = posts(desk).filter((one) => JSON.stringify(one).includes(ben.id));
  expect(naming).toHaveLength(1);
  expect(direct(desk, ben.id)).toHaveLength(1);
});

test('where the app may open no direct messages the mention stands, and the log says what is missing', async () => {
  const scopes = usualScopes.filter((scope) => scope !== 'im:write');
  const desk = await useAsking({ slack: { scopes } });
  const { ben, lines, instance } = desk;
  const { card } = await askFor(desk, 'ship it', ben.id);
  expect(card.pings).toEqual([`@${ben.id}`]);
  await waitFor(
    'the card to be noted',
    async () => (await instance.service.listPlans({ limit: 1 })).plans.length === 1,
  );
  expect(direct(desk, ben.id)).toEqual([]);
  expect(lines.join('')).not.toContain('error');
});

test('a name that no address of the workspace stands for is written, and mentions nobody', async () => {
  const desk = await useAsking({
    settings: {
      ...settings,
      guardedApprovers: { control_noop: { kind: 'named', people: ['Zoe', 'nobody@example.org'] } },
    },
  });
  const { card } = await askFor(desk, 'ship it');
  expect(card.pings).toEqual([]);
});
