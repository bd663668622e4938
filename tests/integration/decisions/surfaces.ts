// Every surface for decisions, each press through the next of two gateways.
import { sql } from 'drizzle-orm';
import { z } from 'zod';
import { pressDrawn } from '#adapters/terminal/press.ts';
import { openSession } from '#adapters/terminal/session.ts';
import { conversationAt } from '#domain/chat/chat.ts';
import type { AnyPress } from '#domain/chat/press.ts';
import type { PlanDraft } from '#domain/plan/plan.ts';
import type { Planner } from '#domain/planning/run.ts';
import type { Signal } from '../../fixtures/slack/delivery.ts';
import type { SlackDouble } from '../../fixtures/slack/double.ts';
import { stagedPlanner } from '../../fixtures/staged-planner.ts';
import type { Connector } from '../../fixtures/teams/connector.ts';
import { createFakeTerminal } from '../../fixtures/terminal.ts';
import { noop, scriptedPlanner, type TestInstance } from '../../setup/instance.ts';
import { waitFor } from '../../wait.ts';
import { settled } from '../inbox/bench.ts';
import { startChats } from '../platforms/chats.ts';
import { awaitMessage } from '../teams/teams-instance.ts';

export const people = ['ana', 'ben', 'eve'] as const;
export type Who = (typeof people)[number];
export const addressOf = (who: Who) => `${who}@example.com`;

/** Null for success, `ignored` if nothing was asked. */
export type Answered = string | null;

export type Surface = {
  conversation: string;
  press(button: AnyPress, who: Who, text?: string): Promise<Answered>;
};

export type Surfaces = Record<'slack' | 'teams' | 'console' | 'terminal' | 'http', Surface> & {
  instance: TestInstance;
  instances: TestInstance[];
  close(): Promise<void>;
};

const Refused = z.object({ code: z.string() });
const Rows = z.array(z.object({ code: z.string().nullable() }));

// In order, with their refusals.
async function readPresses({ db }: TestInstance) {
  const { rows } = await db.query.execute(
    sql`select refused ->> 'code' as code from countersign.presses order by at`,
  );
  return Rows.parse(rows).map(({ code }) => code);
}

type Next = () => string;

async function openSlack(slack: SlackDouble, instance: TestInstance, next: Next): Promise<Surface> {
  const users = Object.fromEntries(people.map((name) => [name, slack.addUser({ name })]));
  const idOf = (who: Who) => users[who]?.id ?? '';
  const channel = slack.addChannel({ name: 'release', members: people.map(idOf) }).id;
  const { message } = await slack.mention(idOf('ana'), channel, 'do nothing');
  const card = await waitFor('a card', async () =>
    slack
      .replies(channel, message.ts)
      .find(({ blocks }) => JSON.stringify(blocks).includes('countersign:approve')),
  );
  const { delivery } = await slack.press(idOf('eve'), card, 'countersign:approve');
  await settled(instance);
  type Payload = Signal['payload'] & {
    user: { id: string };
    trigger_id: string;
    actions: { value: string; action_ts: string }[];
  };
  let count = 0;
  const send = (button: AnyPress, who: Who) =>
    slack.replay(delivery.signal, (raw) => {
      const payload = raw as Payload;
      const [action] = payload.actions;
      count += 1;
      payload.trigger_id = `pressed.${count}`;
      payload.user.id = idOf(who);
      if (action === undefined) return;
      action.action_ts = `17000000${count}.000000`;
      action.value = JSON.stringify(button);
    });
  const fillIn = async (button: AnyPress, who: Who, text: string) => {
    const { action } = button;
    const subject = 'plan_id' in button ? button.plan_id : button.run_id;
    const shown = await waitFor('its own card', async () =>
      slack
        .replies(channel, message.ts)
        .find(
          ({ blocks }) =>
            JSON.stringify(blocks).includes(subject) &&
            JSON.stringify(blocks).includes(button.digest ?? '') &&
            JSON.stringify(blocks).includes(`countersign:${action}`),
        ),
    );
    const [id = ''] =
      new RegExp(`countersign:${action}[^"]*`).exec(JSON.stringify(shown.blocks)) ?? [];
    await slack.press(idOf(who), shown, id);
    const view = await waitFor('a window', async () => {
      const top = slack.views(idOf(who)).at(-1);
      return JSON.stringify(top ?? 'Loading').includes('Loading') ? null : (top ?? null);
    });
    next();
    await slack.submit(idOf(who), view, { value: text });
  };
  return {
    conversation: conversationAt({
      ...{ platform: 'slack', tenant: slack.workspace.id },
      ...{ channel, thread: message.ts },
    }),
    async press(button, who, text) {
      const before = (await readPresses(instance)).length;
      await (text === undefined ? send(button, who) : fillIn(button, who, text));
      await settled(instance);
      const made = (await readPresses(instance)).slice(before);
      return made.length === 0 ? 'ignored' : (made[0] ?? null);
    },
  };
}

async function openTeams(teams: Connector, instance: TestInstance): Promise<Surface> {
  const persons = Object.fromEntries(people.map((name) => [name, teams.addPerson(name)]));
  const personOf = (who: Who) => persons[who] ?? teams.addPerson(who);
  const place = teams.addChannel(people.map(personOf));
  const { conversation } = await teams.say(personOf('ana'), place, 'do nothing');
  const message = await awaitMessage(teams, conversation, '"approve"');
  const [channel = '', thread = null] = conversation.split(';messageid=');
  return {
    conversation: conversationAt({ platform: 'teams', tenant: teams.tenant, channel, thread }),
    async press(button, who, text) {
      const before = (await readPresses(instance)).length;
      const typed = text === undefined ? {} : { [`text:${button.action}`]: text };
      await teams.invoke(personOf(who), message, button.action, { ...button, ...typed });
      await settled(instance);
      const made = (await readPresses(instance)).slice(before);
      return made.length === 0 ? 'ignored' : (made[0] ?? null);
    },
  };
}

async function post(origin: string, path: string, body: object): Promise<Answered> {
  const response = await fetch(`${origin}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const answer: unknown = await response.json();
  return response.ok ? null : Refused.parse(answer).code;
}

function openConsole(next: Next): Surface {
  return {
    conversation: 'conv-console',
    press: (button, who, text) =>
      post(next(), '/api/press', { button, user: addressOf(who), ...(text && { text }) }),
  };
}

function openHttp(next: Next): Surface {
  const resolutions = {
    settle_done: 'done',
    settle_skip: 'skip',
    human_done: 'done',
    human_take_over: 'take_over',
  };
  return {
    conversation: 'conv-http',
    press(button, who, feedback) {
      if ('run_id' in button) {
        const { run_id, digest, turn, action } = button;
        const path = `/api/runs/${run_id}/${action.replace('session_', '')}`;
        return post(next(), path, { digest, turn, user: addressOf(who) });
      }
      const { action, plan_id, version, digest, step_id = '', ...seen } = button;
      const { attempt, stood: expectedStatus, ended_at } = seen;
      const decision = { version, user: addressOf(who), ...(feedback && { feedback }) };
      const call = (path: string, more: object = {}) =>
        post(next(), `/api/plans/${plan_id}/${path}`, { ...decision, ...more });
      if (action === 'approve') return call('approve', { digest });
      if (action === 'retry') return call('retry', { ended_at });
      const resolution = new Map(Object.entries(resolutions)).get(action);
      if (resolution === undefined) return call(action.replace('_', '-'));
      const about = { [step_id]: { attempt, status: expectedStatus } };
      return call('resume', { steps: { [step_id]: resolution }, about });
    },
  };
}

function openTerminal({ service }: TestInstance): Surface {
  return {
    conversation: 'conv-terminal',
    async press(button, who, text = '') {
      const options = { text: '', user: addressOf(who), timezone: 'UTC' };
      const session = openSession(service, options, createFakeTerminal());
      const refused = await pressDrawn(session, button, { text });
      session.close();
      return refused?.code ?? null;
    },
  };
}

const proposal: PlanDraft = { title: 'Do nothing', steps: [noop('a')] };

export async function openSurfaces(url: string): Promise<Surfaces> {
  const scripted = scriptedPlanner(() => ({ kind: 'proposal', draft: proposal }));
  const staged = stagedPlanner(() => chats.instance.db.query);
  const planner: Planner = {
    ...scripted,
    plan: (request, ...rest) =>
      (request.text.startsWith('Plan') ? staged : scripted).plan(request, ...rest),
  };
  const chats = await startChats(url, planner, 1000, {}, 2);
  const { instance, instances, slack, teams, connectNext, close } = chats;
  const alternate = (surface: Surface): Surface => ({
    ...surface,
    press(...args) {
      connectNext();
      return surface.press(...args);
    },
  });
  return {
    ...{ instance, instances, close },
    slack: alternate(await openSlack(slack, instance, connectNext)),
    teams: alternate(await openTeams(teams, instance)),
    console: openConsole(connectNext),
    terminal: openTerminal(instance),
    http: openHttp(connectNext),
  };
}
