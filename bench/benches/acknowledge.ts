// Acknowledging Slack events, against Bolt with and without storage.
// A tenth are duplicates, a twentieth retries; each must be handled once.
import { sql } from 'drizzle-orm';
import { openDatabase } from '#db/database.ts';
import { quantile } from '../numbers.ts';
import { sendAtRate } from '../open-loop.ts';
import { startBareBolt } from '../program.ts';
import { makeRow } from '../row.ts';
import { drawSendings, sign, signingSecret } from '../slack-events.ts';
import { type Bench, type Stage, until } from '../stage.ts';

const rate = 200;
/** Per side: 30 seconds. */
const usualEvents = 6000;
const usualRounds = 6;
/** Uncounted: 15 seconds, while code is compiled. */
const warmUpShare = 0.5;
const warmUpRounds = 3;

/** No message is for us, so Slack is never called. */
const environment = {
  SLACK_SIGNING_SECRET: signingSecret,
  SLACK_BOT_TOKEN: 'xoxb-bench',
  SLACK_API_URL: 'http://127.0.0.1:9/api/',
};

type Side = { name: string; url: string; ms: number[]; messages: number };

/** @throws if one is missing, duplicated or failed, or Bolt stored too few */
async function checkInbox(
  { url, closeLater, say, signal }: Stage,
  expected: number,
  besides: number,
) {
  const db = openDatabase(url, {
    max: 1,
    applicationName: 'countersign bench',
    onError: (error) => say(error.message),
  });
  closeLater('the connection for the inbox', db.close);
  const counts = await until(signal, async () => {
    const { rows } = await db.query.execute<
      Record<'stored' | 'open' | 'handled' | 'once' | 'besides', number>
    >(sql`
      select count(*)::int as stored, count(*) filter (where handled_at is null and failed_at is null)::int as open,
        count(*) filter (where handled_at is not null)::int as handled,
        count(*) filter (where handled_at is not null and attempt = 1)::int as once,
        (select count(*)::int from bolt_events) as besides
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
  // A duplicated message has two rows there.
  if (counts.besides < besides)
    throw new Error(`of ${besides} messages the Bolt app stored ${counts.besides}`);
}

/** @returns milliseconds to each response */
function createSender(stage: Stage) {
  let run = 0;
  return async (side: Side, count: number): Promise<number[]> => {
    run += 1;
    const sendings = drawSendings(count, String(run).padStart(6, '0'));
    side.messages += new Set(sendings.map(({ message }) => message)).size;
    const posts = sendings.map((sending) => () => sign(sending, new Date()));
    return sendAtRate(side.url, posts, rate, stage.signal);
  };
}

export const measureAcknowledge: Bench = async (stage) => {
  const events = stage.steps ?? usualEvents;
  const rounds = stage.runs ?? usualRounds;
  const program = await stage.start('gateway', environment);
  await stage.start('worker', environment);
  const sideOf = (name: string, { url }: { url: string }): Side => ({
    name,
    url: `${url}/slack/events`,
    ms: [],
    messages: 0,
  });
  const startBolt = async (name: string, variables: NodeJS.ProcessEnv) => {
    const bolt = await startBareBolt({ SLACK_SIGNING_SECRET: signingSecret, ...variables });
    stage.closeLater(name, bolt.stop);
    return sideOf(name, bolt);
  };
  const ours = sideOf('countersign', program);
  const storing = await startBolt('Bolt that stores', { STORE_AT: stage.url });
  const bare = await startBolt('bare Bolt', {});
  const sides = [ours, storing, bare];
  const send = createSender(stage);
  const sendByTurns = async (name: string, count: number, turns: number) => {
    const each = Math.max(1, Math.round(count / turns));
    for (let turn = 0; turn < turns; turn++) {
      for (const side of turn % 2 === 0 ? sides : sides.toReversed()) {
        stage.say(`${name} ${turn + 1} of ${turns}: ${each} events at ${rate}/s to ${side.name}`);
        side.ms.push(...(await send(side, each)));
      }
    }
  };
  await sendByTurns('warm-up', events * warmUpShare, warmUpRounds);
  for (const side of sides) side.ms = [];
  await sendByTurns('round', events, rounds);
  stage.say('each handled once, none lost?');
  await checkInbox(stage, ours.messages, storing.messages);
  const compareWith = (side: Side, words: string) => ({
    with: `${words} (p50 ${quantile(side.ms, 0.5).toFixed(1)} ms)`,
    value: quantile(side.ms, 0.99),
  });
  const measured = {
    what: `a chat event is acknowledged, ${rate}/s, p99 of ${ours.ms.length}`,
    unit: 'ms',
    value: quantile(ours.ms, 0.99),
    p50: quantile(ours.ms, 0.5),
  } as const;
  return [
    makeRow({
      ...measured,
      name: 'acknowledge',
      compared: compareWith(bare, "bare Bolt, Node's own settings"),
      target: { reach: 2, stretch: 1.3 },
    }),
    makeRow({
      ...measured,
      name: 'acknowledge/beside-storing',
      compared: compareWith(storing, 'Bolt that commits one row first'),
    }),
  ];
};
