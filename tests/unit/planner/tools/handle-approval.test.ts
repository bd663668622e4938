import { describe, expect, it } from 'vitest';
import { nextStage } from '#planner/stages/table.ts';
import type { ToolContext } from '#planner/tool.ts';
import { digestGate, handleApproval, isGateDue } from '#planner/tools/handle-approval.ts';
import { follow, makeDesk, makeOutline, makeRoadmap, makeSchedule, now } from './tool-context.ts';

const ask = (toolContext: ToolContext) => handleApproval.execute({ decision: null }, toolContext);
const approve = (
  toolContext: ToolContext,
  digest: string | null = toolContext.state.pause?.digest ?? null,
) => handleApproval.execute({ decision: { kind: 'approve', by: 'ana', digest } }, toolContext);
const requestChanges = (toolContext: ToolContext, feedback: string) =>
  handleApproval.execute({ decision: { kind: 'changes', by: 'ana', feedback } }, toolContext);

const milestones = { approval_policy: 'milestone_approvals' } as const;
const outlined = { outline: makeOutline(), produced: ['pattern', 'outline', 'valid_outline'] };
const ordered = {
  ...outlined,
  roadmap: makeRoadmap(),
  produced: [...outlined.produced, 'dependencies', 'roadmap', 'valid_roadmap'],
};
const timed = { ...ordered, schedule: makeSchedule(), produced: [...ordered.produced, 'schedule'] };
const makeBlock = (node: string) => ({
  ...{ node, starts_at: now.toISOString(), ends_at: now.toISOString() },
  ...{ fixed: false, person: 'ana', holds: true },
});
const at = (state: object, policy = {}) =>
  makeDesk({ state: { stage: 'SEEK_APPROVAL', ...state }, policy });

describe('handle_approval', () => {
  it('asks for the plan and nothing else with single_final', async () => {
    const outcome = await ask(at(timed));
    expect(outcome).toMatchObject({
      ends: 'no_response',
      changes: { result: { kind: 'proposal' }, pause: { kind: 'plan', gate: null } },
    });
  });

  it.each(['milestone_approvals', 'strict_every_step'] as const)(
    'asks for outline, roadmap and plan one by one with %s',
    async (approval_policy) => {
      let toolContext = at(outlined, { approval_policy });
      const shown: string[] = [];
      for (const [next, event] of [
        [ordered, 'outline_approved'],
        [timed, 'roadmap_approved'],
        [timed, 'approved'],
      ] as const) {
        const asked = await ask(toolContext);
        expect(asked.ends).toBe('no_response');
        shown.push(asked.changes?.result?.kind === 'gate' ? asked.changes.result.gate : 'plan');
        toolContext = follow(toolContext, asked.changes);
        const decided = await approve(toolContext);
        expect(decided.ends).toBe(event);
        expect(nextStage('SEEK_APPROVAL', event)).toMatch(/DRAFT_|COMPLETE/);
        toolContext = follow(toolContext, decided.changes);
        toolContext = { ...toolContext, state: { ...toolContext.state, ...next } };
      }
      expect(shown).toEqual(['outline', 'roadmap', 'plan']);
      expect(toolContext.state.approvals.outline).toEqual({
        digest: digestGate('outline', toolContext.state),
        by: 'ana',
        at: now.toISOString(),
      });
    },
  );

  it('asks for the dates on their own, with how full people’s time is, before the plan', async () => {
    const schedule = { ...makeSchedule(), blocks: [makeBlock('1'), makeBlock('2')] };
    const digest = (gate: 'outline' | 'roadmap') => ({
      ...{ digest: digestGate(gate, makeDesk({ state: timed }).state) ?? '', by: 'ana' },
      at: now.toISOString(),
    });
    const approvals = { outline: digest('outline'), roadmap: digest('roadmap') };
    const portfolio = { conflicts: [], utilisation: 0.85, looked_at: [], unread: [] };
    let toolContext = at({ ...timed, schedule, approvals, portfolio }, milestones);
    const asked = await ask(toolContext);
    const result = asked.changes?.result;
    expect(result).toMatchObject({ kind: 'gate', gate: 'schedule' });
    expect(result?.kind === 'gate' ? result.text : '').toContain('85% booked');
    toolContext = follow(toolContext, asked.changes);
    const moved = { ...toolContext.state, schedule: { ...schedule, blocks: [makeBlock('1')] } };
    expect((await approve({ ...toolContext, state: moved })).ends).toBe('no_response');
    const decided = await approve(toolContext);
    expect(decided.ends).toBe('schedule_approved');
    const after = await ask(follow(toolContext, decided.changes));
    expect(after.changes?.pause).toMatchObject({ kind: 'plan', gate: null });
    expect((await ask(at({ ...timed, schedule }))).changes?.pause?.kind).toBe('plan');
  });

  it('says what is asked', async () => {
    const outcome = await ask(at(outlined, milestones));
    const text = outcome.changes?.result?.kind === 'gate' ? outcome.changes.result.text : '';
    expect(text.split('\n')[0]).toBe('The outline of “Launch” is ready: 1 phase and 2 tasks.');
  });

  it.each([
    {},
    { decision: null },
    { decision: 'approve' },
    { decision: { kind: 'approve', by: 'ana', digest: null } },
  ])('refuses a model that sends %j', (args) => {
    expect(handleApproval.prepare(args)).toHaveProperty('problems');
  });

  function gatePause(digest = digestGate('outline', makeDesk({ state: outlined }).state)) {
    return { kind: 'gate', resume: 'SEEK_APPROVAL', gate: 'outline', digest } as const;
  }

  it.each([
    [
      'a digest of something else',
      () => approve(at({ ...outlined, pause: gatePause() }, milestones), 'x'),
    ],
    [
      'an outline that has changed since',
      () =>
        approve(at({ ...outlined, outline: makeOutline('Other'), pause: gatePause() }, milestones)),
    ],
    [
      'a gate without a digest',
      () => approve(at({ ...outlined, pause: gatePause(null) }, milestones)),
    ],
  ])('shows the gate again instead of approving %s', async (_, press) => {
    const outcome = await press();
    expect(outcome.ends).toBe('no_response');
    expect(outcome.changes).not.toHaveProperty('approvals');
    expect(outcome.changes?.pause?.kind).toBe('gate');
  });

  it('takes the word “approve” for what is shown', async () => {
    const outcome = await approve(at({ ...outlined, pause: gatePause() }, milestones), null);
    expect(outcome.ends).toBe('outline_approved');
  });

  it('keeps an approval of the outline while later stages settle order and times', () => {
    const approvals = {
      outline: { digest: gatePause().digest ?? '', by: 'ana', at: now.toISOString() },
    };
    const outline = makeOutline();
    const toolContext = at({ ...outlined, approvals }, milestones);
    expect(isGateDue('outline', toolContext.state, toolContext.policy)).toBe(false);
    const settled = {
      ...outline,
      nodes: outline.nodes.map((node) => ({
        ...node,
        after: [{ id: '1', type: 'FS' as const, lag_minutes: 0 }],
        duration_minutes: 30,
      })),
    };
    expect(
      isGateDue('outline', { ...toolContext.state, outline: settled }, toolContext.policy),
    ).toBe(false);
    const renamed = { ...outline, nodes: outline.nodes.map((node) => ({ ...node, title: 'X' })) };
    expect(
      isGateDue('outline', { ...toolContext.state, outline: renamed }, toolContext.policy),
    ).toBe(true);
  });

  it('ends the session when the person rejects', async () => {
    const toolContext = at({ ...outlined, pause: gatePause() }, milestones);
    const outcome = await handleApproval.execute(
      { decision: { kind: 'reject', by: 'ana' } },
      toolContext,
    );
    expect(outcome).toMatchObject({
      ends: 'rejected',
      changes: { pause: null, result: { kind: 'aborted', reason: 'ana rejected the outline' } },
    });
  });

  it('leaves it to route_change what a wish for changes concerns', async () => {
    const pause = { kind: 'plan', resume: 'SEEK_APPROVAL', gate: null, digest: null };
    const outcome = await requestChanges(at({ ...timed, pause }, milestones), 'start on Monday');
    expect(outcome.result).toMatchObject({ ok: false });
    expect(outcome.ends).toBeUndefined();
  });

  describe('about a proposed pattern', () => {
    const rfc = { text: 'Why', proposes: 'proposed:daily', status: 'open', by: null } as const;
    const pattern = {
      pattern_type: 'recurring_cycle',
      subtype: 'proposed:daily',
      rfc: 'Why',
      introduced_by: 'ai_adaptation',
    } as const;
    const pause = { kind: 'rfc', resume: 'DRAFT_OUTLINE', gate: null, digest: null } as const;
    const toolContext = at({ rfc, pattern, pause });

    it('goes on with it when a person approves', async () => {
      const outcome = await approve(toolContext, null);
      expect(outcome).toMatchObject({
        ends: 'change_outline',
        changes: {
          pause: null,
          rfc: { status: 'approved', by: 'ana' },
          pattern: { subtype: 'daily', rfc: 'Why' },
        },
      });
      expect(nextStage('SEEK_APPROVAL', 'change_outline')).toBe('DRAFT_OUTLINE');
    });

    it('goes on without it when a person refuses', async () => {
      const outcome = await handleApproval.execute(
        { decision: { kind: 'reject', by: 'ana' } },
        toolContext,
      );
      expect(outcome.changes?.rfc).toMatchObject({ status: 'rejected' });
      expect(outcome.changes?.pattern).toEqual({
        pattern_type: 'recurring_cycle',
        introduced_by: 'ai_adaptation',
      });
      expect(outcome.changes?.hints?.[0]).toContain('proposed:daily was refused');
    });

    it('takes what the person says about it into the next try', async () => {
      const outcome = await requestChanges(toolContext, 'call it morning routine');
      expect(outcome.changes?.rfc).toMatchObject({ status: 'rejected', by: 'ana' });
      expect(outcome.changes?.hints?.[0]).toContain('call it morning routine');
      expect(nextStage('SEEK_APPROVAL', 'resume_context')).toBe('COLLECT_CONTEXT');
      expect(outcome.ends).toBe('resume_context');
    });
  });

  it.each(['questions', 'budget', 'escalation'] as const)(
    'has nothing to approve of a session that waits for %s',
    async (kind) => {
      const pause = { kind, resume: 'DRAFT_OUTLINE', gate: null, digest: null } as const;
      const outcome = await approve(at({ pause }), null);
      expect(outcome.result.ok).toBe(false);
      expect(outcome.ends).toBeUndefined();
    },
  );
});
