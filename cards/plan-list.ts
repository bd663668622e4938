// Plans as a list on a chat platform, in words: one line each with its age and who asked, those that wait for the reader first.
import type { PlanStatus, PlanSummary } from '#domain/plan/plan.ts';
import { isolateText, showLine, showRequester } from './plain.ts';
import { drawBar } from './report.ts';
import { formatAge } from './times.ts';
import { nothingWaiting, statusWords } from './words.ts';

/** Which plans a list is of. */
export type PlanListKind = 'pending' | 'all' | 'mine' | 'running';

export const listWords: Record<PlanListKind, { title: string; empty: string }> = {
  pending: { title: 'Waiting and running', empty: nothingWaiting('by mentioning me') },
  all: { title: 'All plans', empty: 'No plans yet.' },
  mine: { title: 'Your plans', empty: "You haven't asked for anything yet." },
  running: { title: 'Running', empty: 'Nothing is running.' },
};

/**
 * What stands over a list, and in place of an empty one.
 * @param reader whose list it is, where others read it too; null: they are alone with it
 */
export function titleList(
  which: PlanListKind,
  reader: string | null,
): { title: string; empty: string } {
  const words = listWords[which];
  if (reader === null) return words;
  const name = isolateText(showLine(reader, 120));
  if (which === 'mine')
    return { title: `Plans of ${name}`, empty: `${name} hasn't asked for anything yet.` };
  return { ...words, title: `${words.title}, for ${name}` };
}

/**
 * What the command can do, on one screen.
 * @param command as people type it there: `/plans`
 * @param more what it can do on one platform only
 */
export function describeCommands(command: string, more: [string, string][] = []): string {
  const lines: [string, string][] = [
    ['', 'plans waiting for a decision, and running plans'],
    ['mine', 'plans you asked for'],
    ['running', 'running plans'],
    ['all', 'all plans, newest first; “all 2” is the next page'],
    ['stats', 'counts by status, and requests that no tool could handle'],
    ['PLAN-…', 'one plan in full'],
    ...more,
    ['link', 'link your Slack, Teams and terminal accounts'],
  ];
  const width = command.length + 3 + Math.max(...lines.map(([word]) => word.length));
  return [
    'Mention me or message me directly, and say what you want done. I draft a plan; nothing runs until it is approved.',
    '',
    ...lines.map(([word, what]) => `${`${command} ${word}`.padEnd(width)}${what}`),
    '',
    'In the thread of a plan: approve · approve 1-3 · reject · propose changes: … · cancel · status',
  ].join('\n');
}

// The keys of the table are the statuses, in the order of a list.
const statuses = Object.keys(statusWords) as PlanStatus[];

/**
 * Those that wait for the reader first, as `waiting` has them, then by status.
 * @param waiting ids of the plans in which something waits for the reader
 */
export function sortPlans(plans: PlanSummary[], waiting: ReadonlySet<string>): PlanSummary[] {
  const order = new Map([...waiting].map((id, place) => [id, place - waiting.size]));
  const rank = ({ id, status }: PlanSummary) => order.get(id) ?? statuses.indexOf(status);
  return plans.toSorted((a, b) => rank(a) - rank(b));
}

/**
 * A plan as the list has it, in two lines.
 * @param bar whether it says how far the plan is, which changes with each step: not where the list follows the plans, as a
 *   Home tab does
 * @param reader who `you` is, where others read it too; null: they are alone with it
 */
export function describePlan(
  plan: PlanSummary,
  now: string,
  waiting: ReadonlySet<string>,
  bar: boolean,
  reader: string | null = null,
): string {
  const { counts, total_steps: total, status } = plan;
  const state = waiting.has(plan.id)
    ? reader === null
      ? 'waiting for you'
      : `waiting for ${isolateText(showLine(reader, 120))}`
    : status === 'executing' && bar
      ? `${drawBar(counts.succeeded, total)} ${counts.succeeded} of ${total}`
      : statusWords[status];
  const by = showRequester(plan);
  return `${showLine(plan.title, 200)}\n${plan.id} · ${state} · ${formatAge(plan.created_at, now)} · ${by}`;
}
