import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import type { Pause } from '#domain/planning/state.ts';
import { type RouteChange, routeChange } from '#planner/tools/route-change.ts';
import { makeDesk, now } from './tool-context.ts';

type Stage = z.infer<typeof RouteChange>['stage'];

const approval = { digest: 'd', by: 'ana', at: now.toISOString() };
const plan: Pause = { kind: 'plan', resume: 'SEEK_APPROVAL', gate: null, digest: null };

function route(stage: Stage, state: object = {}) {
  const asked = {
    stage: 'SEEK_APPROVAL' as const,
    pause: plan,
    change: { feedback: 'Earlier please', gate: null },
    approvals: { outline: approval, roadmap: approval, schedule: approval },
  };
  return routeChange({ stage, reason: 'as said' }, makeDesk({ state: { ...asked, ...state } }));
}

describe('route_change', () => {
  it.each<[Stage, string]>([
    ['outline', 'change_outline'],
    ['roadmap', 'change_roadmap'],
    ['schedule', 'change_schedule'],
  ])('sends feedback about %s back with %s; approvals bind digests and stay', (stage, event) => {
    const { ends, changes } = route(stage);
    expect(ends).toBe(event);
    expect(changes).not.toHaveProperty('approvals');
    const gate = event.replace('change_', '');
    expect(changes).toMatchObject({ pause: null, change: { feedback: 'Earlier please', gate } });
  });

  it('never sends a change to a stage that has not been reached', () => {
    const { ends } = route('schedule', { pause: { ...plan, kind: 'gate', gate: 'outline' } });
    expect(ends).toBe('change_outline');
  });

  it('fails where nobody asked for a change', () => {
    expect(route('outline', { change: null }).result.ok).toBe(false);
  });
});
