// Asks for a decision on a plan or session.
import type { StepChoice } from '#domain/plan/step-choice.ts';
import { readTyped, type Typed } from './choices.ts';
import { drawLines } from './draw.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { type Session, tellError } from './session.ts';

/** Null: look again; `ask`: unchanged. */
export type Outcome = ExitCode | null | 'ask';

export type Subject = {
  question: string;
  help: string;
  /** Whether `--yes` approves it. */
  agreed: boolean;
  /** After a word that only shows something. */
  afterShowing: null | 'ask';
  approve(choice: StepChoice | null): Promise<Outcome>;
  proposeChanges(feedback: string): Promise<Outcome>;
  reject(): Promise<Outcome>;
  cancel(): Promise<Outcome>;
  /** @param to null for the version before */
  goBack(to: number | null): Promise<Outcome>;
  showDetails(): Promise<void> | void;
  showStatus(): Promise<void> | void;
  /** Budget questions accept everyday answers. */
  waits?: 'budget' | null;
  talk(text: string): Promise<Outcome>;
  /** By label; empty for the first step. */
  edit?(label: string): Promise<Outcome>;
  choose?(number: number): Promise<Outcome> | null;
};

/** Reports failure. @returns whether it succeeded */
export async function attempt(session: Session, act: () => Promise<unknown>): Promise<boolean> {
  try {
    await act();
    return true;
  } catch (error) {
    tellError(session, error);
    return false;
  }
}

/** Asks for missing feedback. */
async function proposeChanges(session: Session, subject: Subject, given: string): Promise<Outcome> {
  let feedback: string | null = given;
  while (feedback === '') {
    feedback = (await session.ask('  What should change? › '))?.trim() ?? null;
  }
  if (session.signal.aborted) return exitCodes.interrupted;
  return feedback === null ? exitCodes.needsPerson : subject.proposeChanges(feedback);
}

async function follow(session: Session, subject: Subject, typed: Typed): Promise<Outcome> {
  switch (typed.kind) {
    case 'approve':
      return subject.approve(null);
    case 'approve_part':
      return subject.approve(typed.choice);
    case 'propose_changes':
      return proposeChanges(session, subject, typed.feedback);
    case 'reject':
      return subject.reject();
    case 'cancel':
      return subject.cancel();
    case 'go_back':
      return subject.goBack(typed.to);
    case 'details':
      await attempt(session, async () => subject.showDetails());
      return subject.afterShowing;
    case 'status':
      await subject.showStatus();
      return subject.afterShowing;
    case 'nothing':
      session.say(...drawLines(subject.help, session.screen));
      return subject.afterShowing;
    case 'quit':
      return exitCodes.needsPerson;
    case 'talk':
      return subject.talk(typed.text);
    default:
      return typed satisfies never;
  }
}

/** Null to look again. */
export async function decideOnce(session: Session, subject: Subject): Promise<ExitCode | null> {
  let outcome: Outcome = 'ask';
  if (session.options.yes === true)
    outcome = subject.agreed ? await subject.approve(null) : exitCodes.needsPerson;
  while (outcome === 'ask') {
    const line = await session.ask(subject.question);
    if (session.signal.aborted) return exitCodes.interrupted;
    if (line === null) return exitCodes.needsPerson;
    const number = /^\s*([1-9])\s*$/.exec(line)?.[1];
    const chosen = number === undefined ? null : (subject.choose?.(Number(number)) ?? null);
    const edited = /^\s*e(?:dit)?(?:\s+(\d{1,3}[a-z]*))?\s*$/i.exec(line);
    const edit = edited === null ? undefined : subject.edit?.(edited[1] ?? '');
    outcome = await (chosen ?? edit ?? follow(session, subject, readTyped(line, subject.waits)));
  }
  return outcome;
}
