// `countersign plans`: the inbox, one plan, or its trace.
import { describeStats } from '#cards/chat-words.ts';
import { viewDryRun, writeDryRun } from '#cards/dry-run.ts';
import { commandName } from '#domain/command-name.ts';
import { PlanStatus } from '#domain/plan/plan.ts';
import type { Service } from '#domain/service.ts';
import { quoteWords } from '#domain/shown-text.ts';
import { runSession, sayFarewell } from './ask.ts';
import { attend, nextMove } from './attend.ts';
import { showDetails } from './details.ts';
import { drawLines, drawReport } from './draw.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { listByStatus, listInbox, statusesOf } from './inbox.ts';
import type { TerminalIo } from './screen.ts';
import { look, openSession, planData, printJson, type Session } from './session.ts';
import { showTrace } from './trace.ts';

export type PlansOptions = {
  user: string;
  timezone: string;
  /** Or `stats`: counts, and requests no tool could meet. */
  id?: string;
  /** A status or `all`; default: the inbox. */
  status?: string;
  /** In title, summary or ID. */
  find?: string;
  trace?: boolean;
  /** Instead of the plan. */
  dryRun?: boolean;
  calendar?: boolean;
  json?: boolean;
  now?: Date;
  poll_ms?: number;
};

const pageSize = 100;

async function showStats(session: Session, { json, now }: PlansOptions): Promise<ExitCode> {
  const stats = await session.service.stats();
  if (json === true) return printJson(session, stats);
  const described = describeStats(stats, (now ?? new Date()).toISOString());
  session.say(...drawLines(described, session.screen));
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

async function showDryRun(session: Session, id: string, options: PlansOptions): Promise<ExitCode> {
  const { service, actor, screen } = session;
  const simulation = await service.simulate(id, {}, actor);
  if (options.json === true) return printJson(session, simulation);
  const view = viewDryRun(simulation, (options.now ?? new Date()).toISOString());
  session.say(...drawLines(writeDryRun(view), screen));
  return view.problems.length === 0 ? exitCodes.done : exitCodes.failed;
}

async function writeCalendar(session: Session, id: string, { json }: PlansOptions) {
  const calendar = await session.service.exportCalendar(id);
  if (json === true) return printJson(session, { calendar });
  session.screen.output.write(calendar);
  return exitCodes.done;
}

/** Null if the options go together. */
function findMisuse({ id, status, find, trace, dryRun, calendar }: PlansOptions): string | null {
  if (status !== undefined && statusesOf(status) === null)
    return `Unknown status ${quoteWords(status, 80)}. Choose one of: all, ${PlanStatus.options.join(', ')}.`;
  if (find !== undefined && (id !== undefined || status !== undefined))
    return '--find searches the lists of all plans: countersign plans --find "release notes".';
  const flags = { '--trace': trace, '--dry-run': dryRun, '--calendar': calendar };
  const flag = Object.entries(flags).find(([, given]) => given === true)?.[0];
  if (flag !== undefined && (id === undefined || id === 'stats'))
    return `${flag} needs a plan: ${commandName} plans PLAN-… ${flag}.`;
  return null;
}

/** In a terminal, asks about the one shown. @returns an exit code */
export async function listPlans(
  service: Service,
  options: PlansOptions,
  io: TerminalIo,
): Promise<number> {
  // One JSON value, without events.
  const session = openSession(service, { ...options, text: '' }, io);
  const message = findMisuse(options);
  if (message !== null) {
    session.event('error', { code: 'invalid_request', message });
    session.say(...drawLines(message, session.screen));
    return exitCodes.usage;
  }
  const { id, status, trace = false, dryRun = false, calendar = false } = options;
  const work = (s: Session) => {
    if (id === undefined)
      return status === undefined
        ? listInbox(s, options)
        : listByStatus(s, options, statusesOf(status) ?? []);
    if (id === 'stats') return showStats(s, options);
    if (calendar) return writeCalendar(s, id, options);
    if (dryRun) return showDryRun(s, id, options);
    return trace ? showTrace(s, id) : showOne(s, id, options);
  };
  return runSession(session, work, sayFarewell);
}
