// Attends a plan from proposal to end, rereading it each time.
import type { PlanView, SectionKind } from '#cards/view.ts';
import type { CardPress } from '#domain/chat/card.ts';
import { commandName } from '#domain/command-name.ts';
import { type Choices, drawChoices, readChoice } from './choices.ts';
import { decidePlan, showProposal } from './decide-plan.ts';
import { attempt } from './decision-loop.ts';
import { drawLines, drawProgress, drawReport } from './draw.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { editWaiting } from './fill-step.ts';
import { pressDrawn } from './press.ts';
import { answerRun, sayRun } from './run-turn.ts';
import { look, planData, type Session, sentenceOf } from './session.ts';
import { settleOnce } from './settle.ts';

export type Move = 'revise' | 'decide' | 'settle' | 'stuck' | 'wait' | 'over';

export function nextMove(view: PlanView): Move {
  if (view.state.symbol === '⟳') return 'revise';
  switch (view.status) {
    case 'proposed':
    case 'needs_review':
      return 'decide';
    case 'approved':
    case 'executing':
      if (view.asks.length > 0) return 'settle';
      return view.state.words === 'Paused' ? 'stuck' : 'wait';
    case 'stalled':
      return view.asks.length > 0 ? 'settle' : 'stuck';
    case 'failed':
      return view.asks.some(({ kind }) => kind === 'change') ? 'settle' : 'over';
    case 'completed':
    case 'rejected':
    case 'cancelled':
      return 'over';
    default:
      return view.status satisfies never;
  }
}

function linesOf(view: PlanView, section: SectionKind): string[] {
  return view.sections.find(({ kind }) => kind === section)?.lines.map(({ text }) => text) ?? [];
}

function showProgress(session: Session, view: PlanView): void {
  const [running = ''] = [...linesOf(view, 'running'), ...linesOf(view, 'blocked')];
  const bar = view.progress?.text ?? `${view.state.symbol} ${view.state.words}`;
  const continues = session.options.continues?.() ?? true;
  const drawn = drawProgress(view, session.screen, continues);
  session.paint(drawn, running === '' ? bar : `${bar} · ${running}`);
}

/** For machines; `last` is the previous line. */
function tellProgress(session: Session, view: PlanView, last: string): string {
  const data = {
    plan_id: view.plan_id,
    status: view.status,
    done: view.progress?.done ?? 0,
    total: view.progress?.total ?? null,
    running: linesOf(view, 'running'),
    blocked: linesOf(view, 'blocked'),
  };
  const text = JSON.stringify(data);
  if (text !== last) session.event('progress', data);
  return text;
}

/** Buttons of a blocked plan, with their keys. */
const moves: Partial<Record<CardPress['action'], string>> = {
  resume: '[r]esume',
  mark_failed: 'mark [f]ailed',
  cancel: '[c]ancel',
};

async function unstick(session: Session, view: PlanView): Promise<ExitCode | null> {
  session.say(...drawReport(view, session.screen), '');
  const { plan_id, status: kind } = view;
  session.event('waiting', { plan_id, step_id: null, kind, text: view.state.words });
  const offered = view.buttons.flatMap(({ press }): [string, CardPress][] => {
    const label = moves[press.action];
    return label === undefined ? [] : [[label, press]];
  });
  const choices: Choices<CardPress | 'quit'> = [...offered, ['[q]uit', 'quit']];
  const line = await session.ask(drawChoices(choices));
  if (session.signal.aborted) return exitCodes.interrupted;
  const chosen = line === null ? 'quit' : readChoice(choices, line);
  if (chosen === 'quit') return exitCodes.needsPerson;
  if (chosen !== null) await pressDrawn(session, chosen);
  return null;
}

async function offerRetry(session: Session, view: PlanView): Promise<boolean> {
  const retry = view.buttons.find(({ press }) => press.action === 'retry');
  if (retry === undefined || !session.interactive || session.options.yes === true) return false;
  session.say('');
  const edit = view.buttons.find(({ press }) => press.action === 'retry_edited');
  const more = edit === undefined ? '' : '  [e]dit and retry';
  const line = await session.ask(`  [r]etry the failed steps${more}  [q]uit › `);
  const word = line?.trim().toLowerCase() ?? '';
  const step = edit?.press.step_id;
  if (['e', 'edit', 'edit and retry'].includes(word) && step !== undefined)
    return attempt(session, () => editWaiting(session, { plan: view.plan_id, step }));
  if (!['r', 'retry'].includes(word)) return false;
  return (await pressDrawn(session, retry.press)) === null;
}

/** Only for completed plans. */
function offerPlaybook({ interactive, screen }: Session, { buttons, plan_id }: PlanView): string[] {
  const isOffered = buttons.some(({ press }) => press.action === 'save_playbook');
  if (!isOffered || !interactive) return [];
  return drawLines(`Run it again later: ${commandName} playbook save ${plan_id} NAME`, screen);
}

const endings = {
  completed: exitCodes.done,
  failed: exitCodes.failed,
  rejected: exitCodes.refused,
  cancelled: exitCodes.refused,
} as const;

function endOf(view: PlanView): ExitCode {
  const { status } = view;
  return status in endings ? endings[status as keyof typeof endings] : exitCodes.failed;
}

/** The planner may ask or give up instead. */
async function awaitRevision(
  session: Session,
  planId: string,
  idle: number,
): Promise<ExitCode | null> {
  const runId = session.run_id;
  if (runId === null) return null;
  const run = await session.service.getRun(runId);
  // The run may get the feedback first, so poll a few times.
  if (run.planning_status === 'running' || idle < 5) return null;
  // A run ends together with the revised plan.
  if (nextMove(await look(session, planId)) !== 'revise') return null;
  session.unpaint();
  if (run.planning_status === 'aborted') {
    sayRun(session, run);
    return exitCodes.noPlan;
  }
  return answerRun(session, run);
}

/** Until it ends or needs someone else. */
export async function attend(session: Session, planId: string): Promise<ExitCode> {
  let shown = '';
  let printed = '';
  let idle = 0;
  for (;;) {
    session.signal.throwIfAborted();
    const view = await look(session, planId);
    const move = nextMove(view);
    let code: ExitCode | null = null;
    if (move !== 'wait' && move !== 'revise') session.unpaint();
    switch (move) {
      case 'decide':
        if (shown !== view.digest) showProposal(session, view);
        shown = view.digest;
        code = await decidePlan(session, view);
        break;
      case 'settle': {
        const [ask] = view.asks;
        if (ask !== undefined) code = await settleOnce(session, view, ask);
        break;
      }
      case 'stuck':
        code = await unstick(session, view);
        break;
      case 'revise':
      case 'wait':
        idle = move === 'revise' ? idle + 1 : 0;
        showProgress(session, view);
        printed = tellProgress(session, view, printed);
        if (move === 'revise') code = await awaitRevision(session, planId, idle);
        await session.pause();
        break;
      case 'over':
        session.event('plan', planData(view));
        session.ending = { status: view.status, text: sentenceOf(view) };
        session.say(...drawReport(view, session.screen), ...offerPlaybook(session, view));
        if (!(await offerRetry(session, view))) return endOf(view);
        break;
      default:
        return move satisfies never;
    }
    if (code !== null) return code;
  }
}
