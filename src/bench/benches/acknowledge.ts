// Acknowledging what Slack sends, over real HTTP with real signatures, beside a bare Bolt app that stores nothing. Both are
// asked by turns, while a worker handles what was stored. A tenth of the messages comes again under another id and a
// twentieth is tried again; in the end each was handled once and none is missing.
import { sql } from 'drizzle-orm';
import { openDatabase } from '#store/database.ts';
import { quantile } from '../numbers.ts';
import { sendAtRate } from '../open-loop.ts';
import { startBareBolt } from '../program.ts';
import { makeRow, type Row } from '../row.ts';
import { drawSendings, sign, signingSecret } from '../slack-events.ts';
import { type Bench, type Stage, until } from '../stage.ts';

const rate = 200;
/** Of each side: 30 seconds. */
const usualEvents = 6000;
const usualRounds = 6;
/** The first requests find connections, caches and code cold. */
const warmUp = 200;

/** Nobody is at Slack's address: what comes is not meant for us, so nothing is asked there. */
const environment = {
  SLACK_SIGNING_SECRET: signingSecret,
  SLACK_BOT_TOKEN: 'xoxb-bench',
  SLACK_API_URL: 'http://127.0.0.1:9/api/',
};

type Side = { name: string; url: string; ms: number[]; messages: number };

/** Waits until nothing is open. @throws when a message is missing, was handled twice, or could not be handled */
async function checkInbox({ url, closeLater, say, signal }: Stage, expected: number) {
  const db = openDatabase(url, {
    max: 1,
    applicationName: 'countersign bench',
    onError: (error) => say(error.message),
  });
  closeLater('the connection for the inbox', db.close);
  const counts = await until(signal, async () => {
    const { rows } = await db.query.execute<
      Record<'stored' | 'open' | 'handled' | 'once', number>
    >(sql`
      select count(*)::int as stored, count(*) filter (where handled_at is null and failed_at is null)::int as open,
        count(*) filter (where handled_at is not null)::int as handled,
        count(*) filter (where handled_at is not null and attempt = 1)::int as once
      from countersign.inbox`);
    const [row] = rows;
    return row !== undefined && row.open === 0 ? row : null;
  });
  const { stored, handled, once } = counts;
  if (stored !== expected || handled !== expected || once !== expected) {
    throw new Error(
      `of ${expected} messages ${stored} were stored, ${handled} handled, ${once} of them at the first try`,
    );
  }
}

async function sendSome(stage: Stage, side: Side, count: number, run: number): Promise<number[]> {
  const sendings = drawSendings(count, String(run).padStart(6, '0'));
  side.messages += new Set(sendings.map(({ message }) => message)).size;
  const posts = sendings.map((sending) => () => sign(sending, new Date()));
  return sendAtRate(side.url, posts, rate, stage.signal);
}

export const measureAcknowledge: Bench = async (stage) => {
  const events = stage.steps ?? usualEvents;
  const rounds = stage.runs ?? usualRounds;
  const program = await stage.start('gateway', environment);
  await stage.start('worker', environment);
  const bolt = await startBareBolt({ SLACK_SIGNING_SECRET: signingSecret });
  stage.closeLater('the bare Bolt app', bolt.stop);
  const ours: Side = {
    name: 'countersign',
    url: `${program.url}/slack/events`,
    ms: [],
    messages: 0,
  };
  const theirs: Side = { name: 'bare Bolt', url: `${bolt.url}/slack/events`, ms: [], messages: 0 };
  let run = 0;
  stage.say(`${warmUp} events each to warm up`);
  for (const side of [ours, theirs]) await sendSome(stage, side, warmUp, ++run);
  const inRound = Math.max(1, Math.round(events / rounds));
  for (let round = 0; round < rounds; round++) {
    for (const side of round % 2 === 0 ? [ours, theirs] : [theirs, ours]) {
      stage.say(`round ${round + 1} of ${rounds}: ${inRound} events at ${rate}/s to ${side.name}`);
      side.ms.push(...(await sendSome(stage, side, inRound, ++run)));
    }
  }
  stage.say('each handled once, none lost?');
  await checkInbox(stage, ours.messages);
  const row: Row = makeRow({
    name: 'acknowledge',
    what: `a chat event is acknowledged, ${rate}/s, p99 of ${ours.ms.length}`,
    unit: 'ms',
    value: quantile(ours.ms, 0.99),
    p50: quantile(ours.ms, 0.5),
    compared: {
      with: `bare Bolt (p50 ${quantile(theirs.ms, 0.5).toFixed(1)} ms)`,
      value: quantile(theirs.ms, 0.99),
    },
    target: { reach: 2, stretch: 1.3 },
  });
  return [row];
};
