import { describe, expect, it } from 'vitest';
import { defaultPolicy } from '#domain/people/policy.ts';
import { askedQuestion } from '#domain/planning/asked-question.ts';
import type { PlanningOutcome, PlanningRequest } from '#domain/planning/run.ts';
import { keepInMemory } from '../../../fixtures/memory-planner.ts';
import { request } from '../requests.ts';
import { type Acts, calling, notes, proposing, script, takesMilestones } from './scripted.ts';

const signal = () => new AbortController().signal;

function next(before: PlanningRequest, more: Partial<PlanningRequest>): PlanningRequest {
  return { ...before, turn: before.turn + 1, decision: { kind: 'said' }, ...more };
}

const changes = (feedback: string) => ({ kind: 'changes' as const, by: 'ana', feedback });

function draftOf({ result }: PlanningOutcome) {
  if (result.kind !== 'proposal') throw new Error(`no proposal but ${JSON.stringify(result)}`);
  return result.draft;
}

function digestOf({ result }: PlanningOutcome): string {
  if (result.kind !== 'gate') throw new Error(`no gate but ${JSON.stringify(result)}`);
  return result.digest;
}

describe('a plan that was sent back', () => {
  const acts: Acts = {
    COLLECT_CONTEXT: proposing(notes('a.txt')),
    DRAFT_OUTLINE: (task, time) =>
      proposing(notes(time === 1 ? 'b.txt' : `again-${time}.txt`))(task, time),
  };
  const milestones = { ...defaultPolicy, approval_policy: 'milestone_approvals' as const };

  /** Refused with feedback, redrafted up to its outline, which waits. */
  async function sendBack(feedback = ['call it b.txt']) {
    const scripted = script(acts);
    const first = request('Write a note');
    const previous = draftOf(await scripted.planner.plan(first, signal()));
    const revision = { previous, feedback };
    const second = next(first, {
      text: feedback.at(-1) ?? '',
      revision,
      policy: milestones,
      decision: changes(feedback.at(-1) ?? ''),
    });
    return { ...scripted, second, outcome: await scripted.planner.plan(second, signal()) };
  }

  it('goes on from a gate that is approved, and the feedback is not applied a second time', async () => {
    const { planner, second, outcome, asked } = await sendBack();
    const approve = (digest: string) => ({ kind: 'approve' as const, by: 'ana', digest });
    const third = next(second, { decision: approve(digestOf(outcome)) });
    const roadmap = await planner.plan(third, signal());
    expect(roadmap.result).toMatchObject({ kind: 'gate', gate: 'roadmap' });
    const fourth = next(third, { decision: approve(digestOf(roadmap)) });
    const proposed = await planner.plan(fourth, signal());
    expect(draftOf(proposed).steps).toMatchObject([{ args: { path: 'b.txt' } }]);
    expect(proposed.session?.approvals).toMatchObject({ outline: { by: 'ana' } });
    expect(asked).toEqual(['COLLECT_CONTEXT', 'SEEK_APPROVAL', 'DRAFT_OUTLINE']);
  });

  it('takes nothing into the next version that an earlier turn edited and never submitted', async () => {
    const when = [{ step: '1', path: '/created', is: 'equals' as const, value: true }];
    const {
      steps: [one],
    } = notes('a.txt');
    const { planner } = script({
      COLLECT_CONTEXT: proposing({
        ...notes('a.txt'),
        steps: [{ ...one }, { ...one, id: '2', args: '{"path":"b.txt","content":"b"}', when }],
      }),
      DRAFT_OUTLINE: async (task, time) => {
        const { stageTools, signal: stop } = task;
        if (time === 1) {
          await stageTools.call('edit_steps', { steps: [{ id: '2', when: null }] }, stop);
          return (await stageTools.call('answer', { text: 'Hm.' }, stop)).ends ?? 'fatal_error';
        }
        await stageTools.call('edit_steps', { steps: [{ id: '1', description: 'Note it' }] }, stop);
        return calling('submit_plan', { confidence: 0.9 })(task, time);
      },
    });
    const first = request('Write notes');
    const previous = draftOf(await planner.plan(first, signal()));
    expect(previous.steps[1]?.when).toEqual(when);
    const turn = (before: PlanningRequest, feedback: string[]) =>
      next(before, {
        text: feedback.at(-1) ?? '',
        revision: { previous, feedback },
        decision: changes(feedback.at(-1) ?? ''),
      });
    const second = turn(first, ['hm']);
    expect((await planner.plan(second, signal())).result.kind).toBe('answer');
    const third = draftOf(await planner.plan(turn(second, ['hm', 'call it noting']), signal()));
    expect(third.steps.map(({ description }) => description)).toEqual(['Note it', 'Write a.txt']);
    expect(third.steps[1]?.when).toEqual(when);
  });

  it('ends at a gate that is rejected', async () => {
    const { planner, second } = await sendBack();
    const third = next(second, { decision: { kind: 'reject', by: 'ana' } });
    const ended = await planner.plan(third, signal());
    expect(ended.result.kind).toBe('aborted');
    expect(ended.session?.stage).toBe('ABORTED');
  });

  it.each([
    {
      name: 'is changed by what is said at its gate, and not by what sent it back',
      said: ['call it c.txt'],
      seen: ['call it c.txt', '1.txt'],
    },
    {
      name: 'is taken up afresh when it is sent back again, wherever the session stands',
      said: ['call it b.txt', 'no, c.txt'],
      seen: ['no, c.txt', 'a.txt'],
    },
  ])('$name', async ({ said, seen }) => {
    const drafted: unknown[] = [];
    const { planner } = script({
      ...acts,
      DRAFT_OUTLINE: (task, time) => {
        drafted.push([task.state.change?.feedback, task.current?.steps[0]?.args?.path]);
        return proposing(notes(`${time}.txt`))(task, time);
      },
    });
    const first = request('Write a note');
    const previous = draftOf(await planner.plan(first, signal()));
    const sentBack = (before: PlanningRequest, feedback: string[]) =>
      next(before, {
        revision: { previous, feedback },
        policy: milestones,
        decision: changes(feedback.at(-1) ?? ''),
      });
    const second = sentBack(first, ['call it b.txt']);
    await planner.plan(second, signal());
    const third =
      said.length > 1 ? sentBack(second, said) : next(second, { decision: changes(said[0] ?? '') });
    const outcome = await planner.plan(third, signal());
    expect(drafted).toEqual([['call it b.txt', 'a.txt'], seen]);
    expect(outcome.result).toMatchObject({ kind: 'gate', gate: 'outline' });
  });

  it('takes the answer to a question about it for an answer', async () => {
    const which = { question: 'Which?', why: null, default: null, essential: true };
    const scripted = script({
      ...acts,
      DRAFT_OUTLINE: (task, time) =>
        time === 1
          ? calling('elicit_context', { questions: [which] })(task, time)
          : proposing(notes('b.txt'))(task, time),
    });
    const first = request('Write a note');
    const previous = draftOf(await scripted.planner.plan(first, signal()));
    const revision = { previous, feedback: ['another name'] };
    const second = next(first, { revision, decision: changes('another name') });
    const asked = await scripted.planner.plan(second, signal());
    expect(asked.result.kind).toBe('question');
    const third = next(second, { text: 'b.txt', decision: { kind: 'said' } });
    const proposed = await scripted.planner.plan(third, signal());
    expect(draftOf(proposed).steps).toMatchObject([{ args: { path: 'b.txt' } }]);
    expect(proposed.trace[0]).toMatchObject({ event: 'resume_outline' });
  });
});

describe('a question', () => {
  it('about a draft is drafted in, and what was there before it is not proposed', async () => {
    const which = { question: 'Which?', why: null, default: null, essential: true };
    const { planner, asked } = script({
      COLLECT_CONTEXT: takesMilestones,
      DRAFT_OUTLINE: async (task, time) => {
        if (time > 1) return proposing(notes('answered.txt'))(task, time);
        await proposing(notes('a.txt'))(task, time);
        return calling('elicit_context', { questions: [which] })(task, time);
      },
    });
    const first = request('Write a note');
    expect((await planner.plan(first, signal())).result.kind).toBe('question');
    const proposed = await planner.plan(next(first, { text: 'the other one' }), signal());
    expect(asked.filter((stage) => stage === 'DRAFT_OUTLINE')).toHaveLength(2);
    expect(draftOf(proposed).steps).toMatchObject([{ args: { path: 'answered.txt' } }]);
  });

  it.each(['elicit_context', 'budget'])(
    'that is refused (%s) ends the session in a sentence',
    async (what) => {
      const question = {
        question: 'Which file?',
        why: null,
        default: null,
        essential: true,
      };
      const { planner, asked } = script({
        COLLECT_CONTEXT: async (task, time) => {
          if (what === 'elicit_context')
            return calling('elicit_context', { questions: [question] })(task, time);
          task.stageTools.ask(
            { kind: 'question', text: 'More?', questions: [askedQuestion('More?')] },
            { kind: 'budget', resume: 'COLLECT_CONTEXT', gate: null, digest: null },
            'costs more',
          );
          return 'needs_clarification';
        },
      });
      const first = request('Write a note');
      expect((await planner.plan(first, signal())).result.kind).toBe('question');
      const ended = await planner.plan(
        next(first, { decision: { kind: 'reject', by: 'ana' } }),
        signal(),
      );
      expect(ended.session?.stage).toBe('ABORTED');
      expect(ended.result).toMatchObject({
        kind: 'aborted',
        text: expect.stringMatching(/stopped/),
      });
      expect(ended.reason).toContain('ana');
      expect(asked).toEqual(['COLLECT_CONTEXT']);
    },
  );
});

describe('a planner of a turn that people have left', () => {
  it('does not touch the session of the turn that came after', async () => {
    const checkpoints = keepInMemory();
    const straight: Acts = { COLLECT_CONTEXT: proposing(notes('a.txt')) };
    const first = request('Write a note');
    const second = next(first, { text: 'Write another note' });
    await script(straight, { checkpoints }).planner.plan(second, signal());
    const before = await checkpoints.read(first.runId);
    const late = await script(straight, { checkpoints }).planner.plan(first, signal());
    expect(late.result.kind).toBe('superseded');
    expect(await checkpoints.read(first.runId)).toEqual(before);
  });
});
