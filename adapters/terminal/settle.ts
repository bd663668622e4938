// Settles steps that wait for a person.
import type { Ask, PlanView } from '#cards/view.ts';
import type { CardPress } from '#domain/chat/card.ts';
import { type Choices, drawChoices, readChoice } from './choices.ts';
import { drawAsk, drawReport } from './draw.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { type Filled, fillIn, readJsonLine } from './fill-in.ts';
import { findPress, pressDrawn } from './press.ts';
import { look, type Session } from './session.ts';

type Action = CardPress['action'];
/** A button, or something to do first. */
type Answer =
  | { kind: 'press'; action: Action; text?: string; fields?: Filled }
  | { kind: 'fill' | 'blocked' | 'status' | 'quit' | 'nothing' };

/** Answered by values, not words. */
type Question = Ask['kind'] | 'form';

const press = (action: Action): Answer => ({ kind: 'press', action });
const quit = ['[q]uit', { kind: 'quit' }] as const;
const cancel = ['[c]ancel', press('cancel')] as const;
const blocked = ['[b]locked', { kind: 'blocked' }] as const;

const choices: Record<Question, Choices<Answer>> = {
  person: [['[d]one', press('human_done')], blocked],
  form: [['[f]ill in', { kind: 'fill' }], blocked, quit],
  yes_no: [['[y]es', press('settle_done')], ['[n]o', press('settle_failed')], quit],
  theirs: [['[a]nswer for them', press('human_take_over')], cancel, quit],
  confirm: [['[y]es', press('settle_retry')], ['[n]o', press('settle_failed')], cancel],
  change: [['[a]pprove the change', press('approve')], ['[r]eject it', press('reject')], quit],
  unknown: [
    ['[r]etry', press('settle_retry')],
    ['mark [d]one', press('settle_done')],
    ['mark [f]ailed', press('settle_failed')],
    cancel,
  ],
  finding: [
    ['[c]orrect the plan', press('finding_replan')],
    ['[r]un them as they are', press('finding_proceed')],
    ['[l]eave out', press('finding_leave_out')],
    ['[d]ismiss', press('finding_dismiss')],
    quit,
  ],
};

const everywhere: Choices<Answer> = [
  ['cancel', press('cancel')],
  ['status', { kind: 'status' }],
  ['[q]uit', { kind: 'quit' }],
];

/** A stalled plan can be moved meanwhile. */
const stalled: Choices<Answer> = [
  ['resume', press('resume')],
  ['mark plan failed', press('mark_failed')],
];

const ofPlan = new Set<Action>(['cancel', 'resume', 'mark_failed']);

/** Calls need exact words; tasks take answers, forms JSON. */
function readAnswer(question: Question, offered: Choices<Answer>, line: string): Answer {
  const text = line.trim();
  const known = readChoice(offered, text) ?? readChoice(everywhere, text);
  if (known !== null) return known;
  const task = question === 'person' || question === 'form';
  const reason = task ? /^b(?:locked)?:(.*)$/is.exec(text)?.[1]?.trim() : undefined;
  if (reason) return { kind: 'press', action: 'human_blocked', text: reason };
  const fields = question === 'form' ? readJsonLine(text) : null;
  if (fields !== null) return { kind: 'press', action: 'human_done', fields };
  if (text === '') return { kind: question === 'form' ? 'fill' : 'nothing' };
  return question === 'person'
    ? { kind: 'press', action: 'human_done', text }
    : { kind: 'nothing' };
}

/** A form's values, or the obstacle. */
async function complete(session: Session, ask: Ask, answer: Answer): Promise<Answer> {
  if (answer.kind === 'fill') {
    const fields = await fillIn(session, ask);
    return fields === null ? { kind: 'quit' } : { kind: 'press', action: 'human_done', fields };
  }
  if (answer.kind === 'blocked') {
    const line = await session.ask("  What's blocking you? › ");
    if (line === null) return { kind: 'quit' };
    const text = line.trim();
    return text === '' ? { kind: 'nothing' } : { kind: 'press', action: 'human_blocked', text };
  }
  return answer;
}

/** Changes not shown in full can't be approved here. */
function pressOf(view: PlanView, ask: Ask, action: Action): CardPress | null {
  if (ofPlan.has(action)) return findPress(view.buttons, action);
  const drawn = ask.buttons.some((button) => button.press.action === action);
  return ask.kind === 'change' && !drawn ? null : findPress(ask.buttons, action);
}

/** For programs. */
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

const subjects: Partial<Record<Ask['kind'], string>> = {
  change: 'patch_id',
  finding: 'finding_id',
};

/** Null to look again. */
export async function settleOnce(
  session: Session,
  view: PlanView,
  ask: Ask,
): Promise<ExitCode | null> {
  const question = ask.fields.length > 0 ? 'form' : ask.kind;
  const offered = [...choices[question], ...(view.status === 'stalled' ? stalled : [])];
  session.event('waiting', {
    plan_id: view.plan_id,
    [subjects[ask.kind] ?? 'step_id']: ask.step_id,
    kind: ask.kind,
    text: ask.text,
    ...formData(ask),
  });
  session.say('', ...drawAsk(ask, session.screen), '');
  const line = await session.ask(
    drawChoices(offered, question === 'person' ? 'or type your answer' : ''),
  );
  if (session.signal.aborted) return exitCodes.interrupted;
  if (line === null) return exitCodes.needsPerson;
  const answer = await complete(session, ask, readAnswer(question, offered, line));
  if (session.signal.aborted) return exitCodes.interrupted;
  if (answer.kind === 'quit') return exitCodes.needsPerson;
  if (answer.kind === 'status') {
    session.say(...drawReport(await look(session, view.plan_id), session.screen));
  } else if (answer.kind === 'press') {
    const { action, text = '', fields = null } = answer;
    const button = pressOf(view, ask, action);
    const refused = button === null ? null : await pressDrawn(session, button, { text, fields });
    if (refused?.code === 'not_allowed') return exitCodes.needsPerson;
  } else if (line.trim() !== '') {
    session.say('  Type one of the words below, or its letter in brackets.');
  }
  return null;
}
