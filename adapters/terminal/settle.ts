// Steps that wait for a person, asked in the terminal: a task of theirs, or a call whose outcome nobody recorded.
import type { Ask, PlanView } from '#cards/view.ts';
import { drawAsk, drawReport } from './draw.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { look, type Session, tellError } from './session.ts';

type Fate = 'retry' | 'done' | 'failed';
type Answer =
  | { kind: 'settle'; fate: Fate; answer?: string }
  | { kind: 'cancel' | 'status' | 'quit' | 'nothing' };

const prompts = {
  person: '  [d]one  [b]locked  or type your answer › ',
  confirm: '  [r]un it  [d]on’t run it  [c]ancel › ',
  unknown: '  [r]etry  mark [d]one  mark [f]ailed  [c]ancel › ',
} as const;

const fates: Record<Ask['kind'], Record<string, Fate>> = {
  person: { d: 'done', done: 'done', b: 'failed', blocked: 'failed' },
  confirm: {
    r: 'retry',
    run: 'retry',
    'run it': 'retry',
    d: 'failed',
    'don’t run it': 'failed',
    "don't run it": 'failed',
  },
  unknown: {
    r: 'retry',
    retry: 'retry',
    d: 'done',
    done: 'done',
    'mark done': 'done',
    f: 'failed',
    failed: 'failed',
    'mark failed': 'failed',
  },
};

/** The meaning of a line. Calls are settled by exact words only; a task also takes an answer. */
function readAnswer(kind: Ask['kind'], line: string): Answer {
  const text = line.trim();
  const lower = text.toLowerCase();
  const fate = Object.hasOwn(fates[kind], lower) ? fates[kind][lower] : undefined;
  if (fate !== undefined) return { kind: 'settle', fate };
  if (lower === 'cancel' || (kind !== 'person' && lower === 'c')) return { kind: 'cancel' };
  if (lower === 'status') return { kind: 'status' };
  if (lower === 'q' || lower === 'quit') return { kind: 'quit' };
  if (text === '' || kind !== 'person') return { kind: 'nothing' };
  return { kind: 'settle', fate: 'done', answer: text };
}

async function act(session: Session, view: PlanView, ask: Ask, answer: Answer): Promise<void> {
  const { plan_id, version } = view;
  if (answer.kind === 'status') {
    session.say(...drawReport(await look(session, plan_id), session.screen));
  } else if (answer.kind === 'cancel') {
    await session.service.cancel(plan_id, { version }, session.actor);
  } else if (answer.kind === 'settle') {
    const steps = { [ask.step_id]: answer.fate };
    const settlement =
      answer.answer === undefined ? { version, steps } : { version, steps, answer: answer.answer };
    await session.service.resume(plan_id, settlement, session.actor);
    session.event('decision', { action: 'settle', plan_id, ...settlement });
  }
}

/** Asks about the first thing that waits. null: look at the plan again. */
export async function settleOnce(
  session: Session,
  view: PlanView,
  ask: Ask,
): Promise<ExitCode | null> {
  session.event('waiting', {
    plan_id: view.plan_id,
    step_id: ask.step_id,
    kind: ask.kind,
    text: ask.text,
  });
  session.say('', ...drawAsk(ask, session.screen), '');
  const line = await session.ask(prompts[ask.kind]);
  if (session.signal.aborted) return exitCodes.interrupted;
  const answer = line === null ? { kind: 'quit' as const } : readAnswer(ask.kind, line);
  if (answer.kind === 'quit') return exitCodes.needsPerson;
  try {
    await act(session, view, ask, answer);
  } catch (error) {
    const { code } = tellError(session, error);
    if (code === 'not_allowed') return exitCodes.needsPerson;
  }
  return null;
}
