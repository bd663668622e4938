// Every stage has a way out, and none leads past a person.
import { describe, expect, it } from 'vitest';
import { Stage, StageEvent } from '#domain/planning/stages.ts';
import { isResting, nextStage, sessionLifecycle } from '#planner/stages/table.ts';

const ways = Stage.options.flatMap((from) =>
  StageEvent.options.flatMap((event) => {
    const to = sessionLifecycle[from][event];
    return to === undefined ? [] : [{ from, event, to }];
  }),
);

describe('the session table', () => {
  it('reaches every stage from the first one', () => {
    const reached = new Set<Stage>(['COLLECT_CONTEXT']);
    for (const stage of reached)
      for (const { from, to } of ways) if (from === stage) reached.add(to);
    expect([...reached].sort()).toEqual([...Stage.options].sort());
  });

  it('leads from every stage to where a session can rest', () => {
    for (const start of Stage.options) {
      const reached = new Set<Stage>([start]);
      for (const stage of reached)
        for (const { from, to } of ways) if (from === stage) reached.add(to);
      expect([...reached].some(isResting), start).toBe(true);
    }
  });

  it('completes only from a stage that asked a person, or that had nothing to plan', () => {
    expect(ways.filter(({ to }) => to === 'COMPLETE')).toEqual([
      { from: 'COLLECT_CONTEXT', event: 'answered', to: 'COMPLETE' },
      { from: 'DRAFT_OUTLINE', event: 'answered', to: 'COMPLETE' },
      { from: 'SEEK_APPROVAL', event: 'approved', to: 'COMPLETE' },
    ]);
  });

  it('never skips a validator on the way forward', () => {
    const onTheWay = ways.filter(
      ({ from, event }) =>
        ['drafted', 'valid', 'sufficient_context'].includes(event) && !isResting(from),
    );
    expect(onTheWay.map(({ from, to }) => `${from} → ${to}`)).toEqual([
      'COLLECT_CONTEXT → DRAFT_OUTLINE',
      'DRAFT_OUTLINE → VALIDATE_OUTLINE',
      'VALIDATE_OUTLINE → DRAFT_ROADMAP',
      'DRAFT_ROADMAP → VALIDATE_ROADMAP',
      'VALIDATE_ROADMAP → DRAFT_SCHEDULE',
      'DRAFT_SCHEDULE → VALIDATE_SCHEDULE',
      'VALIDATE_SCHEDULE → SEEK_APPROVAL',
    ]);
  });

  it('knows an end for every cap, in every stage that works', () => {
    for (const stage of Stage.options.filter((one) => !isResting(one))) {
      expect(nextStage(stage, 'cap_reached')).toBe('ABORTED');
      expect(nextStage(stage, 'fatal_error')).toBe('ABORTED');
      expect(nextStage(stage, 'needs_clarification')).toBe('NEEDS_CLARIFICATION');
    }
  });

  it('goes on from each place of rest when somebody speaks', () => {
    for (const stage of Stage.options.filter(isResting))
      expect(nextStage(stage, 'new_request')).toBe('COLLECT_CONTEXT');
  });

  it('refuses what it does not know, with the stage and the event in the words', () => {
    expect(() => nextStage('DRAFT_SCHEDULE', 'approved')).toThrow(
      'A planning session in DRAFT_SCHEDULE knows no “approved”.',
    );
  });
});
