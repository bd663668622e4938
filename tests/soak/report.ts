// The report of a soak, as JSON and Markdown.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Stage } from './stage.ts';
import type { Story } from './story.ts';
import type { Growth, Verdict } from './verdicts.ts';
import { drawLatest, type Late } from './waits.ts';

export type Latency = { name: string; count: number; p50: number; p99: number };

function percentile(sorted: number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

function describe(name: string, values: number[]): Latency {
  const sorted = values.toSorted((a, b) => a - b);
  return {
    name,
    count: values.length,
    p50: percentile(sorted, 0.5),
    p99: percentile(sorted, 0.99),
  };
}

type Times = { plan: string; approved: number | null; first: number | null; ended: number | null };

/** Milliseconds from an action to its visible effect. */
export async function readLatencies({ records }: Stage, stories: Story[]): Promise<Latency[]> {
  const times = await records.query<Times>(`
    select p.id as plan, (extract(epoch from a.at) * 1000)::float8 as approved,
      (extract(epoch from s.first) * 1000)::float8 as first, (extract(epoch from p.execution_ended_at) * 1000)::float8 as ended
    from countersign.plans p
    left join (select plan_id, max(at) as at from countersign.approvals group by plan_id) a on a.plan_id = p.id
    left join (select plan_id, min(started_at) as first from countersign.step_attempts group by plan_id) s on s.plan_id = p.id`);
  const byPlan = new Map(times.map((one) => [one.plan, one]));
  const known = stories.flatMap((story) => {
    const one = story.plan === null ? undefined : byPlan.get(story.plan);
    return one === undefined ? [] : [{ story, ...one }];
  });
  const between = (
    pick: (one: (typeof known)[number]) => [number | null | undefined, number | null | undefined],
  ) =>
    known.flatMap((one) => {
      const [from, to] = pick(one);
      return from == null || to == null ? [] : [Math.max(0, to - from)];
    });
  const chats = ({ surface }: Story) => surface === 'slack' || surface === 'teams';
  const decides = ({ decision }: Story) => decision === 'approve' || decision === 'approve twice';
  return [
    describe(
      'asked → plan seen',
      between(({ story }) =>
        story.surface === 'terminal' ? [null, null] : [story.at.asked, story.at.shown],
      ),
    ),
    describe(
      'pressed → approved',
      between(({ story, approved }) =>
        story.surface !== 'terminal' && decides(story)
          ? [story.at.pressed, approved]
          : [null, null],
      ),
    ),
    describe(
      'approved → first step',
      between(({ approved, first }) => [approved, first]),
    ),
    describe(
      'plan ended → card shows it (chats)',
      between(({ story, ended }) => (chats(story) ? [ended, story.at.closed] : [null, null])),
    ),
  ];
}

export type Report = {
  seed: number;
  minutes: number;
  requests: Record<string, number>;
  counts: Record<string, number>;
  latencies: Latency[];
  /** `live`: after full collections. */
  memory: { live: Growth[]; resident: Growth[] };
  incidents: Record<string, number>;
  /** Milliseconds since 1970. */
  began: number;
  calmAt: number;
  latest: Late[];
  verdicts: Verdict[];
  /** Most frequent first. */
  logged: { level: number; message: string; count: number }[];
};

const ms = (value: number) =>
  value < 10_000 ? `${value.toFixed(0)} ms` : `${(value / 1000).toFixed(1)} s`;

export function drawReport(report: Report): string {
  const { seed, minutes, requests, counts, latencies, incidents, verdicts, logged } = report;
  const list = (rows: Record<string, number>) =>
    Object.entries(rows)
      .map(([name, count]) => `${name} ${count.toLocaleString('en-US')}`)
      .join(', ');
  return [
    `# Soak of ${minutes} minutes, seed ${seed}`,
    '',
    `Requests: ${list(requests)}.`,
    `Counted: ${list(counts)}.`,
    `Trouble: ${list(incidents)}.`,
    '',
    '| from → to | times | p50 | p99 |',
    '|---|---|---|---|',
    ...latencies.map(
      ({ name, count, p50, p99 }) => `| ${name} | ${count} | ${ms(p50)} | ${ms(p99)} |`,
    ),
    '',
    '| holds | what | facts |',
    '|---|---|---|',
    ...verdicts.map(
      ({ name, ok, facts }) =>
        `| ${ok ? 'yes' : '**no**'} | ${name} | ${facts.replaceAll('|', '/')} |`,
    ),
    '',
    `The last to come to rest, in seconds since the beginning; trouble had ended at ${((report.calmAt - report.began) / 1000).toFixed(1)} s:`,
    '',
    ...drawLatest(report.latest, report.began),
    '',
    'Logged by the processes:',
    '',
    ...logged.slice(0, 25).map(({ level, message, count }) => `- ${count} × (${level}) ${message}`),
    '',
  ].join('\n');
}

export async function writeReport(
  folder: string,
  report: Report,
  stories: Story[],
  incidents: object[],
): Promise<void> {
  await mkdir(folder, { recursive: true });
  const file = (ending: string) => join(folder, `soak-${report.seed}.${ending}`);
  await writeFile(
    file('json'),
    JSON.stringify({ ...report, stories, incidentLog: incidents }, null, 1),
  );
  await writeFile(file('md'), drawReport(report));
}
