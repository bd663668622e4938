// One request of a soak from asking to its end, as seen by its asker.
import { setTimeout as pause } from 'node:timers/promises';
import type { OrganisationName } from './organisations.ts';
import type { Records, RunRecord } from './records.ts';
import { effectsOf, type Kind, readingWords } from './work.ts';

export type Surface = 'slack' | 'teams' | 'console' | 'program' | 'terminal';
export type Decision = 'approve' | 'approve by word' | 'approve twice' | 'reject' | 'change';

/**
 * A message sent to Countersign: each attempt's time in milliseconds since 1970, and its HTTP status, or null without an answer.
 */
export type Sent = {
  what: string;
  /** The platform's ID. */
  event?: string;
  attempts: { from: number; until: number; status: number | null; body?: string }[];
};

export type Story = {
  name: string;
  organisation: OrganisationName;
  /** Its organisation in Countersign, or null for the operator. */
  tenant: string | null;
  surface: Surface;
  kind: Kind | 'program';
  decision: Decision;
  /** Effects that must happen exactly once when the plan completes. */
  effects: string[];
  /** Times in milliseconds since 1970. */
  at: {
    asked: number;
    /** The plan, a question or a refusal was visible. */
    shown?: number;
    pressed?: number;
    /** The card showed the end, without buttons. */
    closed?: number;
    /** Finished for its asker. */
    rest?: number;
  };
  /** Unique words of its request within the organisation. */
  key: string;
  /** The request whose file it reads. */
  reads: string | null;
  sent: Sent[];
  run: string | null;
  plan: string | null;
  /** `not heard`: never acknowledged. */
  outcome: 'open' | 'not heard' | 'answered' | 'ended';
  /** Number of repeated decisions after a first that was refused or had no effect. */
  decidedAgain: number;
  /** The answer without a plan. */
  answer: string;
  /** Its current wait. */
  waitsFor: string;
};

/** A surface's interface for stories. */
export type Desk = {
  /** @returns whether it was acknowledged */
  ask(story: Story): Promise<boolean>;
  /** Whether a card with a plan to decide on is visible. */
  showsPlan(story: Story): boolean;
  /** Whether an answer is visible, for a request without a plan. */
  showsAnswer(story: Story): boolean;
  decide(story: Story): Promise<void>;
  /** Whether its card shows the end, without buttons. */
  isClosed(story: Story): boolean;
};

export function openStory(
  about: Pick<
    Story,
    'name' | 'organisation' | 'tenant' | 'surface' | 'kind' | 'decision' | 'reads'
  >,
): Story {
  const { name, kind, reads } = about;
  return {
    ...about,
    key: reads === null ? name : readingWords(reads),
    sent: [],
    effects: kind === 'program' ? [] : effectsOf(kind, name),
    at: { asked: Date.now() },
    run: null,
    plan: null,
    outcome: 'open',
    decidedAgain: 0,
    answer: '',
    waitsFor: 'being acknowledged',
  };
}

/** Milliseconds to wait for a decision to show. */
const againAfterMs = 20_000;

/** Only a person can continue a plan in these states. */
export const endedStatuses = ['completed', 'failed', 'rejected', 'cancelled'];

/** Waits without a limit; `waitsFor` says what for. */
async function reach(story: Story, waitsFor: string, probe: () => boolean): Promise<void> {
  story.waitsFor = waitsFor;
  while (!probe()) await pause(200);
}

/** Its run, once there is one. */
export const findRun = ({ runs }: Records, { tenant, key }: Story): RunRecord | undefined =>
  [...runs.values()].find((run) => run.tenant === tenant && run.request.includes(key));

export async function play(story: Story, desk: Desk, records: Records): Promise<void> {
  await playToEnd(story, desk, records);
  story.at.rest = Date.now();
}

async function playToEnd(story: Story, desk: Desk, records: Records): Promise<void> {
  if (!(await desk.ask(story))) {
    story.outcome = 'not heard';
    return;
  }
  const planOf = () => (story.plan === null ? undefined : records.plans.get(story.plan));
  await reach(story, 'a plan or an answer', () => {
    const run = findRun(records, story);
    story.run ??= run?.id ?? null;
    story.plan ??= run?.plan ?? null;
    if (story.plan !== null) return true;
    return run !== undefined && run.status !== 'running';
  });
  if (story.plan === null) {
    await reach(story, 'its answer to be seen', () => desk.showsAnswer(story));
    story.at.shown = Date.now();
    story.answer = records.runs.get(story.run ?? '')?.answer ?? '';
    story.outcome = 'answered';
    return;
  }
  await reach(story, 'its plan to be seen', () => desk.showsPlan(story));
  story.at.shown = Date.now();
  story.waitsFor = 'being decided';
  story.at.pressed = Date.now();
  await desk.decide(story);
  // If the plan has changed meanwhile, the person decides on the current version.
  for (let since = Date.now(); planOf()?.status === 'proposed'; await pause(200)) {
    if (Date.now() - since < againAfterMs || planOf()?.revising === true) continue;
    if (story.decision === 'change') story.decision = 'approve';
    story.decidedAgain += 1;
    await desk.decide(story);
    since = Date.now();
  }
  await reach(story, 'its plan to end', () => {
    const plan = planOf();
    return plan !== undefined && !plan.revising && endedStatuses.includes(plan.status);
  });
  await reach(story, 'its end to be seen', () => desk.isClosed(story));
  story.at.closed = Date.now();
  story.outcome = 'ended';
}
