import { describe, expect, it } from 'vitest';
import type { Gate } from '#domain/planning/stages.ts';
import type { Pause } from '#domain/planning/state.ts';
import { routeChange } from '#planner/tools/route-change.ts';
import { makeDesk, now } from './tool-context.ts';

const approval = { digest: 'd', by: 'ana', at: now.toISOString() };
const plan: Pause = { kind: 'plan', resume: 'SEEK_APPROVAL', gate: null, digest: null };

function route(stage: Gate, state: object = {}) {
  const asked = {
    stage: 'SEEK_APPROVAL' as const,
    pause: plan,
    change: { feedback: 'Earlier please', gate: null },
    approvals: { outline: approval, roadmap: approval, schedule: approval },
  };
  const toolContext = makeDesk({ state: { ...asked, ...state } });
  return routeChange.execute({ stage, reason: 'as said' }, toolContext);
}

describe('route_change', () => {
  it.each<[Gate, string]>([
    ['outline', 'change_outline'],
    ['roadmap', 'change_roadmap'],
    ['schedule', 'change_schedule'],
  ])(
    'sends feedback about %s back with %s; approvals bind digests and stay',
    async (stage, event) => {
      const { ends, changes } = await route(stage);
      expect(ends).toBe(event);
      expect(changes).not.toHaveProperty('approvals');
      const gate = event.replace('change_', '');
      expect(changes).toMatchObject({ pause: null, change: { feedback: 'Earlier please', gate } });
    },
  );

  it('never sends a change to a stage that has not been reached', async () => {
    const { ends } = await route('schedule', { pause: { ...plan, kind: 'gate', gate: 'outline' } });
    expect(ends).toBe('change_outline');
  });

  it('fails where nobody asked for a change', async () => {
    expect((await route('outline', { change: null })).result.ok).toBe(false);
  });
});
