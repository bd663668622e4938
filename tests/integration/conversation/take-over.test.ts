// A question to one person, taken over by who may decide about the plan: by the button of each surface, and openly.
import { expect, test } from 'vitest';
import { ask } from '#adapters/terminal/ask.ts';
import type { PlanView } from '#cards/view.ts';
import { viewPlan } from '#cards/view-model.ts';
import type { PlanDraft } from '#domain/plan/plan.ts';
import { startApi } from '../../fixtures/api.ts';
import { draftStep } from '../../fixtures/steps.ts';
import { cardOf } from '../../fixtures/teams/sent-cards.ts';
import { createFakeTerminal } from '../../fixtures/terminal.ts';
import { type TestDatabase, useDatabase } from '../../setup/database.ts';
import { createClient } from '../../setup/http-client.ts';
import { openTestInstance, scriptedPlanner, type TestInstance } from '../../setup/instance.ts';
import { waitFor } from '../../wait.ts';
import { useSlackInstance } from '../slack/slack-instance.ts';
import { awaitMessage, useTeamsInstance } from '../teams/teams-instance.ts';

const [ana, ben] = ['ana@example.com', 'ben@example.com'];
const draft: PlanDraft = {
  title: 'May it go',
  steps: [draftStep('ask', 'Ask Ben', 'human_confirm', { question: 'May it go?', assignee: ben })],
};
const planner = scriptedPlanner(() => ({ kind: 'proposal', draft }));

/** The label of a button, and its action if the label does not tell. */
type Label = 'Approve' | 'Yes' | 'Answer for ben';
const actions: Record<Label, string> = {
  Approve: 'approve',
  Yes: 'settle_done',
  'Answer for ben': 'human_take_over',
};

type Desk = {
  instance: TestInstance;
  plan: string;
  /** Presses what Ana sees, as soon as she sees it. */
  press(label: Label): Promise<unknown>;
  /** The messages that Ana reads. */
  read(): Promise<string>;
  close?(): Promise<void>;
};

async function openSlack(database: TestDatabase): Promise<Desk> {
  const { slack, instance } = await useSlackInstance(database, { planner });
  const [own, other] = [slack.addUser({ name: 'ana' }), slack.addUser({ name: 'ben' })];
  const channel = slack.addChannel({ name: 'release', members: [own.id, other.id] }).id;
  const { message } = await slack.mention(own.id, channel, 'may it go');
  const find = (part: string) =>
    waitFor(`a card with ${part}`, async () =>
      slack
        .replies(channel, message.ts)
        .findLast(({ blocks }) => JSON.stringify(blocks).includes(part)),
    );
  const first = await find('countersign:approve');
  const plan = /PLAN-[0-9a-f]{8}/.exec(JSON.stringify(first.blocks))?.[0] ?? '';
  return {
    instance,
    plan,
    async press(label) {
      const card = await find(`countersign:${actions[label]}`);
      const pattern = new RegExp(`"action_id":"(countersign:${actions[label]}[^"]*)"`);
      const [, id = ''] = pattern.exec(JSON.stringify(card.blocks)) ?? [];
      return slack.press(own.id, card, id);
    },
    read: async () => JSON.stringify(slack.replies(channel, message.ts)),
  };
}

async function openTeams(database: TestDatabase): Promise<Desk> {
  const { teams, instance } = await useTeamsInstance(database, { planner });
  const [own, other] = [teams.addPerson('ana'), teams.addPerson('ben')];
  const { conversation } = await teams.say(own, teams.addChannel([own, other]), 'may it go');
  const card = await awaitMessage(teams, conversation, '"approve"');
  return {
    instance,
    plan: /PLAN-[0-9a-f]{8}/.exec(JSON.stringify(cardOf(card)))?.[0] ?? '',
    async press(label) {
      // The card moves down when a step asks.
      const now = await awaitMessage(teams, conversation, `"title":"${label}`);
      const pattern = new RegExp(`"title":"(${label}[^"]*)"`);
      const [, title = ''] = pattern.exec(JSON.stringify(now.activity)) ?? [];
      return teams.press(own, now, title);
    },
    read: async () =>
      JSON.stringify(teams.messages.filter((one) => one.conversation === conversation)),
  };
}

/** @param press sends what the console, or a program, would for a button */
async function openApi(
  database: TestDatabase,
  press: (api: ReturnType<typeof createClient>, view: PlanView, label: Label) => Promise<unknown>,
): Promise<Desk> {
  const instance = await openTestInstance(database.url, { planner });
  const server = await startApi({ service: instance.service });
  const api = createClient(server.origin);
  const { id: plan } = await instance.service.propose(
    draft,
    { user: ana },
    { kind: 'person', id: ana, via: 'api' },
  );
  const look = async () =>
    viewPlan(await instance.service.card(plan, { user: ana, timezone: 'UTC' }));
  return {
    instance,
    plan,
    async press(label) {
      const view = await waitFor(`a card with ${label}`, async () => {
        const now = await look();
        return JSON.stringify(now).includes(`"${actions[label]}"`) ? now : null;
      });
      return press(api, view, label);
    },
    read: async () => JSON.stringify(await look()),
    async close() {
      await server.close();
      await instance.close();
    },
  };
}

const openConsole = (database: TestDatabase) =>
  openApi(database, async (api, view, label) => {
    const buttons = [...view.buttons, ...view.asks.flatMap((one) => one.buttons)];
    const button = buttons.find(({ press }) => press.action === actions[label])?.press;
    return api.post('/api/press', { button, user: ana });
  });

const openHttp = (database: TestDatabase) =>
  openApi(database, async (api, { plan_id, version, digest }, label) => {
    if (label === 'Approve') return api.approve({ id: plan_id, version, digest }, ana);
    const steps = { ask: label === 'Yes' ? 'done' : 'take_over' };
    return api.post(`/api/plans/${plan_id}/resume`, { version, steps, user: ana });
  });

async function openTerminal(database: TestDatabase): Promise<Desk> {
  const instance = await openTestInstance(database.url, { planner });
  const terminal = createFakeTerminal();
  const options = { text: 'may it go', user: ana, timezone: 'UTC', poll_ms: 10 };
  const code = ask(instance.service, options, terminal);
  const prompts: Record<Label, string> = {
    Approve: '[a]pprove',
    Yes: '[y]es',
    'Answer for ben': '[a]nswer for them',
  };
  await terminal.shows(prompts.Approve);
  return {
    instance,
    plan: /PLAN-[0-9a-f]{8}/.exec(terminal.plain())?.[0] ?? '',
    async press(label) {
      await terminal.shows(prompts[label]);
      terminal.type(label === 'Yes' ? 'y' : 'a');
    },
    read: async () => terminal.plain(),
    async close() {
      terminal.end();
      await code;
      await instance.close();
    },
  };
}

const database = useDatabase();

test.each<[string, (database: TestDatabase) => Promise<Desk>]>([
  ['Slack', openSlack],
  ['Teams', openTeams],
  ['the console', openConsole],
  ['HTTP', openHttp],
  ['the terminal', openTerminal],
])(
  'a question to Ben is answered by Ana through %s once she has taken it over',
  async (_, open) => {
    const { instance, plan, press, read, close } = await open(database);
    const stepOf = async () => (await instance.service.getSteps(plan, ['ask']))[0];
    await press('Approve');
    await waitFor('the question', async () => (await stepOf())?.status === 'waiting');
    await press('Answer for ben');
    await waitFor('the card to say so', async () =>
      /(ana\S*|you) answers? for ben/.test(await read()),
    );
    expect((await stepOf())?.status).toBe('waiting');
    await press('Yes');
    await waitFor('the end', async () => (await stepOf())?.status === 'succeeded');
    expect((await stepOf())?.output).toMatchObject({ answer: 'Yes', by: ana, for: ben });
    await waitFor('the card to name both', async () =>
      /ana\S* for ben\S*: “Yes”/.test(await read()),
    );
    const deeds = await instance.service.audit(plan, { limit: 100 });
    expect(deeds.map(({ action }) => action)).toContain('take_over');
    await close?.();
  },
);
