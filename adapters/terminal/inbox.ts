// Lists of `countersign plans`.
import { showRequester } from '#cards/plain.ts';
import {
  describeAge,
  describeGuard,
  describeState,
  titleGroup,
  titleList,
} from '#cards/plan-list.ts';
import { titleListed } from '#cards/times.ts';
import { nothingWaiting } from '#cards/words.ts';
import { markWaiting } from '#conversation/find-plans.ts';
import { commandName } from '#domain/command-name.ts';
import type { InboxGroup, InboxPlan } from '#domain/plan/inbox.ts';
import { PlanStatus } from '#domain/plan/plan.ts';
import { countRest } from '#domain/words.ts';
import { drawLines } from './draw.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { padText, type Screen, wrapText } from './screen.ts';
import { printJson, type Session } from './session.ts';

type ListOptions = {
  user: string;
  /** A status or `all`. */
  status?: string;
  find?: string;
  json?: boolean;
  now?: Date;
};

const pageSize = 100;
const howToOpen = `To open one: ${commandName} plans PLAN-…`;

/** `rest`: how to show more. A search shows the last group too. */
const groupsShown: Record<InboxGroup, { lines: number; rest: string | null }> = {
  needs_you: { lines: pageSize, rest: null },
  running: { lines: 20, rest: 'executing' },
  failed: { lines: 3, rest: 'failed' },
  others: { lines: 20, rest: 'proposed' },
  done: { lines: 20, rest: 'completed' },
};

type Section = { heading: string; plans: InboxPlan[]; more: string };

function drawSections(sections: Section[], screen: Screen, now: string): string[] {
  const cellsOf = (plan: InboxPlan) => [
    plan.id,
    describeState(plan, { bar: true, reader: null }),
    describeAge(plan, now),
  ];
  const all = sections.flatMap(({ plans }) => plans.map(cellsOf));
  const columns = [0, 1, 2].map((i) => Math.max(0, ...all.map((cells) => (cells[i] ?? '').length)));
  const width = screen.width();
  const indent = sections.some(({ heading }) => heading !== '') ? '    ' : '  ';
  const taken = indent.length + columns.reduce((sum, column) => sum + column + 2, 0);
  const isWide = width - taken >= 28;
  const drawPlan = (plan: InboxPlan): string[] => {
    const cells = cellsOf(plan);
    const facts = [showRequester(plan), describeGuard(plan)].filter((fact) => fact !== '');
    const text = titleListed(plan) + screen.style('dim', ` · ${facts.join(' · ')}`);
    const hang = ' '.repeat(isWide ? taken : indent.length + 2);
    const [first = '', ...rest] = wrapText(text, width - hang.length).map((line) => hang + line);
    if (!isWide) return [indent + cells.join(' · '), first, ...rest];
    const start = indent + cells.map((cell, i) => `${padText(cell, columns[i] ?? 0)}  `).join('');
    return [start + first.slice(hang.length), ...rest];
  };
  return sections.flatMap(({ heading, plans, more }, index) => [
    ...(index > 0 && heading !== '' ? [''] : []),
    ...(heading === '' ? [] : [screen.style('bold', `  ${heading}`)]),
    ...plans.flatMap(drawPlan),
    ...(more === '' ? [] : wrapText(more, width - indent.length).map((line) => indent + line)),
  ]);
}

function print(session: Session, sections: Section[], empty: string, now: Date): ExitCode {
  if (sections.length === 0) session.say(...drawLines(empty, session.screen));
  session.say(...drawSections(sections, session.screen, now.toISOString()));
  if (sections.length > 0) session.say('', ...drawLines(howToOpen, session.screen));
  return exitCodes.done;
}

/** Pending, running, ended. */
const order: PlanStatus[] = [
  'proposed',
  'needs_review',
  'stalled',
  'approved',
  'executing',
  'failed',
  'completed',
  'rejected',
  'cancelled',
];

/** Null if unknown. */
export function statusesOf(status: string): PlanStatus[] | null {
  if (status === 'all') return order;
  const known = PlanStatus.safeParse(status);
  return known.success ? [known.data] : null;
}

function emptyOf([status, ...others]: PlanStatus[]): string {
  return status === undefined || others.length > 0
    ? 'No plans yet.'
    : `No plans with the status ${status}.`;
}

/** Those waiting for the reader first, then by status. */
export async function listByStatus(
  session: Session,
  { user, json, now = new Date() }: ListOptions,
  statuses: PlanStatus[],
): Promise<ExitCode> {
  const filter = { status: statuses, limit: pageSize };
  const { plans: found, next_cursor } = await session.service.listPlans(filter);
  const marked = await markWaiting(session.service, user, found);
  const rank = ({ waits, status }: InboxPlan) => (waits === null ? order.indexOf(status) : -1);
  const plans = marked.toSorted((a, b) => rank(a) - rank(b));
  if (json === true) return printJson(session, { plans, next_cursor });
  const more = next_cursor === null ? '' : `Showing the first ${pageSize}.`;
  const sections = plans.length === 0 ? [] : [{ heading: '', plans, more }];
  return print(session, sections, emptyOf(statuses), now);
}

/** Searches show all five. */
export async function listInbox(
  session: Session,
  { user, find, json, now = new Date() }: ListOptions,
): Promise<ExitCode> {
  const words = find === undefined ? {} : { words: find };
  const { groups } = await session.service.inbox({ user, limit: pageSize, ...words });
  const shown = groups.filter(({ group }) => find !== undefined || group !== 'done');
  if (json === true) {
    const plans = shown.flatMap((page) => page.plans);
    const next_cursor = shown.find((page) => page.next_cursor !== null)?.next_cursor ?? null;
    return printJson(session, { plans, next_cursor });
  }
  const sections = shown.flatMap((page) => {
    const { group, total, plans } = page;
    const { lines, rest } = groupsShown[group];
    const left = countRest(page, Math.min(lines, plans.length));
    const how = rest === null ? '.' : `: ${commandName} plans --status ${rest}`;
    const more = left === '' ? '' : `And ${left} more${how}`;
    return total === 0
      ? []
      : [
          {
            heading: `${titleGroup(group, null)} · ${countRest(page, 0)}`,
            plans: plans.slice(0, lines),
            more,
          },
        ];
  });
  const empty =
    find === undefined
      ? nothingWaiting(`with: ${commandName} ask "…"`)
      : titleList('find', null, find).empty;
  return print(session, sections, empty, now);
}
