// Waits of open requests, sampled each second.
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'pg';
import type { Stage } from './stage.ts';
import { findRun, type Story } from './story.ts';
import { judge, type Verdict } from './verdicts.ts';

/** Milliseconds since 1970. */
export type Wait = { from: number; until: number; what: string };

type Open = { of: string; what: string };

const everyMs = 1000;

// Seconds since 1970.
const at = (column: string) =>
  `coalesce('@' || extract(epoch from ${column})::numeric(14, 1), '-')`;

const readOpen = `
  select coalesce(encode(body, 'escape'), '') as of,
    'event ' || id || ' (' || kind || '), try ' || attempt || ' due ' || ${at('due_at')}
      || coalesce(', lease of ' || l.holder || ' until ' || ${at('l.lease_until')}, '') || coalesce(', ' || left(error, 120), '') as what
  from countersign.inbox left join countersign.inbox_leases l using (platform, tenant, thread)
  where handled_at is null and failed_at is null
  union all
  select id, 'planning, try ' || tries || ', turn ' || turn from countersign.runs where planning_status = 'running'
  union all
  select plan_id, 'step ' || step_id || ' is ' || status || ', try ' || tries || ', from ' || ${at('available_at')}
      || coalesce(', lease of ' || lease_owner || ' until ' || ${at('lease_until')}, '')
  from countersign.step_states where status in ('ready', 'running', 'waiting', 'unknown') or available_at > now()
  union all
  select conversation, 'place due ' || ${at('due_at')} || ', not before ' || ${at('not_before')} || ', tries ' || tries
      || coalesce(', lease of ' || holder || ' until ' || ${at('lease_until')}, '')
  from countersign.chat_places where asked > answered or due_at is not null
  union all
  select plan_id, 'card ' || state || ', failures ' || failures || ' since ' || ${at('failing_since')} || ', not before ' || ${at('not_before')}
      || ', drawn again ' || ${at('redraw_at')} || coalesce(', ' || left(error, 120), '')
  from countersign.chat_posts where plan_id is not null and (state = 'sending' or asked > answered or redraw_at is not null)
  union all
  select coalesce(data::text, ''), 'job ' || name || ' is ' || state || ', retries ' || retry_count || ', not before ' || ${at('start_after')}
  from pgboss.job where state in ('created', 'retry', 'active')`;

function refusedOf({ sent }: Story): string[] {
  return sent.flatMap(({ what, attempts }) => {
    if (attempts.some(({ status }) => status === 200)) return [];
    const tries = attempts.map(
      ({ from, until, status }) =>
        `@${(from / 1000).toFixed(1)} ${status ?? 'no answer'} after ${((until - from) / 1000).toFixed(1)} s`,
    );
    return attempts.length === 0
      ? [`${what} is on its way`]
      : [`${what} was not acknowledged: ${tries.join(', ')}`];
  });
}

// By the address without trouble.
function openProbe(pooler: string) {
  const pool = new Pool({ connectionString: pooler, max: 1, connectionTimeoutMillis: 800 });
  pool.on('error', () => undefined);
  return {
    look: async () =>
      await pool.query('select 1').then(
        () => [],
        (error: unknown) => [`the pooler: ${error instanceof Error ? error.message : 'no'}`],
      ),
    close: () => pool.end(),
  };
}

/** @returns waits by request name */
export async function followWaits(
  { records, pooler }: Stage,
  stories: Story[],
  isOver: () => boolean,
): Promise<Map<string, Wait[]>> {
  const waits = new Map<string, Wait[]>();
  const probe = openProbe(pooler);
  while (!isOver()) {
    const [open, down] = [await records.query<Open>(readOpen).catch(() => []), await probe.look()];
    const now = Date.now();
    for (const story of stories.filter(({ outcome }) => outcome === 'open')) {
      const run = findRun(records, story);
      const conversation = run?.conversation ?? records.plans.get(story.plan ?? '')?.conversation;
      const keys = [story.key, story.plan, run?.id, conversation].filter((one) => one != null);
      const own = open.filter(({ of }) => keys.some((key) => of.includes(key)));
      const causes = [...refusedOf(story), ...own.map(({ what }) => what), ...down];
      const what = `for ${story.waitsFor}: ${[...new Set(causes)].join('; ') || 'nothing is open'}`;
      const known = waits.get(story.name) ?? [];
      const last = known.at(-1);
      if (last?.what === what) last.until = now;
      else known.push({ from: now, until: now, what });
      waits.set(story.name, known);
    }
    await pause(everyMs);
  }
  await probe.close();
  return waits;
}

export type Late = {
  name: string;
  about: string;
  asked: number;
  rest: number | null;
  waits: Wait[];
};

export function findLatest(stories: Story[], waits: Map<string, Wait[]>, count: number): Late[] {
  const restOf = ({ at: { rest } }: Story) => rest ?? Number.POSITIVE_INFINITY;
  return stories
    .filter(({ outcome }) => outcome !== 'not heard')
    .toSorted((a, b) => restOf(b) - restOf(a))
    .slice(0, count)
    .map((story) => ({
      name: story.name,
      about: [story.surface, story.organisation, story.kind, story.decision].join(', '),
      asked: story.at.asked,
      rest: story.at.rest ?? null,
      waits: waits.get(story.name) ?? [],
    }));
}

/** @param began milliseconds since 1970 */
export function drawLatest(latest: Late[], began: number): string[] {
  const seconds = (ms: number) => ((ms - began) / 1000).toFixed(1);
  const draw = (what: string) =>
    what
      .replace(/@(\d+\.\d)/g, (_, at: string) => seconds(Number(at) * 1000))
      .replaceAll('\n', ' ');
  return latest.flatMap(({ name, about, asked, rest, waits }) => [
    `- ${name} (${about}): asked at ${seconds(asked)} s, at rest at ${rest === null ? 'no time' : `${seconds(rest)} s`}`,
    ...waits.map((one) => `  - ${seconds(one.from)} to ${seconds(one.until)} ${draw(one.what)}`),
  ]);
}

const restWithinMs = 60_000;
// Later ones follow the platform's schedule.
const triesAtOnce = 2;

// By their last event's third or later attempt.
async function readBroughtLate({ records }: Stage, stories: Story[]): Promise<Map<Story, number>> {
  const rows = await records.query<{ event: string; stored: number }>(
    `select substring(convert_from(body, 'UTF8') from '"event_id":"([^"]+)"') as event,
       (extract(epoch from stored_at) * 1000)::float8 as stored
     from countersign.inbox where kind = 'event'`,
  );
  const storedAt = new Map(rows.map(({ event, stored }) => [event, stored]));
  const slackMs = 500;
  const timesOf = ({ sent }: Story) =>
    sent.flatMap(({ event, attempts }) => {
      const stored = storedAt.get(event ?? '');
      const by = attempts.slice(triesAtOnce).find(({ until }) => (stored ?? 0) <= until + slackMs);
      return stored !== undefined && by !== undefined && stored >= by.from - slackMs
        ? [stored]
        : [];
    });
  return new Map(stories.map((story) => [story, Math.max(0, ...timesOf(story))]));
}

/** @param calmAt when trouble was over and every process back, in milliseconds since 1970 */
export async function judgeRest(stage: Stage, stories: Story[], calmAt: number): Promise<Verdict> {
  const broughtLate = await readBroughtLate(stage, stories);
  const arrived = stories.filter(({ outcome }) => outcome !== 'not heard');
  const waitedFor = (story: Story) => Math.max(story.at.asked, calmAt, broughtLate.get(story) ?? 0);
  const lateBy = (story: Story) => (story.at.rest ?? Date.now()) - waitedFor(story);
  const brought = [...broughtLate.values()].filter((at) => at > 0);
  return judge(
    `every request came to rest within ${restWithinMs / 1000} s of the last incident, or of the platform's next try`,
    arrived
      .filter((story) => lateBy(story) > restWithinMs)
      .map((story) => `${story.name} after ${(lateBy(story) / 1000).toFixed(0)} s`),
    `${(Math.max(0, ...arrived.map(lateBy)) / 1000).toFixed(0)} s at most; of ${brought.length} requests an event came by the platform's schedule, of ${brought.filter((at) => at > calmAt).length} after trouble had ended`,
  );
}
