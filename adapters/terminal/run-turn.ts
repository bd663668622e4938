// The planner's side of an `ask`: waits for its turn to end and carries questions and answers.
import type { RunView } from '#domain/planning/run.ts';
import { decideSession, lookAtRun, waitsForDecision } from './decide-session.ts';
import { drawLines } from './draw.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import type { Session } from './session.ts';

/** The run once its planner has finished this turn. */
export async function waitForRun(session: Session, runId: string): Promise<RunView> {
  for (;;) {
    const run = await session.service.getRun(runId);
    if (run.planning_status !== 'running') {
      session.unpaint();
      return run;
    }
    if (session.screen.tty) session.paint([session.screen.style('dim', '  Planning …')], '');
    await session.pause();
  }
}

/** Says what the planner said. */
export function sayRun(session: Session, run: RunView): void {
  session.say('', ...drawLines(run.response_text, session.screen), '');
}

/** What a session that waits asks of the person here: a decision, or an answer. An exit code when nobody gives it. */
export async function answerRun(session: Session, run: RunView): Promise<ExitCode | null> {
  const view = await lookAtRun(session, run.run_id);
  return waitsForDecision(view) ? decideSession(session, view) : answerQuestion(session, run);
}

/** Asks the person what the planner wants to know. An exit code when nobody answers. */
async function answerQuestion(session: Session, run: RunView): Promise<ExitCode | null> {
  sayRun(session, run);
  session.event('question', {
    run_id: run.run_id,
    text: run.response_text,
    questions: run.questions ?? [],
  });
  for (;;) {
    const line = await session.ask('  › ');
    if (session.signal.aborted) return exitCodes.interrupted;
    if (line === null) return exitCodes.needsPerson;
    if (line.trim() === '') continue;
    if (['q', 'quit'].includes(line.trim().toLowerCase())) return exitCodes.needsPerson;
    await session.service.reply(run.run_id, line.trim(), session.actor);
    return null;
  }
}
