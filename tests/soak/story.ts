// One request of a soak, from being asked to its end, as the one sees it who asked.
import { setTimeout as pause } from 'node:timers/promises';
import type { OrganisationName } from './organisations.ts';
import type { Records, RunRecord } from './records.ts';
import { effectsOf, type Kind, readingWords } from './work.ts';

export type Surface = 'slack' | 'teams' | 'console' | 'program' | 'terminal';
export type Decision = 'approve' | 'approve by word' | 'approve twice' | 'reject' | 'change';

/** Something that was sent to Countersign: each time it was, in milliseconds since 1970, with the HTTP status; null: no answer. */
export type Sent = {
  what: string;
  /** What the platform calls it. */
  event?: string;
  attempts: { from: number; until: number; status: number | null; body?: string }[];
};

export type Story = {
  name: string;
  organisation: OrganisationName;
  /** Its organisation as Countersign names it; null: the operator's requests are of none. */
  tenant: string | null;
  surface: Surface;
  kind: Kind | 'program';
  decision: Decision;
  /** What takes effect exactly once when the plan is completed. */
  effects: string[];
  /** When things happened, in milliseconds since 1970. */
  at: {
    asked: number;
    /** The plan, a question or a refusal could be seen. */
    shown?: number;
    pressed?: number;
    /** The card showed how it ended, and nothing to press any more. */
    closed?: number;
    /** It came to rest, as far as the one is concerned who asked. */
    rest?: number;
  };
  /** What is asked for: the words of its request have that, and no others of its organisation do. */
  key: string;
  /** The request whose file it reads. */
  reads: string | null;
  sent: Sent[];
  run: string | null;
  plan: string | null;
  /** `not heard`: nobody acknowledged it, as its sender was told. */
  outcome: 'open' | 'not heard' | 'answered' | 'ended';
  /** How often it was decided again, since the first decision was refused or changed nothing. */
  decidedAgain: number;
  /** What was said instead of a plan. */
  answer: string;
  /** What it waits for. */
  waitsFor: string;
};

/** A surface as a story uses it. */
export type Desk = {
  /** @returns whether it was acknowledged */
  ask(story: Story): Promise<boolean>;
  /** Whether a card with a plan to decide about can be seen. */
  showsPlan(story: Story): boolean;
  /** Whether an answer can be seen, of a request that led to no plan. */
  showsAnswer(story: Story): boolean;
  decide(story: Story): Promise<void>;
  /** Whether what can be seen of its plan says how it ended, and can't be pressed. */
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

/** How long somebody waits for a decision to show. */
const againAfterMs = 20_000;

/** A plan of these goes on only when a person makes it. */
export const endedStatuses = ['completed', 'failed', 'rejected', 'cancelled'];

/** Waits as long as it takes; `waitsFor` says what for when the soak is over. */
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
  // Who is told that the plan has changed meanwhile looks again, and decides about what stands there now.
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
