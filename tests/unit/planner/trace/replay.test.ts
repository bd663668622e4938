import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Stage, StageEvent } from '#domain/planning/stages.ts';
import type { TraceEntry } from '#domain/planning/trace.ts';
import { nextStage, sessionLifecycle } from '#planner/controller/table.ts';
import { replayTrace } from '#planner/trace/replay.ts';
import { makeEntry } from '../../../fixtures/traces.ts';

const entry = (more: Partial<TraceEntry> = {}) => makeEntry({ tool: 'controller', ...more });

const move = (stage: Stage, event: StageEvent, more: Partial<TraceEntry> = {}) =>
  entry({ stage, event, to: nextStage(stage, event), ...more });

const whole = [
  move('COLLECT_CONTEXT', 'sufficient_context'),
  entry({ stage: 'DRAFT_OUTLINE', tool: 'generate_nodes' }),
  move('DRAFT_OUTLINE', 'drafted'),
  move('VALIDATE_OUTLINE', 'valid'),
  move('DRAFT_ROADMAP', 'drafted'),
  move('VALIDATE_ROADMAP', 'valid'),
  move('DRAFT_SCHEDULE', 'drafted'),
  move('VALIDATE_SCHEDULE', 'valid'),
  move('SEEK_APPROVAL', 'no_response'),
  move('NEEDS_CLARIFICATION', 'decide', { turn: 2 }),
  move('SEEK_APPROVAL', 'approved', { turn: 2 }),
];

describe('a trace told again', () => {
  it('leads through the stages as the session went', () => {
    const { path, stage, problem } = replayTrace(whole);
    expect(problem).toBeNull();
    expect(stage).toBe('COMPLETE');
    expect(path.map(({ to }) => to)).toEqual([
      'DRAFT_OUTLINE',
      'VALIDATE_OUTLINE',
      'DRAFT_ROADMAP',
      'VALIDATE_ROADMAP',
      'DRAFT_SCHEDULE',
      'VALIDATE_SCHEDULE',
      'SEEK_APPROVAL',
      'NEEDS_CLARIFICATION',
      'SEEK_APPROVAL',
      'COMPLETE',
    ]);
    expect(path.map(({ turn }) => turn)).toEqual([1, 1, 1, 1, 1, 1, 1, 1, 2, 2]);
  });

  it('is empty, and no problem, where no stages were gone through', () => {
    expect(replayTrace([])).toEqual({ path: [], stage: null, problem: null });
    expect(replayTrace([entry({ stage: 'plan', tool: 'gpt-4.1' })])).toEqual({
      path: [],
      stage: null,
      problem: null,
    });
  });

  it.each([
    [
      'a stage that there is not',
      entry({ stage: 'DREAM', event: 'drafted', to: 'COMPLETE' }),
      'DREAM is no stage',
    ],
    [
      'an event that its stage does not know',
      entry({ event: 'approved', to: 'COMPLETE' }),
      'COLLECT_CONTEXT knows no “approved”',
    ],
    [
      'another end than the table has',
      entry({ event: 'answered', to: 'DRAFT_OUTLINE' }),
      'leads from COLLECT_CONTEXT to COMPLETE, not to DRAFT_OUTLINE',
    ],
    ['no end', entry({ event: 'answered' }), 'not to nowhere'],
    [
      'a stage where the session did not stand',
      move('DRAFT_ROADMAP', 'drafted'),
      'the session stood at COLLECT_CONTEXT',
    ],
  ])('is refused for %s, with the entry and a sentence', (_, wrong, sentence) => {
    const { path, problem } = replayTrace([wrong]);
    expect(path).toEqual([]);
    expect(problem).toContain(`Entry 1: `);
    expect(problem).toContain(sentence);
  });

  it('is told up to the entry that does not fit', () => {
    const { path, stage, problem } = replayTrace([...whole.slice(0, 3), ...whole.slice(4)]);
    expect(path).toHaveLength(2);
    expect(stage).toBe('VALIDATE_OUTLINE');
    expect(problem).toMatch(/^Entry 4: .*VALIDATE_OUTLINE/);
  });

  it('may begin anew with a turn, and only there', () => {
    const lost = move('DRAFT_OUTLINE', 'drafted');
    const before = [whole[0] ?? entry(), lost];
    const anew = move('COLLECT_CONTEXT', 'answered', { turn: 2 });
    expect(replayTrace([...before, anew]).problem).toBeNull();
    expect(replayTrace([...before, { ...anew, turn: 1 }]).problem).toContain(
      'stood at VALIDATE_OUTLINE',
    );
  });

  it('is what the table made of any walk through it, and refused when one step is left out that changed the stage', () => {
    const walk = fc.array(fc.nat(), { minLength: 2, maxLength: 40 }).map((choices) => {
      const moves: TraceEntry[] = [];
      let at: Stage = 'COLLECT_CONTEXT';
      for (const choice of choices) {
        const known = StageEvent.options.filter(
          (event) => sessionLifecycle[at][event] !== undefined,
        );
        const event = known[choice % known.length];
        if (event === undefined) break;
        moves.push(move(at, event));
        at = nextStage(at, event);
      }
      return moves;
    });
    fc.assert(
      fc.property(walk, fc.nat(), (moves, pick) => {
        expect(replayTrace(moves)).toMatchObject({ problem: null, stage: moves.at(-1)?.to });
        const gap = pick % (moves.length - 1);
        const gone = moves[gap];
        const next = moves[gap + 1];
        fc.pre(gone !== undefined && gone.stage !== next?.stage);
        expect(replayTrace(moves.toSpliced(gap, 1)).problem).not.toBeNull();
      }),
    );
  });
});
