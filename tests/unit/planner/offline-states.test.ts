import { describe, expect, it } from 'vitest';
import type { Clock } from '#domain/clock.ts';
import { applyOverride, defaultPolicy, type PolicyOverride } from '#domain/people/policy.ts';
import { assignAnswers } from '#domain/planning/asked-question.ts';
import type { PlanningOutcome, Utterance } from '#domain/planning/run.ts';
import type { PlanningState, SessionDecision } from '#domain/planning/state.ts';
import { createMemoryPlanner } from '../../fixtures/memory-planner.ts';
import { builtins, toolsOf } from './manifest.ts';
import { limits } from './planners.ts';
import { proposalOf, request, saidBy } from './requests.ts';

const now = new Date('2026-03-04T10:00:00Z');
const clock: Clock = { now: () => now };

type Turn = string | { say?: string; decide: SessionDecision };

class Talk {
  readonly #planner = createMemoryPlanner({ tools: toolsOf(builtins), model: null, limits, clock });
  readonly #history: Utterance[] = [];
  readonly #policy: PolicyOverride;
  #turn = 0;
  #asked = '';
  last: PlanningOutcome | null = null;

  constructor(policy: PolicyOverride = {}) {
    this.#policy = policy;
  }

  async say(turn: Turn): Promise<PlanningOutcome> {
    this.#turn += 1;
    const decision: SessionDecision = typeof turn === 'string' ? { kind: 'said' } : turn.decide;
    const feedback = decision.kind === 'changes' ? decision.feedback : undefined;
    const text = typeof turn === 'string' ? turn : (feedback ?? this.#asked);
    // The plan's own card refuses with feedback; the session gets the plan at that state.
    const before = this.last?.result;
    const revision =
      feedback !== undefined && before?.kind === 'proposal'
        ? { previous: before.draft, feedback: [feedback] }
        : null;
    const answers = assignAnswers(this.#history.at(-1)?.questions ?? [], text);
    const outcome = await this.#planner.plan(
      request(text, {
        ...(text === 'ask me nothing' ? {} : { answers }),
        runId: 'run-talk',
        turn: this.#turn,
        history: [...this.#history],
        decision,
        revision,
        now,
        policy: applyOverride(defaultPolicy, this.#policy),
      }),
      new AbortController().signal,
    );
    this.#asked = text;
    this.#history.push({ author: 'person', text, kind: 'said', answers }, saidBy(outcome));
    this.last = outcome;
    return outcome;
  }

  async all(...turns: Turn[]): Promise<PlanningOutcome> {
    let outcome = this.last;
    for (const turn of turns) outcome = await this.say(turn);
    if (outcome === null) throw new Error('nothing was said');
    return outcome;
  }

  get session(): PlanningState {
    const session = this.last?.session;
    if (!session) throw new Error('there is no session');
    return session;
  }
}
const reject: Turn = { decide: { kind: 'reject', by: 'ana' } };
const change = (feedback: string): Turn => ({ decide: { kind: 'changes', by: 'ana', feedback } });

function describeTree({ outline }: PlanningState): string[] {
  const nodes = outline?.nodes ?? [];
  const titles = new Map(nodes.map(({ id, title }) => [id, title]));
  return nodes
    .filter(({ parent }) => parent !== null)
    .map(({ parent, structure, title }) => `${titles.get(parent ?? '')} > ${structure} ${title}`);
}

const edgesOf = ({ outline }: PlanningState) =>
  (outline?.nodes ?? []).flatMap(({ id, after }) =>
    after.map((edge) => `${edge.id} ${edge.type} ${id} ${edge.lag_minutes}`),
  );

const phases =
  'Plan Launch:\nPhase Preparation:\n- create notes/kickoff.md saying "go"\n- create notes/list.md saying "todo"\nPhase Publish after 2 days:\n- post "We launch"\nmilestone: Launch is done';

describe('a request in parts', () => {
  it('keeps phases, their tasks and milestones, and the time between them', async () => {
    const talk = new Talk();
    const draft = proposalOf(await talk.all(phases));
    expect(describeTree(talk.session)).toEqual([
      'Launch > phase Preparation',
      'Preparation > task Write notes/kickoff.md',
      'Preparation > task Write notes/list.md',
      'Launch > phase Publish',
      'Publish > task Post "We launch"',
      'Publish > milestone Launch is done',
    ]);
    expect(draft.title).toBe('Launch');
    expect(draft.steps[2]?.after).toEqual([
      { id: '1', type: 'FS', lag_minutes: 2880 },
      { id: '2', type: 'FS', lag_minutes: 2880 },
    ]);
  });

  it.each([
    [
      'Phase One:\ncreate a.txt: A\nPhase Two:\ncreate b.txt: B\nMilestone: All written',
      ['phase One', 'task Write a.txt', 'phase Two', 'task Write b.txt', 'milestone All written'],
    ],
  ])('reads %j', async (text, nodes) => {
    const talk = new Talk();
    proposalOf(await talk.all(text));
    expect(describeTree(talk.session).map((line) => line.replace(/^.* > /, ''))).toEqual(nodes);
  });

  it('leaves a flat list as plain as it was', async () => {
    const talk = new Talk();
    await talk.all('1. create a.txt: A\n2. create b.txt: B');
    expect(describeTree(talk.session).map((line) => line.replace(/^.* > /, ''))).toEqual([
      'task Write a.txt',
      'task Write b.txt',
    ]);
  });

  it('reads nothing into dictated text', async () => {
    const talk = new Talk();
    const draft = proposalOf(
      await talk.all('Create a.txt saying "Phase 1: eat; Phase 2: sleep two days after that"'),
    );
    expect(draft.steps).toHaveLength(1);
    expect(talk.session.outline?.nodes).toHaveLength(2);
  });
});

describe('an order in words', () => {
  it.each([
    ['Create a.txt saying "A", then after two days create b.txt saying "B"', ['1 FS 2 2880']],
    ['Create a.txt saying "A".\nAfter 11 days create b.txt saying "B"', ['1 FS 2 15840']],
  ])('%s', async (text, edges) => {
    const talk = new Talk();
    proposalOf(await talk.all(text));
    expect(edgesOf(talk.session)).toEqual(edges);
  });
});

describe('work that comes again', () => {
  it('is a series of the plan, not a reminder', async () => {
    const draft = proposalOf(
      await new Talk().all('Every Monday at 9:00 write "weekly" to reports/weekly.md until 1 June'),
    );
    expect(draft.steps).toEqual([]);
    expect(draft.series).toMatchObject([
      {
        rrule: 'FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0;BYSECOND=0',
        timezone: 'Europe/Berlin',
        until: '2026-06-01T22:00:00.000Z',
      },
    ]);
  });
});

describe('a deadline', () => {
  it('that can be kept needs no time of its own', async () => {
    const talk = new Talk();
    proposalOf(await talk.all('Create report.md saying "x" by Friday 17:00'));
    expect(talk.session.outline?.nodes[1]?.deadline).toBe('2026-03-06T16:00:00.000Z');
  });

  it('that cannot be kept is told with its reason and what would help', async () => {
    const talk = new Talk();
    const { result, session } = await talk.all(
      'Ask Ana "Please review notes.md" takes 3 days by tomorrow 17:00.',
    );
    expect(session?.stage).toBe('NEEDS_SCHED_ESCALATION');
    expect(result).toMatchObject({ kind: 'escalation' });
    if (result.kind !== 'escalation') return;
    expect(result.infeasible.reason).toContain('after its deadline (Thu, 5 Mar 2026, 17:00)');
    const offered = result.infeasible.relaxations.map(({ change }) => change);
    expect(offered.length).toBeGreaterThan(1);
    for (const change of [...offered, 'Move the deadline to 20 March 17:00']) {
      const again = new Talk();
      await again.all('Ask Ana "Please review notes.md" takes 3 days by tomorrow 17:00.');
      proposalOf(await again.all(change ?? ''));
      expect(again.session.stage).toBe('NEEDS_CLARIFICATION');
    }
  });

  it('is met by an earlier start, which is offered in words that are read', async () => {
    const ask =
      'Tomorrow at 16:00 ask Ana "Please review notes.md" takes 2 hours by tomorrow 17:00';
    const { result } = await new Talk().all(ask);
    const offered = result.kind === 'escalation' ? result.infeasible.relaxations : [];
    const talk = new Talk();
    await talk.all(ask);
    const earlier = offered.find(({ change }) => change?.endsWith('as soon as possible'));
    proposalOf(await talk.all(earlier?.change ?? ''));
  });

  it.each([
    ['Ask Ana "Please review notes.md" takes 3 days', 3 * 1440],
    ['Ask Ana "Please review notes.md" takes 1 working week 2 hours', 5 * 480 + 120],
    ['Ask Ana "Please review notes.md" takes 90 minutes', 90],
    ['Ask Ana "Please review notes.md" takes 1.5 working weeks', 3600],
    ['Create report.md saying "x" takes 2 days', 2 * 1440],
    ['Create report.md saying "x" takes 48 h', 2 * 1440],
  ])('counts working days of people and days by the clock apart: %s', async (text, minutes) => {
    const talk = new Talk();
    proposalOf(await talk.all(text));
    const timed = talk.session.outline?.nodes.filter((node) => node.steps.length > 0);
    expect(timed?.map((node) => node.duration_minutes)).toEqual([minutes]);
  });

  it('before the beginning is told the same way, and dropped by “reject”', async () => {
    const talk = new Talk();
    await talk.all('Create report.md saying "x" on Friday at 9:00 by Thursday 17:00');
    expect(talk.session.stage).toBe('NEEDS_SCHED_ESCALATION');
    await talk.all(reject);
    expect(talk.session.stage).toBe('ABORTED');
  });
});

describe('changes of a plan', () => {
  it('about words leave order and dates alone', async () => {
    const talk = new Talk();
    const text =
      'Create a.txt saying "A" by Friday 17:00, then after 2 days create b.txt saying "B"';
    await talk.all(text);
    const draft = proposalOf(await talk.all(change('use c.txt instead of b.txt')));
    expect(draft.steps.map(({ args }) => args?.path)).toEqual(['a.txt', 'c.txt']);
    expect(draft.steps[1]?.after).toEqual([{ id: '1', type: 'FS', lag_minutes: 2880 }]);
    expect(talk.session.outline?.nodes[1]?.deadline).toBe('2026-03-06T16:00:00.000Z');
  });

  it('move what comes again to another day, at the same hour', async () => {
    const talk = new Talk();
    await talk.all('Every Monday at 8:00 write "weekly" to reports/weekly.md');
    const draft = proposalOf(await talk.all(change('every Tuesday')));
    expect(draft.series?.[0]?.rrule).toBe('FREQ=WEEKLY;BYDAY=TU;BYHOUR=8;BYMINUTE=0;BYSECOND=0');
    const other = proposalOf(await talk.all(change('every 2 weeks on Friday')));
    // The next Friday, as in a new command.
    expect(other.series?.[0]?.starts_at).toBe('2026-03-06T07:00:00.000Z');
  });

  it('set another end of what comes again', async () => {
    const talk = new Talk();
    await talk.all('Every Monday at 8:00 for 5 times write "weekly" to reports/weekly.md');
    const ends = [];
    for (const words of ['until 1 June', 'until 1 May', 'every Tuesday']) {
      const [series] = proposalOf(await talk.all(change(words))).series ?? [];
      ends.push([series?.rrule.slice(0, 22), series?.until]);
      expect(series?.rrule).not.toContain('COUNT');
    }
    expect(ends).toEqual([
      ['FREQ=WEEKLY;BYDAY=MO;B', '2026-06-01T22:00:00.000Z'],
      ['FREQ=WEEKLY;BYDAY=MO;B', '2026-05-01T22:00:00.000Z'],
      ['FREQ=WEEKLY;BYDAY=TU;B', '2026-05-01T22:00:00.000Z'],
    ]);
    const reminder = new Talk();
    await reminder.all('remind me every Monday at 8:00 until 1 June: stretch');
    const [step] = proposalOf(await reminder.all(change('until 8 May'))).steps;
    expect(step?.args?.rrule).toBe(
      'FREQ=WEEKLY;BYDAY=MO;BYHOUR=8;BYMINUTE=0;BYSECOND=0;UNTIL=20260508T215959Z',
    );
  });

  it('about dates move the step and nothing else', async () => {
    const talk = new Talk();
    await talk.all(phases);
    const draft = proposalOf(await talk.all(change('step 1a on Friday at 10:00')));
    expect(Date.parse(draft.steps[0]?.not_before ?? '')).toBe(Date.parse('2026-03-06T09:00:00Z'));
  });

  it('go on over several rounds', async () => {
    const talk = new Talk();
    await talk.all('Create a.txt saying "A" and create b.txt saying "B"');
    await talk.all(change('use c.txt instead of b.txt'));
    const draft = proposalOf(await talk.all(change('step 1a after step 1b')));
    expect(draft.steps.map(({ args }) => args?.path)).toEqual(['a.txt', 'c.txt']);
    expect(draft.steps[0]?.after).toEqual(['2']);
  });
});
