// Waits for the planner's turn; relays questions and answers.
import { writeActivity } from '#cards/activity-words.ts';
import { waitsForDecision } from '#cards/words.ts';
import { CountersignError } from '#domain/errors.ts';
import type { RunView } from '#domain/planning/run.ts';
import { cutText } from '#domain/shown-text.ts';
import { decideSession, lookAtRun } from './decide-session.ts';
import { drawLines } from './draw.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import type { Session } from './session.ts';

/** An interruption stops the planner. */
export async function waitForRun(session: Session, runId: string): Promise<RunView> {
  for (;;) {
    const run = await session.service.getRun(runId);
    if (run.planning_status !== 'running') {
      session.unpaint();
      return run;
    }
    if (session.screen.tty) session.paint(drawPlanning(session, run), '');
    try {
      await session.pause();
    } catch (error) {
      if (session.signal.aborted) await stopPlanner(session, run);
      throw error;
    }
  }
}

function drawPlanning({ screen }: Session, { activity = { kind: 'thinking' } }: RunView): string[] {
  const hint = '   Ctrl-C stops';
  const words = cutText(writeActivity(activity), screen.width() - hint.length - 2);
  return [screen.style('dim', `  ${words}${hint}`)];
}

/** An existing plan stays. */
async function stopPlanner(session: Session, { run_id, turn }: RunView): Promise<void> {
  try {
    await session.service.stopRun(run_id, turn, session.actor);
    session.ending = { status: 'aborted', text: '' };
  } catch (error) {
    if (!(error instanceof CountersignError)) throw error;
  }
}

export function sayRun(session: Session, run: RunView): void {
  session.say('', ...drawLines(run.response_text, session.screen), '');
}

/** An exit code without an answer. */
export async function answerRun(session: Session, run: RunView): Promise<ExitCode | null> {
  const view = await lookAtRun(session, run.run_id);
  return waitsForDecision(view) ? decideSession(session, view) : answerQuestion(session, run);
}

/** An exit code without an answer. */
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
