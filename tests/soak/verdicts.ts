// Checks after a soak: nothing lost, repeated or left behind.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { usualSilenceMs } from '#db/connection.ts';
import { cardOf, findButton } from '../fixtures/teams/sent-cards.ts';
import type { Settled } from './attend.ts';
import type { Life } from './fleet.ts';
import { slackButtons } from './in-chats.ts';
import type { Incident } from './incidents.ts';
import type { LiveMemory } from './live-memory.ts';
import { pooledConnections, type Stage } from './stage.ts';
import { endedStatuses, type Story } from './story.ts';

export type Verdict = { name: string; ok: boolean; facts: string };

export function judge(name: string, problems: string[], facts = ''): Verdict {
  const some = problems.slice(0, 12).join('; ');
  const more = problems.length > 12 ? `; ${problems.length - 12} more` : '';
  return problems.length === 0
    ? { name, ok: true, facts }
    : { name, ok: false, facts: `${problems.length}: ${some}${more}` };
}

export function judgeStories(stories: Story[]): Verdict {
  const open = stories.filter(({ outcome }) => outcome === 'open');
  const count = (outcome: Story['outcome']) =>
    stories.filter((one) => one.outcome === outcome).length;
  return judge(
    'every accepted request came to its end where it was asked',
    open.map(
      ({ name, surface, kind, decision, plan, waitsFor }) =>
        `${name} (${surface}, ${kind}, ${decision}, ${plan ?? 'no plan'}) waits for ${waitsFor}`,
    ),
    `${count('ended')} plans ended, ${count('answered')} answered without one, ${count('not heard')} not acknowledged`,
  );
}

const withoutPlan: Story['kind'][] = ['unclear', 'read'];

/** Understood requests lead to plans unless the planner failed. */
export function judgeAnswers(stories: Story[]): Verdict {
  const odd = stories.filter(
    ({ outcome, kind }) => outcome === 'answered' && !withoutPlan.includes(kind),
  );
  const planned = stories.filter(
    ({ outcome, kind }) => outcome === 'ended' && withoutPlan.includes(kind),
  );
  return judge(
    'requests for changes led to plans, the others to an answer',
    [...odd, ...planned].map(
      ({ name, surface, kind, answer }) => `${name} (${surface}, ${kind}): ${answer}`,
    ),
  );
}

export async function judgePlans({ records }: Stage): Promise<Verdict> {
  const rows = await records.query<{ id: string; status: string; waiting: number; error: string }>(
    `select id, status, waiting + unknown as waiting, coalesce(result_summary, '') as error from countersign.plans`,
  );
  const counts = Map.groupBy(rows, ({ status }) => status);
  const running = ['approved', 'executing', 'stalled', 'needs_review'];
  const stuck = rows.filter(({ status, waiting }) => running.includes(status) && waiting === 0);
  return judge(
    'every approved plan ended or waits for a person',
    stuck.map(({ id, status }) => `${id} is ${status}`),
    [...counts].map(([status, plans]) => `${plans.length} ${status}`).join(', '),
  );
}

export async function judgeEffects(stage: Stage, stories: Story[]): Promise<Verdict> {
  const times = await stage.ledger.count();
  const twice = [...times].filter(([, count]) => count > 1);
  const steps = await stage.records.query<{ plan: string; effect: string }>(
    `select s.plan_id as plan, coalesce(c.args ->> 'line', c.args -> 'body' ->> 'step') as effect
     from countersign.step_states s join countersign.plan_steps c using (plan_id, position)
     where s.status = 'succeeded' and c.tool in ('log', 'http')`,
  );
  const missing = steps.filter(({ effect }) => effect !== null && !times.has(effect));
  const approved = new Set(
    (
      await stage.records.query<{ plan: string }>(
        'select plan_id as plan from countersign.approvals',
      )
    ).map(({ plan }) => plan),
  );
  const unapproved = stories.filter(
    ({ plan, effects }) =>
      (plan === null || !approved.has(plan)) && effects.some((one) => times.has(one)),
  );
  return judge(
    'every effect of a step happened once, and none without an approval',
    [
      ...twice.map(([effect, count]) => `${effect} happened ${count} times`),
      ...missing.map(({ plan, effect }) => `${effect} of ${plan} did not happen`),
      ...unapproved.map(({ name, plan }) => `${name} (${plan}) was not approved`),
    ],
    `${times.size} effects`,
  );
}

const isDatabaseTrouble = ({ kind }: Incident) => /database/.test(kind);

/** Each needs a process that was killed, stopped, or lost the database, or a silenced connection. */
export async function judgeUnknowns(
  { records, incidents, lives }: Stage & { lives: Life[] },
  settled: Settled[],
): Promise<Verdict> {
  const rows = await records.query<{
    plan: string;
    step: string;
    worker: string;
    from: number;
    to: number;
  }>(
    `select a.plan_id as plan, s.step_id as step, a.worker,
      (extract(epoch from a.started_at) * 1000)::float8 as from, (extract(epoch from a.ended_at) * 1000)::float8 as to
     from countersign.step_attempts a join countersign.step_states s using (plan_id, position) where a.status = 'unknown'`,
  );
  const slackMs = 500;
  const explains = (row: (typeof rows)[number]) => (one: Incident) => {
    const lastsMs = one.kind.endsWith('silence') ? usualSilenceMs : slackMs;
    if (one.at > row.to || one.until < row.from - lastsMs) return false;
    return isDatabaseTrouble(one) || row.worker.split(':')[1] === String(one.pid);
  };
  const ended = (row: (typeof rows)[number]) =>
    lives.some(
      ({ pid, exit, ended: at }) =>
        String(pid) === row.worker.split(':')[1] &&
        exit?.signal === 'SIGKILL' &&
        (at ?? 0) <= row.to,
    );
  const odd = rows.filter((row) => !incidents.all.some(explains(row)) && !ended(row));
  const retried = settled.filter(({ verdict }) => verdict === 'retry').length;
  return judge(
    'calls are unknown only where a process was killed or stopped, or lost the database, within one',
    odd.map(({ plan, step, worker }) => `${plan} ${step} by ${worker}`),
    `${rows.length} unknown; people said of ${settled.length - retried} that they were done and had ${retried} made again`,
  );
}

const leftovers: Record<string, string> = {
  reservations: 'select plan_id, position from countersign.reservations',
  'pools in use': 'select name, in_use from countersign.resource_pools where in_use <> 0',
  'steps with a lease': `select plan_id, step_id, status from countersign.step_states where lease_owner is not null or status = 'running'`,
  'runs at work': `select id, planning_status from countersign.runs where planning_status = 'running'`,
  'open events':
    'select id, kind, attempt, error from countersign.inbox where handled_at is null and failed_at is null',
  'failed events': 'select id, kind, error from countersign.inbox where failed_at is not null',
  'leases of threads':
    'select thread, holder from countersign.inbox_leases where lease_until > now()',
  'places with something to post': `select conversation, asked, answered, tries from countersign.chat_places where (asked > answered or due_at is not null) and broken is null`,
  'broken places':
    'select conversation, broken from countersign.chat_places where broken is not null',
  'messages not posted': `select message_id, state, error from countersign.chat_posts where state in ('sending', 'failed') or asked > answered or redraw_at is not null`,
  'jobs at work or due': `select name, state from pgboss.job where state = 'active' or (state in ('created', 'retry') and start_after < now() - interval '15 seconds')`,
};

export async function readLeftovers({ records }: Stage): Promise<string[]> {
  const found: string[] = [];
  for (const [name, query] of Object.entries(leftovers)) {
    const rows = await records.query<object>(query);
    if (rows.length > 0) found.push(`${rows.length} ${name}: ${JSON.stringify(rows.slice(0, 3))}`);
  }
  return found;
}

/** Messages are stored and posted once; ended plans have no buttons. */
export async function judgeChats({ records, slack, teams }: Stage): Promise<Verdict[]> {
  const posts = await records.query<{ platform: string; message: string; strays: number }>(
    `select p.platform, c.post ->> 'message' as message, coalesce(jsonb_array_length(c.strays), 0) as strays
     from countersign.chat_posts c join countersign.chat_places p using (conversation) where c.state = 'posted'`,
  );
  const plans = await records.query<{ id: string; status: string }>(
    'select id, status from countersign.plans',
  );
  const ended = new Set(
    plans.flatMap(({ id, status }) =>
      endedStatuses.includes(status) && status !== 'failed' ? [id] : [],
    ),
  );
  const known = new Set(posts.map(({ platform, message }) => `${platform} ${message}`));
  const strays = posts.reduce((sum, one) => sum + one.strays, 0);
  const inSlack = slack
    .channels()
    .flatMap((id) => slack.messages(id))
    .filter(({ bot_id }) => bot_id !== undefined);
  const inTeams = teams.messages.filter(({ deleted }) => !deleted);
  const planIn = (text: string) => /PLAN-[0-9a-f]+/.exec(text)?.[0] ?? '';
  const textOf = ({ activity }: (typeof inTeams)[number]) => JSON.stringify(activity);
  const isKnown = ({ id }: (typeof inTeams)[number]) => known.has(`teams ${id}`);
  // After a lost response, Teams has the post twice.
  const isCopy = (message: (typeof inTeams)[number]) =>
    !isKnown(message) &&
    inTeams.some(
      (other) =>
        isKnown(other) &&
        other.conversation === message.conversation &&
        (other.activity.text === message.activity.text ||
          planIn(textOf(other)) === planIn(textOf(message))),
    );
  const copies = inTeams.filter(isCopy);
  const unknown = [
    ...inSlack
      .filter(({ ts }) => !known.has(`slack ${ts}`))
      .map(({ ts, text }) => `Slack ${ts} ${text.slice(0, 60)}`),
    ...inTeams.flatMap((one) =>
      isKnown(one) || copies.includes(one) ? [] : [`Teams ${one.id} ${planIn(textOf(one))}`],
    ),
  ];
  const there = new Set([
    ...inSlack.map(({ ts }) => `slack ${ts}`),
    ...inTeams.map(({ id }) => `teams ${id}`),
  ]);
  const gone = [...known].filter((one) => !there.has(one));
  const live = [
    ...inSlack.flatMap(({ ts, blocks }) => {
      const text = JSON.stringify(blocks);
      return slackButtons.test(text) && ended.has(planIn(text))
        ? [`Slack ${ts} of ${planIn(text)}`]
        : [];
    }),
    ...inTeams.filter(isKnown).flatMap((message) => {
      const text = textOf(message);
      const pressed =
        (message.activity.attachments ?? []).length > 0 &&
        findButton(cardOf(message), 'Approve') !== null;
      return pressed && ended.has(planIn(text)) ? [`Teams ${message.id} of ${planIn(text)}`] : [];
    }),
  ];
  return [
    judge(
      'every message in chats was posted once',
      [
        ...unknown.map((one) => `nobody knows ${one}`),
        ...gone.map((one) => `${one} is not there`),
      ].slice(0, 60),
      `${inSlack.length} in Slack, ${inTeams.length} in Teams; second posts after an answer was lost: ${strays} that say so, ${copies.length} in Teams`,
    ),
    judge('cards of plans that ended have nothing to press', live),
  ];
}

// Least squares, in units per hour.
function slopeAnHour(points: { at: number; value: number }[]): number {
  const mean = (values: number[]) => values.reduce((sum, one) => sum + one, 0) / values.length;
  const [x, y] = [mean(points.map(({ at }) => at)), mean(points.map(({ value }) => value))];
  const over = points.reduce((sum, { at, value }) => sum + (at - x) * (value - y), 0);
  const under = points.reduce((sum, { at }) => sum + (at - x) ** 2, 0);
  return under === 0 ? 0 : (over / under) * 3_600_000;
}

const megabyte = 1024 * 1024;

/** Milliseconds since 1970, and bytes. */
type MemoryPoint = { name: string; pid: number; at: number; bytes: number };
export type Growth = {
  name: string;
  pid: number;
  minutes: number;
  mb: number;
  mbAnHour: number;
  points: number;
  series: [minute: number, mb: number][];
};

/** Heap and external buffers after full collections. */
export async function readLiveMemory(folder: string, lives: Life[]): Promise<MemoryPoint[]> {
  const files = await readdir(folder);
  const read = files.map(async (file) => {
    const pid = Number(file);
    const life = lives.find((one) => one.pid === pid);
    if (life === undefined) return [];
    const lines = (await readFile(join(folder, file), 'utf8')).trim().split('\n');
    return lines.map((line) => {
      const { at, heap, outside }: LiveMemory = JSON.parse(line);
      return { name: life.name, pid, at, bytes: heap + outside };
    });
  });
  return (await Promise.all(read)).flat();
}

/** Only processes alive for `leastMinutes` after warm-up. */
export function readGrowth(
  all: MemoryPoint[],
  warmUpMinutes: number,
  leastMinutes: number,
): Growth[] {
  return [...Map.groupBy(all, ({ pid }) => pid)].flatMap(([pid, own]) => {
    const began = own[0]?.at ?? 0;
    const warm = own.filter(({ at }) => at >= began + warmUpMinutes * 60_000);
    const [first, last] = [warm[0], warm.at(-1)];
    if (first === undefined || last === undefined) return [];
    const minutes = (last.at - first.at) / 60_000;
    if (minutes < leastMinutes) return [];
    const points = warm.map(({ at, bytes }) => ({ at, value: bytes / megabyte }));
    const step = Math.max(1, Math.floor(own.length / 60));
    const series = own
      .filter((_, index) => index % step === 0)
      .map(({ at, bytes }): [number, number] => [
        Math.round((at - began) / 6_000) / 10,
        Math.round(bytes / megabyte),
      ]);
    return [
      {
        name: first.name,
        pid,
        minutes,
        mb: last.bytes / megabyte,
        mbAnHour: slopeAnHour(points),
        points: points.length,
        series,
      },
    ];
  });
}

// Below this, one collection moves the slope more than a leak.
const leastPoints = 10;

export function judgeMemory(what: string, all: Growth[], mostAnHour: number): Verdict {
  const growth = all.filter(({ points }) => points >= leastPoints);
  return judge(
    `${what} grows by less than ${mostAnHour} MB an hour`,
    [
      ...(growth.length === 0 ? ['no process was looked at often enough'] : []),
      ...growth
        .filter(({ mbAnHour }) => mbAnHour > mostAnHour)
        .map(({ name, mbAnHour }) => `${name} by ${mbAnHour.toFixed(0)} MB an hour`),
    ],
    growth
      .map(
        ({ name, mb, mbAnHour }) =>
          `${name} ${mb.toFixed(0)} MB, ${mbAnHour.toFixed(0)} MB an hour`,
      )
      .join('; '),
  );
}

/** A starting process has one more connection, for migrations. */
export function judgeConnections(
  most: { pooled: number; beyond: number },
  processes: number,
): Verdict {
  return judge(
    `the server had at most ${pooledConnections} connections of the pooler, and two for each process`,
    most.pooled > pooledConnections + processes || most.beyond > 0
      ? [`${most.pooled} by the pooler, ${most.beyond} too many that listen`]
      : [],
    `${most.pooled} by the pooler and for migrations`,
  );
}

export function judgeIdle(shares: { name: string; share: number }[], most: number): Verdict {
  const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
  return judge(
    `each process takes under ${percent(most)} of a core when nothing is to be done`,
    shares
      .filter(({ share }) => share > most)
      .map(({ name, share }) => `${name} ${percent(share)}`),
    shares.map(({ name, share }) => `${name} ${percent(share)}`).join(', '),
  );
}

/** Processes end only when killed or told to. */
export function judgeLives(lives: Life[], incidents: Incident[], toldAt: number): Verdict {
  const killed = (life: Life) =>
    incidents.some(({ kind, pid }) => kind.startsWith('kill') && pid === life.pid);
  const odd = lives.filter((life) => life.ended !== null && life.ended < toldAt && !killed(life));
  const unclean = lives.filter(({ ended, exit }) => (ended ?? 0) >= toldAt && exit?.code !== 0);
  return judge(
    'processes ended only when they were killed, and in order when they were told to',
    [...odd, ...unclean].map(
      ({ name, exit }) => `${name} ended by itself: ${JSON.stringify(exit)}`,
    ),
    `${lives.length} lives`,
  );
}

/** Most frequent first. */
export async function countLogLines(
  logs: Stage['logs'],
): Promise<{ level: number; message: string; count: number }[]> {
  const counts = new Map<string, { level: number; message: string; count: number }>();
  for (const { path } of logs) {
    for (const line of (await readFile(path, 'utf8').catch(() => '')).split('\n').filter(Boolean)) {
      const [level, message] = readLine(line);
      const words = message.replace(/PLAN-\w+|RUN-\w+|[0-9a-f]{8,}|\d+/g, '…').slice(0, 160);
      const key = `${level} ${words}`;
      const known = counts.get(key) ?? { level, message: words, count: 0 };
      known.count += 1;
      counts.set(key, known);
    }
  }
  return [...counts.values()].toSorted((a, b) => b.level - a.level || b.count - a.count);
}

// Lines of startup or a crash are not JSON.
function readLine(line: string): [number, string] {
  try {
    const { level, msg, err } = JSON.parse(line) as {
      level?: number;
      msg?: string;
      err?: { message?: string };
    };
    return [level ?? 0, `${msg ?? ''}${err?.message === undefined ? '' : ` (${err.message})`}`];
  } catch {
    return [60, line];
  }
}
