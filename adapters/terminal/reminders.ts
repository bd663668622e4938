// `countersign reminders`: lists, skips, changes and ends them.
import { recurringWords } from '#cards/recurring-words.ts';
import { CountersignError } from '#domain/errors.ts';
import { matchRecurring, RecurringChange } from '#domain/plan/recurring.ts';
import type { Service } from '#domain/service.ts';
import { drawLines } from './draw.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import type { TerminalIo } from './screen.ts';
import { inSession, printJson, type Session } from './session.ts';

export type RemindersOptions = {
  user: string;
  timezone: string;
  verb: 'list' | 'skip' | 'change' | 'end';
  id?: string | undefined;
  when?: string;
  text?: string;
  yes?: boolean;
  json?: boolean;
  now?: Date;
};

const refuse = (message: string) => new CountersignError('invalid_request', message);

/** Asks without time and text. @throws `invalid_request` */
async function readChange(
  session: Session,
  { verb, when, text }: RemindersOptions,
): Promise<RecurringChange> {
  if (verb !== 'change') return RecurringChange.parse({ action: verb });
  const ask = async (label: string, hint: string) =>
    session.interactive ? ((await session.ask(`  ${label} (${hint}) › `)) ?? '') : '';
  const asks = when === undefined && text === undefined;
  const given = {
    when: when ?? (asks ? await ask(recurringWords.when, recurringWords.whenHint) : ''),
    text: text ?? (asks ? await ask(recurringWords.text, recurringWords.textHint) : ''),
  };
  const set = Object.entries(given).filter(([, value]) => value.trim() !== '');
  const change = RecurringChange.safeParse({ action: 'change', ...Object.fromEntries(set) });
  if (change.success) return change.data;
  throw refuse('A time has at most 200 characters, a text 2,000.');
}

/** @returns whether to end it */
async function confirmEnd(session: Session, id: string): Promise<boolean> {
  const { user } = session.options;
  const entries = await session.service.listRecurring({ user });
  const [entry, ...more] = matchRecurring(entries, id);
  // Ending needs exactly one.
  if (entry === undefined || more.length > 0) return true;
  session.say(...drawLines(recurringWords.askEnd({ entry, command: '' }), session.screen));
  const line = await session.ask('  [e]nd  [k]eep › ');
  return /^e(?:nd)?$/i.test(line?.trim() ?? '');
}

async function carryOut(session: Session, options: RemindersOptions): Promise<ExitCode> {
  const { service, actor, screen } = session;
  const { user, timezone, verb, id, json } = options;
  const reader = { timezone, now: (options.now ?? new Date()).toISOString() };
  if (verb === 'list') {
    const entries = await service.listRecurring({ user });
    if (json === true) return printJson(session, { recurring: entries });
    session.say(...drawLines(recurringWords.list({ entries, shell: true, ...reader }), screen));
    return exitCodes.done;
  }
  if (id === undefined) throw refuse('Pass a reminder ID. countersign reminders lists them.');
  if (verb === 'end' && options.yes !== true) {
    if (!session.interactive) throw refuse('To end it without a question, add --yes.');
    if (!(await confirmEnd(session, id))) return exitCodes.done;
  }
  const change = await readChange(session, options);
  const done = await service.changeRecurring(id, change, { user }, actor);
  if (json === true) return printJson(session, done);
  session.say(...drawLines(recurringWords.done({ change, ...done, ...reader }), screen));
  return exitCodes.done;
}

/** @returns an exit code */
export function reminders(
  service: Service,
  options: RemindersOptions,
  io: TerminalIo,
): Promise<number> {
  return inSession(service, options, io, (session) => carryOut(session, options));
}
