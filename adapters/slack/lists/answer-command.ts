// `/plans`, answered to the sender only.
import type { types } from '@slack/bolt';
import { buildWords } from '#cards/build-words.ts';
import { exportWords, writeTrace } from '#cards/chat-words.ts';
import { headOf, tableOf, viewDryRun, writeDryRun } from '#cards/dry-run.ts';
import { evidenceLabel, tabulateEvidence } from '#cards/evidence.ts';
import { drawBlocks, fitsSlack } from '#cards/expand.ts';
import { platformLimits } from '#cards/limits.ts';
import { escapeMrkdwn } from '#cards/plain.ts';
import { describeCommands, type PlanListView } from '#cards/plan-list.ts';
import { drawPlanLists } from '#cards/slack-lists.ts';
import { textSection } from '#cards/slack-windows.ts';
import { drawTable, writeTable } from '#cards/table.ts';
import { viewPlan } from '#cards/view-model.ts';
import { answerPlans } from '#chat/answer-plans.ts';
import { readRecord } from '#conversation/read-record.ts';
import type { PlanCardFacts } from '#domain/chat/card.ts';
import { person } from '#domain/people/actor.ts';
import type { Export, Simulation } from '#domain/service.ts';
import { explainSlackError } from '../calls/explain-error.ts';
import type { Ask } from '../calls/hold.ts';
import { sendFile } from '../port/send-file.ts';
import { drawRecurring } from '../press/recurring.ts';
import { textSections, toBlocks } from '../press/windows.ts';
import type { CommandSignal } from '../signals/read-signal.ts';
import type { SlackContext } from '../slack-context.ts';

const fits = (text: string) => text.length <= platformLimits.slack.exportText;

/** Never waits for limits: the person can repeat the command. */
const ask: Ask = (_, call) => call();

// Sends a plan's record to person `id`, Slack user `user`.
/** @throws CountersignError */
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
    // The answer has the channel's ID; the file goes under the message.
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

const help = describeCommands('/plans', [[...buildWords.command], [...exportWords.asFile]]);

/** `plain`: without tables, if Slack takes none. */
type Answer = { text: string; blocks: types.KnownBlock[]; plain?: types.KnownBlock[] };

const say = (text: string): Answer => ({ text: escapeMrkdwn(text), blocks: [textSection(text)] });

/** Without deciding buttons: decisions are made in the conversation. */
function drawPlan(facts: PlanCardFacts): Answer {
  const view = viewPlan(facts);
  const buttons = view.buttons.filter(({ press }) => press.action === 'details');
  const { text, blocks } = drawBlocks({ ...view, asks: [], asks_more: 0, buttons });
  const plain = toBlocks(blocks);
  const table = tabulateEvidence(facts);
  if (table.rows.length === 0) return { text, blocks: plain };
  const label = textSection(evidenceLabel);
  const drawn = [...plain, label, ...toBlocks(drawTable(table))];
  const lines = textSections([evidenceLabel, ...writeTable(table)]);
  const answer = { text, blocks: [...plain, ...lines] };
  return fitsSlack(drawn) ? { ...answer, blocks: drawn, plain: answer.blocks } : answer;
}

/** The last row counts the rest. */
function drawDryRun(simulation: Simulation, now: string): Answer {
  const draw = (most: number): Answer => {
    const view = viewDryRun(simulation, now, most);
    const words = writeDryRun(view);
    const plain = textSections(words.split('\n'));
    const head = textSections(headOf(view));
    return {
      text: say(words).text,
      blocks: [...head, ...toBlocks(drawTable(tableOf(view)))],
      plain,
    };
  };
  let most = platformLimits.slack.table.rows - 1;
  let answer = draw(most);
  while (most > 1 && !fitsSlack(answer.blocks)) {
    most = Math.floor(most * 0.8);
    answer = draw(most);
  }
  return answer;
}

function drawList({ title, sections, inbox, more, text }: PlanListView, now: string): Answer {
  const lists = [
    ...(inbox ? [] : [{ heading: title, plans: [], more: '' }]),
    ...sections,
    ...(more === '' ? [] : [{ heading: '', plans: [], more }]),
  ];
  return { text, blocks: toBlocks(drawPlanLists(lists, now, true)) };
}

/** Through the response address, which works without the app. */
export async function answerCommand(
  context: SlackContext,
  { team, command: { text, user_id: user, trigger_id, response_url } }: CommandSignal,
): Promise<void> {
  const { service, plansFor, people, respond, clock } = context;
  const who = await people.find(team, user);
  const { id, timezone } = who;
  const content = await answerPlans(
    { read: plansFor(team, id), service },
    {
      ...{ text, command: '/plans', help, id, timezone, readBy: null, now: clock.now() },
      account: person(who.account, 'slack'),
      once: `slack:${team}:command:${trigger_id}`,
    },
    {
      note: say,
      plan: drawPlan,
      list: drawList,
      dryRun: drawDryRun,
      recurring: drawRecurring,
      record: async (wanted) => say(await sendExport(context, { team, user, id }, wanted)),
    },
  );
  await respond(response_url, content);
}
