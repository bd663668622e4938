// People in Slack and Teams, who repeat unacknowledged presses.
import { setTimeout as pause } from 'node:timers/promises';
import type { Chance } from '../fixtures/random.ts';
import type { Delivery, TimedAttempt } from '../fixtures/slack/delivery.ts';
import { ImpossibleForPeople } from '../fixtures/slack/refusal.ts';
import type { SlackMessage } from '../fixtures/slack/types.ts';
import type { TeamsChat } from '../fixtures/teams/chats.ts';
import { cardOf, findButton, type Message } from '../fixtures/teams/sent-cards.ts';
import type { OrganisationName } from './organisations.ts';
import type { Stage } from './stage.ts';
import { type Desk, findRun, type Story } from './story.ts';
import { changeWords, wordsFor } from './work.ts';

const wordOf = ({ decision, name }: Story) =>
  decision === 'reject'
    ? 'reject'
    : decision === 'change'
      ? `propose changes: ${changeWords(name)}`
      : 'approve';
// A word decides on its conversation's latest plan.
const needsThread = ({ decision }: Story) => decision !== 'approve' && decision !== 'approve twice';
const againAfterMs = 3000;

function createReader() {
  const known = new WeakMap<object, string>();
  return (content: object): string => {
    const text = known.get(content) ?? JSON.stringify(content);
    known.set(content, text);
    return text;
  };
}

export const slackButtons =
  /"countersign:(?:approve|reject|propose_changes|cancel|pause|resume|retry|settle_\w+)/;

async function isDecided({ plan }: Story, { query }: Stage['records']): Promise<boolean> {
  for (let looks = 0; looks < 10; looks++) {
    const [open] = await query(
      `select 1 from countersign.plans where id = $1 and status = 'proposed'`,
      [plan],
    );
    if (open === undefined) return true;
    await pause(300);
  }
  return false;
}

async function untilChanged({ plan }: Story, { query }: Stage['records']): Promise<void> {
  for (;;) {
    const [done] = await query(
      `select 1 from countersign.plans p where id = $1 and (version > 1
        or exists (select 1 from countersign.audit a where a.plan_id = p.id and a.action = 'keep'))`,
      [plan],
    );
    if (done !== undefined) return;
    await pause(500);
  }
}

// Without threads, answers are told apart only by order.
const isTaken = (story: Story | undefined) =>
  story !== undefined && story.outcome === 'open' && story.at.shown === undefined;

/** People and channels are named as in every other workspace. */
export function openSlackDesk(
  { slack, records, ledger, teamOf }: Stage,
  organisation: OrganisationName,
  chance: Chance,
): Desk {
  const read = createReader();
  const team = teamOf(organisation);
  const users = ['ana', 'ben', 'cleo', 'dan'].map((name) => slack.addUser({ name, team }).id);
  const channels = ['release', 'support', 'random', 'launch', 'ops', 'people'].map(
    (name) => slack.addChannel({ name, members: users, team }).id,
  );
  const direct = new Map<string, Story>();
  const asked = new Map<string, { user: string; channel: string; ts: string; alone: boolean }>();

  const whereIs = ({ name }: Story) => {
    const found = asked.get(name);
    if (found === undefined) throw new Error(`${name} was not asked in Slack`);
    return found;
  };
  // Direct messages have no threads.
  const answersTo = (story: Story): SlackMessage[] => {
    const { channel, ts, alone } = whereIs(story);
    const messages = alone ? slack.messages(channel) : slack.replies(channel, ts);
    return messages.filter((one) => one.bot_id !== undefined && one.ts > ts);
  };
  const textOf = ({ blocks, text }: SlackMessage) => text + read(blocks);
  const cardsOf = (story: Story) =>
    answersTo(story).filter(
      (message) => story.plan !== null && textOf(message).includes(story.plan),
    );
  const findOpen = (story: Story) =>
    cardsOf(story).findLast((message) => textOf(message).includes('countersign:approve'));

  const note = ({ sent }: Story, what: string, deliveries: Delivery[]) =>
    sent.push(
      ...deliveries.map(({ attempts, signal }) => ({
        what,
        attempts,
        event: String(signal.payload.event_id),
      })),
    );

  // False once Slack has given up without a visible effect.
  async function isHeard(deliveries: Delivery[], shows: () => boolean): Promise<boolean> {
    const ok = ({ status }: TimedAttempt) => status === 200;
    for (;;) {
      if (shows()) return true;
      if (deliveries.some(({ attempts }) => attempts.some(ok))) return true;
      if (deliveries.every(({ attempts }) => attempts.length >= 4)) return false;
      await pause(200);
    }
  }

  async function write(story: Story, text: string): Promise<void> {
    const { user, channel, ts } = whereIs(story);
    const standing = () => {
      const plan = records.plans.get(story.plan ?? '');
      return [plan?.status, plan?.version, plan?.revising].join(' ');
    };
    const before = standing();
    for (let tries = 0; tries < 5; tries++) {
      const { deliveries } = await slack.say(user, channel, text, { thread_ts: ts });
      note(story, `“${text}”`, deliveries);
      if (await isHeard(deliveries, () => standing() !== before)) return;
    }
  }

  // A press may hit an older version.
  async function press(story: Story): Promise<void> {
    const { user } = whereIs(story);
    for (;;) {
      const card = findOpen(story);
      if (card === undefined) return;
      try {
        const { answer, delivery } = await slack.press(user, card, 'countersign:approve');
        note(story, 'a press', [delivery]);
        if (answer.status === 200 && (await isDecided(story, records))) return;
      } catch (error) {
        // The card was redrawn meanwhile.
        if (!(error instanceof ImpossibleForPeople)) throw error;
      }
      await pause(againAfterMs);
    }
  }

  return {
    async ask(story) {
      const user = chance.pick(users);
      const words = wordsFor(story.kind, story.reads ?? story.name, ledger.url);
      const alone = !needsThread(story) && !isTaken(direct.get(user)) && chance.next() < 0.3;
      if (alone) direct.set(user, story);
      const request = alone
        ? await slack.directMessage(user, words)
        : await slack.mention(user, chance.pick(channels), words);
      const { channel, ts } = request.message;
      asked.set(story.name, { user, channel, ts, alone });
      note(story, 'the request', request.deliveries);
      return await isHeard(request.deliveries, () => findRun(records, story) !== undefined);
    },
    showsPlan: (story) => findOpen(story) !== undefined,
    showsAnswer: (story) => answersTo(story).length > 0,
    async decide(story) {
      const { decision } = story;
      if (decision === 'approve by word' || decision === 'reject')
        return await write(story, wordOf(story));
      if (decision === 'change') {
        await write(story, wordOf(story));
        await untilChanged(story, records);
        while (findOpen(story) === undefined) await pause(200);
      }
      if (decision === 'approve twice') {
        await Promise.all([press(story), press(story)]);
        return;
      }
      await press(story);
    },
    isClosed: (story) => {
      const cards = cardsOf(story);
      return cards.length > 0 && !cards.some((message) => slackButtons.test(textOf(message)));
    },
  };
}

const teamsButtons = [
  'Approve',
  'Reject',
  'Propose changes',
  'Cancel',
  'Pause',
  'Resume',
  'Retry the step',
];

export function openTeamsDesk({ teams, records, ledger }: Stage, chance: Chance): Desk {
  const read = createReader();
  const people = ['Eva', 'Finn', 'Gil', 'Hana'].map((name) => teams.addPerson(name));
  const channels = [teams.addChannel(people), teams.addChannel(people)];
  const group = teams.addGroup(people);
  const flat = new Map<TeamsChat, Story>();
  const personal = people.map((person) => teams.addPersonal(person));
  const asked = new Map<
    string,
    {
      person: (typeof people)[number];
      place: TeamsChat;
      root: string | null;
      conversation: string;
      from: number;
    }
  >();

  const whereIs = ({ name }: Story) => {
    const found = asked.get(name);
    if (found === undefined) throw new Error(`${name} was not asked in Teams`);
    return found;
  };
  const messagesOf = (story: Story): Message[] => {
    const { conversation, from } = whereIs(story);
    return teams.messages
      .slice(from)
      .filter((one) => one.conversation === conversation && !one.deleted);
  };
  const cardsOf = (story: Story) =>
    messagesOf(story).filter(
      ({ activity }) =>
        story.plan !== null &&
        read(activity).includes(story.plan) &&
        (activity.attachments ?? []).length > 0,
    );
  const findOpen = (story: Story) =>
    cardsOf(story).findLast((message) => findButton(cardOf(message), 'Approve') !== null);

  // A broken connection doesn't say.
  async function isHeard({ sent }: Story, what: string, call: Promise<{ status: number }>) {
    const from = Date.now();
    const note = (status: number | null) => {
      sent.push({ what, attempts: [{ from, until: Date.now(), status }] });
      return status !== null && status >= 200 && status < 300;
    };
    return await call.then(
      ({ status }) => note(status),
      () => note(null),
    );
  }

  async function write(story: Story, text: string): Promise<void> {
    const { person, place, root } = whereIs(story);
    for (let tries = 0; tries < 10; tries++) {
      const options = root === null ? {} : { root };
      const call = teams.say(person, place, text, options).then(({ answer }) => answer);
      if (await isHeard(story, `“${text}”`, call)) return;
      await pause(againAfterMs);
    }
  }

  async function press(story: Story): Promise<void> {
    const { person } = whereIs(story);
    for (;;) {
      const card = findOpen(story);
      if (card === undefined) return;
      const opens = findButton(cardOf(card), 'Approve')?.card !== undefined;
      const path = opens ? ['Approve', 'Approve and run'] : 'Approve';
      const arrived = await isHeard(story, 'a press', teams.press(person, card, path));
      if (arrived && (await isDecided(story, records))) return;
      await pause(againAfterMs);
    }
  }

  return {
    async ask(story) {
      const at = chance.whole(0, people.length - 1);
      const [person, own] = [people[at], personal[at]];
      if (person === undefined || own === undefined) throw new Error('nobody is there');
      const choice = needsThread(story)
        ? chance.pick(channels)
        : chance.pick([...channels, group, own]);
      const place = isTaken(flat.get(choice)) ? chance.pick(channels) : choice;
      if (place.kind !== 'channel') flat.set(place, story);

      const root = place.kind === 'channel' ? `17${story.name.slice(1)}000000` : null;
      const conversation = root === null ? place.id : `${place.id};messageid=${root}`;
      asked.set(story.name, { person, place, root, conversation, from: teams.messages.length });
      const words = wordsFor(story.kind, story.reads ?? story.name, ledger.url);
      const call = teams.say(person, place, words, root === null ? {} : { root });
      const pressAnswer = call.then(({ answer }) => answer);
      if (await isHeard(story, 'the request', pressAnswer)) return true;
      // It may have been stored.
      await pause(10_000);
      return findRun(records, story) !== undefined;
    },
    showsPlan: (story) => findOpen(story) !== undefined,
    showsAnswer: (story) => messagesOf(story).length > 0,
    async decide(story) {
      const { decision } = story;
      if (decision === 'approve by word' || decision === 'reject')
        return await write(story, wordOf(story));
      if (decision === 'change') {
        await write(story, wordOf(story));
        await untilChanged(story, records);
        while (findOpen(story) === undefined) await pause(200);
      }
      await (decision === 'approve twice'
        ? Promise.all([press(story), press(story)])
        : press(story));
    },
    // A post with a lost response may be duplicated above.
    isClosed: (story) => {
      const card = cardsOf(story).at(-1);
      return (
        card !== undefined &&
        !teamsButtons.some((title) => findButton(cardOf(card), title) !== null)
      );
    },
  };
}
