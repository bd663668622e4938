// Steps that wait for a person, asked in the terminal: a task of theirs, or a call whose outcome nobody recorded.
import type { Ask, PlanView } from '#cards/view.ts';
import { expectedStep } from '#domain/plan/expected-step.ts';
import type { FindingAction } from '#domain/plan/finding.ts';
import type { Settlement } from '#domain/service.ts';
import { drawAsk, drawReport } from './draw.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { type Filled, fillIn, readJsonLine } from './fill-in.ts';
import { look, type Session, tellError } from './session.ts';

type Fate = 'retry' | 'done' | 'failed' | 'take_over';
type Answer =
  | { kind: 'settle'; fate: Fate; answer?: string; fields?: Filled }
  | { kind: 'approve' | 'reject' }
  | { kind: 'finding'; action: FindingAction }
  | { kind: 'fill' | 'blocked' | 'cancel' | 'status' | 'quit' | 'nothing' };

/** What is asked: a form is a task too, but it is not answered in words. */
type Question = Ask['kind'] | 'form';

const prompts: Record<Question, string> = {
  person: '  [d]one  [b]locked  or type your answer › ',
  form: '  [f]ill in  [b]locked  [q]uit › ',
  yes_no: '  [y]es  [n]o  [q]uit › ',
  theirs: '  [a]nswer for them  [c]ancel  [q]uit › ',
  confirm: '  [y]es  [n]o  [c]ancel › ',
  change: '  [a]pprove the change  [r]eject it  [q]uit › ',
  unknown: '  [r]etry  mark [d]one  mark [f]ailed  [c]ancel › ',
  finding: '  [c]orrect the plan  [r]un them as they are  [l]eave them out  [d]ismiss  [q]uit › ',
};

const settled = (fate: Fate): Answer => ({ kind: 'settle', fate });

const words: Record<Question, Record<string, Answer>> = {
  person: {
    d: settled('done'),
    done: settled('done'),
    b: { kind: 'blocked' },
    blocked: { kind: 'blocked' },
  },
  form: {
    '': { kind: 'fill' },
    f: { kind: 'fill' },
    'fill in': { kind: 'fill' },
    b: { kind: 'blocked' },
    blocked: { kind: 'blocked' },
  },
  yes_no: {
    y: settled('done'),
    yes: settled('done'),
    n: settled('failed'),
    no: settled('failed'),
  },
  theirs: {
    a: settled('take_over'),
    answer: settled('take_over'),
    c: { kind: 'cancel' },
  },
  confirm: {
    y: settled('retry'),
    yes: settled('retry'),
    n: settled('failed'),
    no: settled('failed'),
    c: { kind: 'cancel' },
  },
  change: {
    a: { kind: 'approve' },
    approve: { kind: 'approve' },
    'approve the change': { kind: 'approve' },
    r: { kind: 'reject' },
    reject: { kind: 'reject' },
    'reject it': { kind: 'reject' },
  },
  unknown: {
    r: settled('retry'),
    retry: settled('retry'),
    d: settled('done'),
    done: settled('done'),
    'mark done': settled('done'),
    f: settled('failed'),
    failed: settled('failed'),
    'mark failed': settled('failed'),
    c: { kind: 'cancel' },
  },
  finding: {
    c: { kind: 'finding', action: 'replan' },
    correct: { kind: 'finding', action: 'replan' },
    r: { kind: 'finding', action: 'proceed' },
    run: { kind: 'finding', action: 'proceed' },
    l: { kind: 'finding', action: 'leave_out' },
    'leave out': { kind: 'finding', action: 'leave_out' },
    d: { kind: 'finding', action: 'dismiss' },
    dismiss: { kind: 'finding', action: 'dismiss' },
  },
};

const everywhere: Record<string, Answer> = {
  cancel: { kind: 'cancel' },
  status: { kind: 'status' },
  q: { kind: 'quit' },
  quit: { kind: 'quit' },
};

/** The meaning of a line. Calls are settled by exact words only; a task also takes an answer, a form its values as JSON. */
function readAnswer(question: Question, line: string): Answer {
  const text = line.trim();
  const known = { ...everywhere, ...words[question] };
  const lower = text.toLowerCase();
  if (Object.hasOwn(known, lower)) return known[lower] ?? { kind: 'nothing' };
  const task = question === 'person' || question === 'form';
  const reason = task ? /^b(?:locked)?:(.*)$/is.exec(text)?.[1]?.trim() : undefined;
  if (reason) return { kind: 'settle', fate: 'failed', answer: reason };
  const fields = question === 'form' ? readJsonLine(text) : null;
  if (fields !== null) return { kind: 'settle', fate: 'done', fields };
  if (text === '' || question !== 'person') return { kind: 'nothing' };
  return { kind: 'settle', fate: 'done', answer: text };
}

/** Asks for what a word alone does not say: the values of a form, or what is in the way. */
async function complete(session: Session, ask: Ask, answer: Answer): Promise<Answer> {
  if (answer.kind === 'fill') {
    const fields = await fillIn(session, ask);
    return fields === null ? { kind: 'quit' } : { kind: 'settle', fate: 'done', fields };
  }
  if (answer.kind === 'blocked') {
    const line = await session.ask("  What's blocking you? › ");
    if (line === null) return { kind: 'quit' };
    const reason = line.trim();
    return reason === '' ? { kind: 'nothing' } : { kind: 'settle', fate: 'failed', answer: reason };
  }
  return answer;
}

function settlementOf(version: number, ask: Ask, answer: Answer & { kind: 'settle' }): Settlement {
  const [shown] = ask.buttons;
  const about = shown === undefined ? null : expectedStep(shown.press);
  return {
    version,
    steps: { [ask.step_id]: answer.fate },
    ...(about === null ? {} : { about }),
    ...(answer.answer === undefined ? {} : { answer: answer.answer }),
    ...(answer.fields === undefined ? {} : { answers: { [ask.step_id]: answer.fields } }),
  };
}

/** Approves or rejects the change that was drawn, by its own version and digest. */
async function decideChange(
  session: Session,
  ask: Ask,
  action: 'approve' | 'reject',
): Promise<void> {
  const press = ask.buttons.find((button) => button.press.action === action)?.press;
  if (press === undefined) return;
  const { plan_id, version, digest, passed } = press;
  if (action === 'approve') {
    const seen = passed === undefined ? {} : { passed };
    await session.service.approve(plan_id, { version, digest, ...seen }, session.actor);
  } else {
    await session.service.reject(plan_id, { version }, session.actor);
  }
  session.event('decision', { action, plan_id, version, digest });
}

async function act(session: Session, view: PlanView, ask: Ask, answer: Answer): Promise<void> {
  const { plan_id, version } = view;
  if (answer.kind === 'status') {
    session.say(...drawReport(await look(session, plan_id), session.screen));
  } else if (answer.kind === 'cancel') {
    await session.service.cancel(plan_id, { version }, session.actor);
  } else if (answer.kind === 'approve' || answer.kind === 'reject') {
    await decideChange(session, ask, answer.kind);
  } else if (answer.kind === 'finding') {
    const { action } = answer;
    await session.service.settleFinding(plan_id, ask.step_id, action, session.actor);
    session.event('decision', { action, plan_id, finding_id: ask.step_id });
  } else if (answer.kind === 'settle') {
    const settlement = settlementOf(version, ask, answer);
    await session.service.resume(plan_id, settlement, session.actor);
    session.event('decision', { action: 'settle', plan_id, ...settlement });
  }
}

/** What a program needs in order to answer a form. */
function formData({ fields }: Ask): Record<string, unknown> {
  if (fields.length === 0) return {};
  return {
    fields: fields.map(({ name, label, type, required, options }) => ({
      name,
      label,
      type,
      required,
      ...(options.length === 0 ? {} : { options: options.map(({ value }) => value) }),
    })),
  };
}

/** What an ask is about, where that is no step. */
const subjects: Partial<Record<Ask['kind'], string>> = {
  change: 'patch_id',
  finding: 'finding_id',
};

/** Asks about the first thing that waits. null: look at the plan again. */
export async function settleOnce(
  session: Session,
  view: PlanView,
  ask: Ask,
): Promise<ExitCode | null> {
  const question = ask.fields.length > 0 ? 'form' : ask.kind;
  session.event('waiting', {
    plan_id: view.plan_id,
    [subjects[ask.kind] ?? 'step_id']: ask.step_id,
    kind: ask.kind,
    text: ask.text,
    ...formData(ask),
  });
  session.say('', ...drawAsk(ask, session.screen), '');
  const line = await session.ask(prompts[question]);
  if (session.signal.aborted) return exitCodes.interrupted;
  if (line === null) return exitCodes.needsPerson;
  const answer = await complete(session, ask, readAnswer(question, line));
  if (session.signal.aborted) return exitCodes.interrupted;
  if (answer.kind === 'quit') return exitCodes.needsPerson;
  try {
    await act(session, view, ask, answer);
  } catch (error) {
    const { code } = tellError(session, error);
    if (code === 'not_allowed') return exitCodes.needsPerson;
  }
  return null;
}
