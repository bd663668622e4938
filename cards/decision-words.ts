// Messages about decisions in words or by buttons.
import { quoteWords, showLine } from '#domain/shown-text.ts';
import { longestMessage } from '#domain/text.ts';
import { capitalise, countOf, listOf } from '#domain/words.ts';
import type { Ask } from './view.ts';

const sayWhatChanges = 'Say what should change, for example “propose changes: …”.';

export const decisionWords = {
  approved: ({ id, by }: { id: string; by: string }) =>
    `${id} was approved by ${by} and is starting.`,
  approvedOnly: ({ by, steps }: { by: string; steps: string }) =>
    `Approved by ${by}: ${steps} only.`,
  approvedExcept: ({ by, steps }: { by: string; steps: string }) =>
    `Approved by ${by}: all but ${steps}.`,
  approvedSome: ({ by, count, total }: { by: string; count: number; total: number }) =>
    `Approved by ${by}: ${count} of ${countOf(total, 'step')}.`,
  /** “Me” in it is not the one who takes it. */
  suggested: ({ by, text }: { by: string; text: string }) =>
    `${showLine(by, 60)} suggested: ${text}`,
  rejected: ({ id, by }: { id: string; by: string }) =>
    `${id} was rejected by ${by}. Nothing has run.`,
  rejectedOften: ({ id }: { id: string }) =>
    `${id} was rejected three times, so I've stopped drafting. Approve, reject or cancel it.`,
  cancelled: ({ id, by }: { id: string; by: string }) => `${id} was cancelled by ${by}.`,
  withdrawn: ({ id, words }: { id: string; words: string | null }) =>
    `${id} was withdrawn. Nothing has run.${words === null ? '' : ` To plan it differently, change these words and send them again:\n\n${words}`}`,
  changeWithdrawn: ({ id, by }: { id: string; by: string }) =>
    `The change to ${id} was withdrawn by ${by}.`,
  wentBack: ({ id, by, version, as }: { id: string; by: string; version: number; as: number }) =>
    `${by} restored version ${as} of ${id} as version ${version}. Nothing runs until it is approved.`,
  expired: ({ id, reason }: { id: string; reason: string }) => `${id} was cancelled. ${reason}`,
  noDecision: ({ days }: { days: number }) => `Nobody decided within ${countOf(days, 'day')}.`,
  noVersion: ({ days }: { days: number }) =>
    `There was no new version within ${countOf(days, 'day')}.`,
} as const;

export function confirmAnswer({
  label,
  question,
  answer,
}: Record<'label' | 'question' | 'answer', string>): string {
  return `Answer step ${label}, ${quoteWords(question, 300)}, with ${quoteWords(answer, 4000)}?`;
}

export const answerWords = {
  given: ({ by }: { by: string }) => `${by} has answered the step.`,
  dropped: ({ by }: { by: string }) => `${by} has not confirmed the answer. The step is waiting.`,
} as const;

/** `shown`: a session's content, such as `the outline`. */
export const statusAnswers = {
  planning: 'Still planning.',
  noPlan: 'There is no plan in this conversation.',
  nothingWaits: 'Nothing is waiting here.',
  /** `total` is null if it repeats. */
  running: ({ done, total, left }: { done: number; total: number | null; left: number }) =>
    total === null
      ? `: ${countOf(done, 'step')} done, and it repeats`
      : `: ${done} of ${countOf(total, 'step')} done, ${left} to go`,
  plan: ({ id, version, status }: { id: string; version: number; status: string }) =>
    `${id} (version ${version}) is ${status}`,
  session: ({ shown, deciders }: { shown: string; deciders: string }) =>
    `${capitalise(shown)} is waiting for ${deciders}.`,
  asksStep: ({ label, text, buttons }: Pick<Ask, 'label' | 'text' | 'buttons'>) =>
    `${label}: ${text} To answer, press ${listOf(
      buttons.map(({ label: name }) => quoteWords(name, 100)),
      'or',
    )} on the card.`,
  meantApprove: ({ shown }: { shown: string }) => `Did you mean to approve ${shown}?`,
} as const;

export const refusalWords = {
  whatChanges: sayWhatChanges,
  whatChangesUndecided: `${sayWhatChanges} Nothing was decided.`,
  noStepNamed: "This button doesn't say which step it is about.",
  opensForm:
    'This button opens a form, which is not shown here. Say in the conversation what to change.',
  playbookForm:
    'Give a name of lowercase letters, digits and hyphens, such as close-month, and parameters one a line, such as customer=ACME.',
  noFindingNamed: "This button doesn't say which problem it is about.",
  nothingToDecide: 'No plan is waiting for a decision here. Ask for something first.',
  nothingPlanned: 'Nothing is being planned here now.',
  nothingWaitsNow: 'Nothing is waiting for a decision here anymore. Ask for something new.',
  tickedAndNumbered:
    'You unticked steps in the console and also named steps by number. Reply “approve” for the ticked steps, or tick them all first.',
  noSingleSteps: ({ shown }: { shown: string }) =>
    `You can choose single steps only on a plan's card; this is ${shown}. Approve it, or reply “propose changes: …”.`,
  noVersions: ({ shown }: { shown: string }) =>
    `Only a plan has versions to go back to; this is ${shown}. Reply “propose changes: …” to change it, or “reject” to drop it.`,
  noSuchVersion: ({ asked, current }: { asked: number; current: number }) =>
    `Version ${current} is waiting, so you can go back to version ${current === 2 ? '1' : `1 to ${current - 1}`}, not to version ${asked}.`,
  versionTooLarge: ({ asked, total }: { asked: number; total: number }) =>
    `Version ${asked} has ${countOf(total, 'step')}, too many to restore.`,
  nothingToApprove: ({ shown }: { shown: string }) =>
    `There is nothing to approve yet: this is ${shown}.`,
  onlyDeciders: ({ deciders }: { deciders: string }) => `Only ${deciders} can decide about this.`,
  severalPlans: ({ names }: { names: string[] }) =>
    `Several plans are open here: ${names.join(' and ')}. Use the buttons on the card you mean.`,
  severalThings: ({ names }: { names: string[] }) =>
    `Several things are waiting here: ${names.join(' and ')}. Use the buttons on the card you mean.`,
  decidedBefore: ({ verb, by }: { verb: string; by: string }) =>
    `${by} already ${verb} this, and planning is continuing. Your press changed nothing.`,
  saidMore:
    'Someone has replied since, and planning is continuing. Decide about what it shows next.',
  changedWhileReading: ({ shown }: { shown: string }) =>
    `This changed while you were reading: it now shows ${shown}. Read it and decide again.`,
  answered: 'This was already answered. Answer the latest question.',
  sessionTooNew: 'What is waiting here came after you wrote that. Read it, then decide.',
  versionTooNew: ({ id, version }: { id: string; version: number }) =>
    `Version ${version} of ${id} came after you wrote that. Read it, then decide.`,
  sessionJustShown: 'This changed just before your message. Read it, then decide.',
  versionJustShown: ({ id, version }: { id: string; version: number }) =>
    `Version ${version} of ${id} arrived just before your message. Read it, then decide.`,
  beingPosted: 'The card this is about is still being posted.',
  sessionUnnamed: ({ shown }: { shown: string }) =>
    `It is unclear which state you read. Read ${shown}, then send its turn and digest with the text.`,
  versionUnnamed: ({ id, version }: { id: string; version: number }) =>
    `It is unclear which version you read; version ${version} of ${id} is waiting. Read it, then send its version and digest with the text.`,
  digestDiffers: ({ version, digest }: { version: number; digest: string }) =>
    `What you reviewed doesn't match the saved version ${version} (digest ${digest.slice(0, 8)}). Review it and decide again.`,
  otherVersion: ({ asked, current }: { asked: number; current: number }) =>
    `You asked about version ${asked}; the current version is ${current}.`,
  pressTooOld:
    "You pressed this more than half an hour ago, when it couldn't be done. Nothing changed. Check the card and press again.",
  wordTooOld:
    "You wrote this more than half an hour ago, when it couldn't be done. Nothing changed. Read the latest message and write it again.",
  settingTooOld: 'You set this more than half an hour ago, and it was not saved. Set it again.',
  tooLong: ({ characters }: { characters: number }) =>
    `This message has ${characters.toLocaleString('en-US')} characters; I read at most ${longestMessage.toLocaleString('en-US')}. Put long text in a file and name the file.`,
} as const;
