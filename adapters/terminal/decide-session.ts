// The question a planning session stands at: draws what it shows, reads a word, and does exactly what the word says. A
// decision names the turn and the digest that were drawn.
import { viewSession } from '#cards/session-view.ts';
import type { Button, SessionKind, SessionView } from '#cards/view.ts';
import type { SessionPress } from '#domain/planning/session-card.ts';
import { drawDetails, drawLines, drawSession } from './draw.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { type Session, sectionsData, tellError } from './session.ts';
import { readTyped } from './typed.ts';

/** What a run shows now. */
export async function lookAtRun(session: Session, runId: string): Promise<SessionView> {
  const { user, timezone } = session.options;
  return viewSession(await session.service.runCard(runId, { user, timezone }));
}

const decidable = new Set<SessionKind>([
  'outline',
  'roadmap',
  'schedule',
  'rfc',
  'budget',
  'escalation',
]);

/** Whether a decision is asked for, rather than an answer. */
export function waitsForDecision({ kind }: SessionView): boolean {
  return decidable.has(kind);
}

/** Stages of a plan that was asked for with `--yes`: what is new, costs more or does not fit is still asked. */
const agreedBeforehand = new Set<SessionKind>(['outline', 'roadmap', 'schedule']);

/** Buttons that bring their own words, in the order in which the card numbers them. */
function choicesOf({ buttons }: SessionView): Button<SessionPress>[] {
  return buttons.filter(({ press }) => press.choice !== undefined);
}

function questionOf(view: SessionView): string {
  const details = view.details === null ? '' : '  [d]etails';
  switch (view.kind) {
    case 'budget':
      return '  [a] go on  [p]ropose changes  [r] stop › ';
    case 'escalation':
      return `  ${choicesOf(view).length === 0 ? '' : '[1] … choose an option above  '}[p]ropose changes  [r]eject › `;
    default:
      return `  [a]pprove  [p]ropose changes  [r]eject${details} › `;
  }
}

function helpOf(view: SessionView): string {
  return view.kind === 'escalation'
    ? 'Type the number of an option, propose changes: …, or reject. Anything else goes to the planner. Enter q to leave it waiting.'
    : 'Type approve, propose changes: … or reject. Anything else goes to the planner. Enter q to leave it waiting.';
}

function sessionData(view: SessionView): Record<string, unknown> {
  return {
    run_id: view.run_id,
    turn: view.turn,
    digest: view.digest,
    kind: view.kind,
    title: view.title,
    state: view.state.words,
    sentence: view.sentence,
    sections: sectionsData(view),
  };
}

/** Does `act` and says what was wrong with it. @returns whether it was done */
async function attempt(session: Session, act: () => Promise<unknown>): Promise<boolean> {
  try {
    await act();
    return true;
  } catch (error) {
    tellError(session, error);
    return false;
  }
}

/** null: it was decided, or the card is to be looked at again. */
async function decide(
  session: Session,
  view: SessionView,
  word: { kind: 'approve' } | { kind: 'reject' } | { kind: 'changes'; feedback: string },
): Promise<ExitCode | null> {
  const { run_id, digest, turn } = view;
  const choice = { ...word, digest, turn };
  const done = await attempt(session, () =>
    session.service.decideRun(run_id, choice, session.actor),
  );
  if (done) session.event('decision', { action: word.kind, run_id, turn, digest });
  return done || session.options.yes !== true ? null : exitCodes.needsPerson;
}

async function proposeChanges(
  session: Session,
  view: SessionView,
  given: string,
): Promise<ExitCode | null> {
  let feedback: string | null = given;
  while (feedback === '') {
    feedback = (await session.ask('  What should change? › '))?.trim() ?? null;
  }
  if (session.signal.aborted) return exitCodes.interrupted;
  if (feedback === null) return exitCodes.needsPerson;
  return decide(session, view, { kind: 'changes', feedback });
}

/** The button a number stands for. */
function choiceAt(view: SessionView, line: string): Button<SessionPress> | undefined {
  return /^[1-9]$/.test(line.trim()) ? choicesOf(view)[Number(line) - 1] : undefined;
}

/** One question about what a session shows. null: look at the run again. */
export async function decideSessionOnce(
  session: Session,
  view: SessionView,
): Promise<ExitCode | null> {
  session.event('session', sessionData(view));
  session.say(...drawSession(view, session.screen));
  if (session.options.yes === true) {
    if (!agreedBeforehand.has(view.kind)) return exitCodes.needsPerson;
    return decide(session, view, { kind: 'approve' });
  }
  for (;;) {
    const line = await session.ask(questionOf(view));
    if (session.signal.aborted) return exitCodes.interrupted;
    if (line === null) return exitCodes.needsPerson;
    const choice = choiceAt(view, line)?.press.choice;
    if (choice !== undefined) return decide(session, view, { kind: 'changes', feedback: choice });
    const typed = readTyped(line);
    switch (typed.kind) {
      case 'approve':
        return decide(session, view, { kind: 'approve' });
      case 'reject':
      case 'cancel':
        return decide(session, view, { kind: 'reject' });
      case 'propose':
        return proposeChanges(session, view, typed.feedback);
      case 'quit':
        return exitCodes.needsPerson;
      case 'details':
        session.say(...drawDetails(view, session.screen));
        break;
      case 'status':
        session.say(...drawLines(view.state.line, session.screen));
        break;
      case 'nothing':
      case 'approve_part':
        session.say(...drawLines(helpOf(view), session.screen));
        break;
      case 'talk':
        await attempt(session, () =>
          session.service.reply(view.run_id, typed.text, session.actor, {
            on_screen: { turn: view.turn, digest: view.digest },
          }),
        );
        return null;
      default:
        typed satisfies never;
    }
  }
}
