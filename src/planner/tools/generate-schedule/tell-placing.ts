// What came of placing the work, as generate_schedule answers it: a schedule, a reason, or a question with what would help.
import type { Infeasibility } from '#contracts/planning/schedule.ts';
import type { InteractionPolicy } from '#contracts/policy.ts';
import { countOf } from '#contracts/words.ts';
import { fail, succeed } from '../../agent/agent-tool.ts';
import { callToAction } from '../../policy/calls-to-action.ts';
import type { ChangedOutline } from '../../schedule/date-change.ts';
import type { Placing } from '../../schedule/place-work.ts';
import type { ToolOutcome } from '../planning-tool.ts';

export function tellPlacing(
  placing: Placing,
  changed: ChangedOutline,
  policy: InteractionPolicy,
): ToolOutcome {
  switch (placing.kind) {
    case 'placed':
      return tellPlaced(placing, changed);
    case 'late':
      return escalate(placing.infeasible, changed, policy);
    case 'impossible':
      return { result: fail(placing.why) };
    default:
      return placing satisfies never;
  }
}

function tellPlaced(
  { schedule, unread }: Extract<Placing, { kind: 'placed' }>,
  { outline, adaptations }: ChangedOutline,
): ToolOutcome {
  const { blocks, starts_at, ends_at } = schedule;
  const held = blocks.filter(({ holds }) => holds).length;
  return {
    result: succeed(
      { blocks: blocks.length, held, starts_at, ends_at },
      blocks.length === 0
        ? 'Nothing needs a time of its own.'
        : `${countOf(blocks.length, 'time')}, ${held === 0 ? 'none' : held} of which something waits for.`,
      ...unread,
    ),
    changes: { schedule, change: null, ...(adaptations.length > 0 ? { outline } : {}) },
    adaptations,
    heuristics: 1,
    ends: 'drafted',
  };
}

function escalate(
  infeasible: Infeasibility,
  { outline, adaptations }: ChangedOutline,
  policy: InteractionPolicy,
): ToolOutcome {
  return {
    result: fail(infeasible.reason),
    changes: {
      change: null,
      ...(adaptations.length > 0 ? { outline } : {}),
      result: { kind: 'escalation', text: describe(infeasible, policy), infeasible },
      pause: { kind: 'escalation', resume: 'DRAFT_SCHEDULE', gate: null, digest: null },
      reason: infeasible.reason,
    },
    adaptations,
    ends: 'infeasible',
  };
}

function describe({ reason, relaxations }: Infeasibility, policy: InteractionPolicy): string {
  return [
    reason,
    ...(relaxations.length === 0
      ? []
      : ['Any one of these would help:', ...relaxations.map(({ text }) => `- ${text}`)]),
    callToAction({ kind: 'escalation' }, policy),
  ].join('\n');
}
