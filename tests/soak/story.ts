// One request of a soak, as seen by its asker.
import { setTimeout as pause } from 'node:timers/promises';
import type { OrganisationName } from './organisations.ts';
import type { Records, RunRecord } from './records.ts';
import { effectsOf, type Kind, readingWords } from './work.ts';

export type Surface = 'slack' | 'teams' | 'console' | 'program' | 'terminal';
export type Decision = 'approve' | 'approve by word' | 'approve twice' | 'reject' | 'change';

/** Times in milliseconds since 1970; HTTP status, or null without an answer. */
export type Sent = {
  what: string;
  /** The platform's ID. */
  event?: string;
  attempts: { from: number; until: number; status: number | null; body?: string }[];
};

export type Story = {
  name: string;
  organisation: OrganisationName;
  /** Null for the operator. */
  tenant: string | null;
  surface: Surface;
  kind: Kind | 'program';
  decision: Decision;
  /** Each happens exactly once if the plan completes. */
  effects: string[];
  /** Milliseconds since 1970. */
  at: {
    asked: number;
    shown?: number;
    pressed?: number;
    closed?: number;
    /** Finished for its asker. */
    rest?: number;
  };
  /** Unique words within the organisation. */
  key: string;
  /** The request whose file it reads. */
  reads: string | null;
  sent: Sent[];
  run: string | null;
  plan: string | null;
  /** `not heard`: never acknowledged. */
  outcome: 'open' | 'not heard' | 'answered' | 'ended';
  /** After one that was refused or had no effect. */
  decidedAgain: number;
  /** Without a plan. */
  answer: string;
  waitsFor: string;
};

export type Desk = {
  /** @returns whether it was acknowledged */
  ask(story: Story): Promise<boolean>;
  showsPlan(story: Story): boolean;
  showsAnswer(story: Story): boolean;
  decide(story: Story): Promise<void>;
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

// Until a decision shows.
const againAfterMs = 20_000;

/** Only a person can continue these. */
export const endedStatuses = ['completed', 'failed', 'rejected', 'cancelled'];

// Without a limit.
async function reach(story: Story, waitsFor: string, probe: () => boolean): Promise<void> {
  story.waitsFor = waitsFor;
  while (!probe()) await pause(200);
}

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
