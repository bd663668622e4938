// `/plans` and its subcommands. The answer is for the one who asked, and stands only as long as their session.
import type { types } from '@slack/bolt';
import {
  commandWords,
  describeLink,
  describeStats,
  exportWords,
  writeTrace,
} from '#cards/chat-words.ts';
import { drawBlocks } from '#cards/expand.ts';
import { slackLimits } from '#cards/limits.ts';
import { escapeMrkdwn } from '#cards/plain.ts';
import { describeCommands, titleList } from '#cards/plan-list.ts';
import { viewPlan } from '#cards/view-model.ts';
import { findPlans } from '#conversation/find-plans.ts';
import { readExport, readRecord } from '#conversation/read-record.ts';
import type { PlanCardFacts } from '#domain/chat/card.ts';
import { CountersignError } from '#domain/errors.ts';
import { type Actor, person } from '#domain/people/actor.ts';
import type { Export } from '#domain/service.ts';
import { explainSlackError } from '../port/explain-error.ts';
import type { Ask } from '../port/hold.ts';
import { sendFile } from '../port/send-file.ts';
import type { SlackContext } from '../slack-context.ts';
import type { CommandSignal } from '../transport/read-signal.ts';
import { headerBlock, listBlocks, plainSection } from './plan-lists.ts';

// A plan's record for the person who asks for it, as a file in their direct messages.
const fits = (text: string) => text.length <= slackLimits.exportText;

/** Somebody waits for it; after a refusal by Slack they repeat the command. */
const ask: Ask = (_, call) => call();

/** Sends it; `id` is the person behind `user`. @returns what there is to say where it was asked for @throws CountersignError */
async function sendExport(
  { plansFor, clientOf, warn }: SlackContext,
  { team, user, id }: { team: string; user: string; id: string },
  wanted: Export,
): Promise<string> {
  const { plan } = wanted;
  const record = await readRecord(plansFor(team, id), wanted, { fits, writeTrace });
  if (record === null) return exportWords.tooLarge({ plan });
  const { text, name } = record;
  if (text === '') return exportWords.nothingRun({ plan });
  const title = exportWords.title(wanted);
  const client = await clientOf(team);
  try {
    // Slack says which conversation the direct messages are; the file goes under the message.
    const { channel, ts } = await client.chat.postMessage({
      channel: user,
      text: title,
      parse: 'none',
    });
    if (channel === undefined || ts === undefined) throw new Error('Slack named no message.');
    const sender = { client, ask, warn };
    const target = { team, channel, thread: ts };
    await sendFile(sender, target, { name, title, text }, { key: ts, there: new Set() });
  } catch (error) {
    throw explainSlackError(error, 'send a file');
  }
  return exportWords.sent(wanted);
}

const help = describeCommands('/plans', [[...exportWords.asFile]]);

type Answer = { text: string; blocks: types.KnownBlock[] };
type Reader = { id: string; timezone: string; account: Actor; once: string };

const say = (text: string): Answer => ({ text: escapeMrkdwn(text), blocks: [plainSection(text)] });

/** One plan as its card says it, with nothing to press but what shows more: decisions are made where all see them. */
function drawPlan(facts: PlanCardFacts): Answer {
  const view = viewPlan(facts);
  const buttons = view.buttons.filter(({ press }) => press.action === 'details');
  const { text, blocks } = drawBlocks({ ...view, asks: [], asks_more: 0, buttons });
  // Blocks of `cards/` are Slack's by construction.
  return { text, blocks: blocks as unknown as types.KnownBlock[] };
}

async function answer(
  { service, plansFor }: Pick<SlackContext, 'service' | 'plansFor'>,
  { team, said }: { team: string; said: string },
  reader: Reader,
  now: Date,
): Promise<Answer> {
  const read = plansFor(team, reader.id);
  const found = await findPlans({ read, service }, said, reader);
  switch (found.kind) {
    case 'list': {
      const { which, words, sections, page, next } = found;
      const { title, empty } = titleList(which, null, words);
      if (sections.length === 0) return say(page === 1 ? empty : commandWords.noPage({ page }));
      const name = page === 1 ? title : commandWords.page({ title, page });
      const count = sections.reduce((sum, { plans }) => sum + plans.length, 0);
      const command = `/plans ${next}`;
      const blocks = [
        // The groups of the inbox have names enough.
        ...(which === 'inbox' ? [] : [headerBlock(name)]),
        ...sections.flatMap((section) => listBlocks(section, now.toISOString(), true)),
        ...(next === null ? [] : [plainSection(commandWords.nextPage({ command }))]),
      ];
      return { text: `${name}: ${count}`, blocks };
    }
    case 'stats':
      return say(describeStats(found.stats, now.toISOString()));
    case 'plan':
      return drawPlan(found.facts);
    case 'link':
      return say(describeLink(found.outcome, '/plans link'));
    case 'help':
      return say(help);
    case 'unknown':
      return say(commandWords.unknown({ command: `/plans ${found.word}`, help }));
    default:
      return found satisfies never;
  }
}

/** Answers a command through the address that Slack gave for it; no channel has to know the app for that. */
export async function answerCommand(
  context: SlackContext,
  { team, command }: CommandSignal,
): Promise<void> {
  const { people, respond } = context;
  const now = context.clock.now();
  const { id, timezone, account } = await people.find(team, command.user_id);
  const once = `slack:${team}:command:${command.trigger_id}`;
  const reader = { id, timezone, account: person(account, 'slack'), once };
  const wanted = readExport(command.text);
  const answering =
    wanted === null
      ? answer(context, { team, said: command.text }, reader, now)
      : sendExport(context, { team, user: command.user_id, id }, wanted).then(say);
  const content = await answering.catch((error: unknown) => {
    if (error instanceof CountersignError && error.passesAfterMs === null)
      return say(error.message);
    throw error;
  });
  await respond(command.response_url, content);
}
