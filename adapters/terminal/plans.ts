// `countersign plans`: what waits and what runs, one line a plan; or one plan in full, and its question; or how it came about.
import { describeStats } from '#cards/chat-words.ts';
import { showLine, showRequester } from '#cards/plain.ts';
import { drawBar } from '#cards/report.ts';
import { formatAge } from '#cards/times.ts';
import { nothingWaiting, statusWords } from '#cards/words.ts';
import { PlanStatus, type PlanSummary } from '#domain/plan/plan.ts';
import type { Service } from '#domain/service.ts';
import { runSession, sayFarewell } from './ask.ts';
import { attend, nextMove } from './attend.ts';
import { showDetails } from './details.ts';
import { drawLines, drawReport } from './draw.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { padText, type TerminalIo, wrapText } from './screen.ts';
import { look, openSession, planData, type Session } from './session.ts';
import { showTrace } from './trace.ts';

export type PlansOptions = {
  user: string;
  timezone: string;
  /** One plan in full; `stats`: how many stand where, and what no tool can do. */
  id?: string;
  /** A status, or `all`; default: what waits and what runs. */
  status?: string;
  /** How the plan came about, instead of the plan. */
  trace?: boolean;
  json?: boolean;
  now?: Date;
  poll_ms?: number;
};

/** Pending first, then running, then what is over. */
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
const open = order.slice(0, 5);
const pageSize = 100;

/** Whether the plan's own rule lets `user` approve it; the server has the last word. */
function waitsFor(plan: PlanSummary, user: string): boolean {
  if (plan.status !== 'proposed' && plan.status !== 'needs_review') return false;
  const policy = plan.approver_policy;
  switch (policy.kind) {
    case 'requester':
      return plan.requester === user;
    case 'not_requester':
      return plan.requester !== user;
    case 'named':
    case 'n_of':
      return policy.people.includes(user);
    case 'anyone':
      return true;
    default:
      return policy satisfies never;
  }
}

function describe(plan: PlanSummary, user: string): string {
  if (waitsFor(plan, user)) return 'waiting for you';
  if (plan.status !== 'executing') return statusWords[plan.status];
  const done = plan.counts.succeeded;
  return `${drawBar(done, plan.total_steps)} ${done} of ${plan.total_steps}`;
}

/** One JSON value, the whole answer. */
function printJson(session: Session, value: unknown): ExitCode {
  session.screen.output.write(`${JSON.stringify(value)}\n`);
  return exitCodes.done;
}

function rank(plan: PlanSummary, user: string): number {
  return waitsFor(plan, user) ? -1 : order.indexOf(plan.status);
}

async function list(
  session: Session,
  options: PlansOptions,
  statuses: PlanStatus[],
): Promise<ExitCode> {
  const { plans, next_cursor } = await session.service.listPlans({
    status: statuses,
    limit: pageSize,
  });
  const { user } = options;
  const now = (options.now ?? new Date()).toISOString();
  const sorted = plans.toSorted((a, b) => rank(a, user) - rank(b, user));
  if (options.json === true) return printJson(session, { plans: sorted, next_cursor });
  if (sorted.length === 0) {
    const empty =
      options.status === undefined ? nothingWaiting('with: countersign ask "…"') : 'No such plans.';
    session.say(...drawLines(empty, session.screen));
  }
  const rows = sorted.map((plan) => ({
    plan,
    cells: [plan.id, describe(plan, user), formatAge(plan.created_at, now)],
  }));
  const columns = [0, 1, 2].map((i) =>
    Math.max(0, ...rows.map(({ cells }) => (cells[i] ?? '').length)),
  );
  const width = session.screen.width();
  for (const { plan, cells } of rows) {
    const start = cells.map((cell, i) => padText(cell, columns[i] ?? 0)).join('  ');
    const title = showLine(plan.title, 200);
    const by = session.screen.style('dim', ` · ${showRequester(plan)}`);
    const beside = width >= 80;
    const indent = beside ? ' '.repeat(start.length + 4) : '    ';
    const [first = '', ...rest] = wrapText(title + by, width - indent.length);
    session.say(beside ? `  ${start}  ${first}` : `  ${cells.join(' · ')}`);
    session.say(...(beside ? rest : [first, ...rest]).map((line) => indent + line));
  }
  if (next_cursor !== null) session.say('', `  Showing the first ${pageSize}.`);
  return exitCodes.done;
}

async function showStats(session: Session, { json, now }: PlansOptions): Promise<ExitCode> {
  const stats = await session.service.stats();
  if (json === true) return printJson(session, stats);
  const said = describeStats(stats, (now ?? new Date()).toISOString());
  session.say(...drawLines(said, session.screen));
  return exitCodes.done;
}

async function showOne(session: Session, id: string, options: PlansOptions): Promise<ExitCode> {
  session.plan_id = id;
  const view = await look(session, id);
  if (options.json === true) {
    const { steps } = await session.service.listSteps(id, { limit: pageSize });
    return printJson(session, {
      plan: await session.service.getPlan(id),
      view: planData(view),
      steps,
    });
  }
  if (session.interactive && ['decide', 'settle', 'stuck'].includes(nextMove(view))) {
    return attend(session, id);
  }
  session.say(...drawLines(view.title, session.screen), ...drawReport(view, session.screen));
  await showDetails(session, view);
  return exitCodes.done;
}

function statusesOf(status: string | undefined): PlanStatus[] | null {
  if (status === undefined) return open;
  if (status === 'all') return order;
  const known = PlanStatus.safeParse(status);
  return known.success ? [known.data] : null;
}

/**
 * Lists plans, or shows one and, in a terminal, asks what it waits for.
 * @returns the exit code, see `exitCodes`
 */
export async function listPlans(
  service: Service,
  options: PlansOptions,
  io: TerminalIo,
): Promise<number> {
  // The list and the plan are one JSON value each, without events around them.
  const session = openSession(service, { ...options, text: '' }, io);
  const statuses = statusesOf(options.status);
  if (statuses === null) {
    const choices = `Choose one of: all, ${PlanStatus.options.join(', ')}.`;
    session.event('error', { code: 'invalid_request', message: choices });
    session.say(...drawLines(`Unknown status “${options.status}”. ${choices}`, session.screen));
    return exitCodes.usage;
  }
  const { id, trace = false } = options;
  if (trace && (id === undefined || id === 'stats')) {
    const message = '--trace needs a plan: npx countersign plans PLAN-… --trace.';
    session.event('error', { code: 'invalid_request', message });
    session.say(...drawLines(message, session.screen));
    return exitCodes.usage;
  }
  const work = (s: Session) => {
    if (id === undefined) return list(s, options, statuses);
    if (id === 'stats') return showStats(s, options);
    return trace ? showTrace(s, id) : showOne(s, id, options);
  };
  return runSession(session, work, sayFarewell);
}
