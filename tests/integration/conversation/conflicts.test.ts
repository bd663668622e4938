// Schedule conflicts are stored and shown with their plan.
import { expect, test } from 'vitest';
import type { Planner } from '#domain/planning/run.ts';
import { PlanningState } from '#domain/planning/state.ts';
import { outlineOfDraft } from '#planner/outline/outline-of-draft.ts';
import { settled } from '../../fixtures/model-instance.ts';
import { draftStep } from '../../fixtures/steps.ts';
import { ana } from '../../setup/instance.ts';
import { useInstance } from '../../setup/use-instance.ts';

const draft = {
  title: 'Look around',
  steps: [draftStep('1', 'Look', 'workspace_list', {})],
};

const planner: Planner = {
  name: 'busy planner',
  async plan(request) {
    const conflicts = [1, 2, 3, 4].map((number) => ({
      node: '1',
      with: `“Meeting ${number}”`,
      source: 'calendar' as const,
      starts_at: `2099-05-0${number}T10:00:00Z`,
      ends_at: `2099-05-0${number}T11:00:00Z`,
      shift_to: `2099-05-0${number}T11:00:00Z`,
    }));
    const session = PlanningState.parse({
      thread_id: 'user_ana:new',
      run_id: request.runId,
      turn: request.turn,
      stage: 'NEEDS_CLARIFICATION',
      now: request.now.toISOString(),
      timezone: 'UTC',
      outline: outlineOfDraft(draft, null),
      portfolio: { conflicts, utilisation: 0.5, looked_at: [], unread: [] },
      pause: { kind: 'plan', resume: 'SEEK_APPROVAL', gate: null, digest: null },
    });
    return {
      result: { kind: 'proposal', draft },
      reason: 'asked for',
      planner: 'busy planner',
      confidence: null,
      cost_usd: 0,
      trace: [],
      session,
    };
  },
};

const instance = useInstance({ planner });

test('a plan that meets other things says so before its call to action, and keeps it', async () => {
  const { run_id } = await instance.service.startRun({ text: 'Look', conversation: 'busy' }, ana);
  const run = await settled(instance, run_id);
  const lines = run.response_text.split('\n');
  expect(lines.slice(1, -1)).toEqual([
    ...[1, 2, 3].map((number) => expect.stringContaining(`overlaps “Meeting ${number}” on`)),
    'And 1 more.',
  ]);
  expect(lines.at(-1)).toMatch(/“approve”/);
  const { notes } = await instance.service.planning(String(run.plan_id));
  expect(notes.map(({ text }) => text)).toHaveLength(4);
  expect(notes[3]?.text).toMatch(/“Meeting 4” on .*There is room on .* 11:00\./);
});
