// Decides on a session by the turn and digest drawn.
import { viewSession } from '#cards/session-view.ts';
import type { Button, SessionKind, SessionView } from '#cards/view.ts';
import type { SessionPress } from '#domain/chat/session-card.ts';
import { attempt, decideOnce } from './decision-loop.ts';
import { drawDetails, drawLines, drawSession } from './draw.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { pressDrawn } from './press.ts';
import { type Session, sectionsData, sentenceOf } from './session.ts';

export async function lookAtRun(session: Session, runId: string): Promise<SessionView> {
  const { user, timezone } = session.options;
  return viewSession(await session.service.runCard(runId, { user, timezone }));
}

/** `--yes` approves these; novel, costlier or unfitting ones ask. */
const agreedBeforehand = new Set<SessionKind>(['outline', 'roadmap', 'schedule']);

/** In the card's numbering. */
function choicesOf({ buttons }: SessionView): Button<SessionPress>[] {
  return buttons.filter(({ press }) => press.choice !== undefined);
}

function questionOf(view: SessionView): string {
  const details = view.details === null ? '' : '  [d]etails';
  switch (view.kind) {
    case 'budget':
      return '  [a] go on  [p]ropose changes  [r] stop › ';
    case 'answer':
      return '  [a] confirm  [r] not now › ';
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
    sentence: sentenceOf(view),
    sections: sectionsData(view),
  };
}

/** Null to read the card again. */
async function decide(
  session: Session,
  { run_id, digest, turn }: SessionView,
  action: SessionPress['action'],
  text = '',
): Promise<ExitCode | null> {
  const refused = await pressDrawn(session, { action, run_id, digest, turn }, { text });
  return refused === null || session.options.yes !== true ? null : exitCodes.needsPerson;
}

/** Null to look at the run again. */
export function decideSession(session: Session, view: SessionView): Promise<ExitCode | null> {
  session.event('session', sessionData(view));
  session.say(...drawSession(view, session.screen));
  const change = (feedback: string) => decide(session, view, 'session_changes', feedback);
  const reject = () => decide(session, view, 'session_reject');
  const help = helpOf(view);
  const sayHelp = (): 'ask' => {
    session.say(...drawLines(help, session.screen));
    return 'ask';
  };
  return decideOnce(session, {
    question: questionOf(view),
    help,
    agreed: agreedBeforehand.has(view.kind),
    afterShowing: 'ask',
    waits: view.kind === 'budget' ? 'budget' : null,
    approve: async (choice) => {
      return choice === null ? decide(session, view, 'session_approve') : sayHelp();
    },
    proposeChanges: change,
    reject,
    cancel: reject,
    goBack: async () => sayHelp(),
    showDetails: () => session.say(...drawDetails(view, session.screen)),
    showStatus: () => session.say(...drawLines(view.state.line, session.screen)),
    talk: async (text) => {
      const on_screen = { turn: view.turn, digest: view.digest };
      await attempt(session, () =>
        session.service.reply(view.run_id, text, session.actor, { on_screen }),
      );
      return null;
    },
    choose: (number) => {
      const choice = choicesOf(view)[number - 1]?.press.choice;
      return choice === undefined ? null : change(choice);
    },
  });
}
