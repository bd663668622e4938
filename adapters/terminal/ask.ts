// `countersign ask`: a whole job in a terminal.
import { commandName } from '#domain/command-name.ts';
import type { RunView } from '#domain/planning/run.ts';
import type { Service } from '#domain/service.ts';
import { attend } from './attend.ts';
import { drawLines } from './draw.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { answerRun, sayRun, waitForRun } from './run-turn.ts';
import type { TerminalIo } from './screen.ts';
import { type AskOptions, openSession, type Session, tellError } from './session.ts';

/** A plan, an exit code, or null for another turn. */
async function takeTurn(
  session: Session,
  run: RunView,
): Promise<ExitCode | { plan: string } | null> {
  const status = run.planning_status;
  if (run.plan_id !== undefined) return { plan: run.plan_id };
  if (status === 'complete' || status === 'aborted') {
    sayRun(session, run);
    session.ending = { status, text: run.response_text };
    session.event('answer', {
      run_id: run.run_id,
      planning_status: status,
      text: run.response_text,
    });
    const answered = status === 'complete' && run.escalate_reason === undefined;
    return answered ? exitCodes.done : exitCodes.noPlan;
  }
  return answerRun(session, run);
}

async function converse(session: Session): Promise<ExitCode> {
  const { text, user, modes } = session.options;
  const { run_id } = await session.service.startRun({ text, user, ...modes }, session.actor);
  session.run_id = run_id;
  session.event('run', { run_id });
  for (;;) {
    const next = await takeTurn(session, await waitForRun(session, run_id));
    if (next === null) continue;
    if (typeof next === 'number') return next;
    session.plan_id = next.plan;
    return attend(session, next.plan);
  }
}

function farewell(session: Session, code: ExitCode): string {
  const find =
    session.plan_id === null ? `${commandName} plans` : `${commandName} plans ${session.plan_id}`;
  if (code === exitCodes.interrupted) {
    if (session.ending.status === 'aborted') return 'Planning stopped. Nothing has run.';
    if (session.plan_id === null)
      return `Stopped waiting. If this becomes a plan, find it with:\n${find}`;
    return (session.options.continues?.() ?? true)
      ? `Stopped watching. The plan is unaffected. Reopen it with:\n${find}`
      : `Stopped watching. A running plan resumes when Countersign starts again (${commandName} start). Reopen it with:\n${find}`;
  }
  if (code === exitCodes.needsPerson) {
    return session.plan_id === null
      ? 'This needs an answer. Ask again with more detail, or in a terminal that can answer.'
      : `This needs a person. Find it with:\n${find}`;
  }
  return '';
}

/** Ends repainting. */
export function sayFarewell(session: Session, code: ExitCode): string {
  session.unpaint();
  const words = farewell(session, code);
  if (words !== '') session.say('', ...drawLines(words, session.screen));
  return words;
}

function conclude(session: Session, code: ExitCode): void {
  const words = sayFarewell(session, code);
  const name = Object.entries(exitCodes).find(([, value]) => value === code)?.[0] ?? 'failed';
  session.event('outcome', {
    exit_code: code,
    outcome: name,
    run_id: session.run_id,
    plan_id: session.plan_id,
    ...session.ending,
    ...(words === '' ? {} : { text: words }),
  });
}

/** Interruptions and errors become exit codes. */
export async function runSession(
  session: Session,
  work: (session: Session) => Promise<ExitCode>,
  finish: (session: Session, code: ExitCode) => unknown,
): Promise<number> {
  let code: ExitCode = exitCodes.failed;
  try {
    code = await work(session);
  } catch (error) {
    session.unpaint();
    if (session.signal.aborted) code = exitCodes.interrupted;
    else tellError(session, error);
  } finally {
    session.close();
  }
  finish(session, code);
  return code;
}

/** Stays until answered, done, or waiting for others. @returns an exit code */
export async function ask(service: Service, options: AskOptions, io: TerminalIo): Promise<number> {
  const session = openSession(service, options, io);
  if (options.text.trim() === '') {
    session.say('  Pass a request: countersign ask "create notes/standup.md: Standup at 9:30"');
    conclude(session, exitCodes.usage);
    return exitCodes.usage;
  }
  return runSession(session, converse, conclude);
}
