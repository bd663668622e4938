// handle_approval: requests and takes decisions, never from a model.
import { hash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { InteractionPolicy } from '#domain/people/policy.ts';
import { joinLines, type MessageLine } from '#domain/planning/asked-question.ts';
import type { PlanOutline } from '#domain/planning/outline.ts';
import type { Gate, StageEvent } from '#domain/planning/stages.ts';
import type { PlanningState, SessionDecision } from '#domain/planning/state.ts';
import { toolDefaults } from '../define-tool.ts';
import { approvedPattern, withoutProposal } from '../patterns/fit.ts';
import { gatesWanted } from '../policy/effects.ts';
import { describeOutline, describeRoadmap, describeSchedule } from '../policy/gate-text.ts';
import {
  fail,
  type StateChanges,
  succeed,
  type Tool,
  type ToolContext,
  type ToolOutcome,
} from '../tool.ts';

/** Null requests the due decision. */
export type ApprovalInput = { decision: SessionDecision | null };

/** SHA-256 in hex of canonical JSON (RFC 8785), bound by the approval. */
function digestArtifact(artifact: object): string {
  const text = canonicalize(artifact);
  if (text === undefined) throw new TypeError('An artifact has a JSON form.');
  return hash('sha256', text, 'hex');
}

/** Null without the artifact. An outline's digest covers only work; order and times have gates of their own. */
export function digestGate(gate: Gate, state: Readonly<PlanningState>): string | null {
  const artifact = gate === 'outline' ? contentOf(state.outline) : state[gate];
  return artifact === null ? null : digestArtifact(artifact);
}

function contentOf(outline: PlanOutline | null): object | null {
  if (outline === null) return null;
  const { title, summary, pattern, nodes } = outline;
  return {
    title,
    summary,
    pattern,
    nodes: nodes.map(
      ({ after, timing, duration_minutes, not_before, deadline, steps, ...node }) => ({
        ...node,
        steps: steps.map(({ after, not_before, duration_minutes, ...step }) => step),
      }),
    ),
  };
}

/** Required and not approved as is. A schedule without times needs none. */
export function isGateDue(
  gate: Gate,
  state: Readonly<PlanningState>,
  policy: InteractionPolicy,
): boolean {
  if (!gatesWanted(policy).includes(gate)) return false;
  if (gate === 'schedule' && (state.schedule?.blocks ?? []).length === 0) return false;
  const digest = digestGate(gate, state);
  return digest !== null && state.approvals[gate]?.digest !== digest;
}

/** Null for the plan, once artifacts are approved. */
function findDue(state: Readonly<PlanningState>, policy: InteractionPolicy): Gate | null {
  if (isGateDue('outline', state, policy)) return 'outline';
  const ordered = state.produced.includes('roadmap') || state.produced.includes('valid_roadmap');
  if (ordered && isGateDue('roadmap', state, policy)) return 'roadmap';
  return state.produced.includes('schedule') && isGateDue('schedule', state, policy)
    ? 'schedule'
    : null;
}

function ask({ state, policy }: ToolContext, ...explanations: string[]): ToolOutcome {
  const due = findDue(state, policy);
  if (due === null) {
    return {
      result: succeed(
        { asks: 'plan' },
        ...explanations,
        'The plan is put before the person; its own card binds what they approve.',
      ),
      changes: {
        pause: { kind: 'plan', resume: 'SEEK_APPROVAL', gate: null, digest: null },
        result: { kind: 'proposal' },
      },
      ends: 'no_response',
    };
  }
  const lines = describeGate(due, state, policy);
  const digest = digestGate(due, state);
  if (lines === null || digest === null)
    return { result: fail('There is nothing to approve yet.') };
  return {
    result: succeed({ asks: due, digest }, ...explanations, `The ${due} waits for approval.`),
    changes: {
      pause: { kind: 'gate', resume: 'SEEK_APPROVAL', gate: due, digest },
      result: { kind: 'gate', gate: due, digest, text: joinLines(lines), lines },
    },
    ends: 'no_response',
  };
}

function describeGate(
  gate: Gate,
  { outline, roadmap, schedule, portfolio }: Readonly<PlanningState>,
  policy: InteractionPolicy,
): MessageLine[] | null {
  if (outline === null) return null;
  if (gate === 'outline') return describeOutline(outline, policy);
  if (gate === 'schedule')
    return schedule === null
      ? null
      : describeSchedule(schedule, outline, portfolio?.utilisation ?? null, policy);
  return roadmap === null ? null : describeRoadmap(roadmap, outline, policy);
}

function decide(decision: SessionDecision, toolContext: ToolContext): ToolOutcome {
  const { pause } = toolContext.state;
  if (pause === null) return ask(toolContext, 'Nothing was waiting for this decision.');
  switch (pause.kind) {
    case 'gate':
    case 'plan':
      return decideArtifact(decision, pause.gate, toolContext);
    case 'rfc':
      return decideRfc(decision, toolContext);
    case 'questions':
    case 'budget':
    case 'escalation':
    case 'answer':
      return { result: fail(`A session that waits for ${pause.kind} has nothing to approve.`) };
    default:
      return pause.kind satisfies never;
  }
}

const approvedEvents: Record<Gate, StageEvent> = {
  outline: 'outline_approved',
  roadmap: 'roadmap_approved',
  schedule: 'schedule_approved',
};

/** @param gate null for the plan */
function decideArtifact(
  decision: SessionDecision,
  gate: Gate | null,
  toolContext: ToolContext,
): ToolOutcome {
  switch (decision.kind) {
    case 'said':
      return ask(toolContext);
    case 'approve':
      return approve(decision.by, decision.digest, gate, toolContext);
    case 'reject':
      return reject(decision.by, gate);
    case 'changes':
      return {
        result: fail('Use route_change to say which part of the plan the feedback concerns.'),
      };
    default:
      return decision satisfies never;
  }
}

const standAgain = { pause: null, result: null } satisfies StateChanges;
function approve(
  by: string,
  shown: string | null,
  gate: Gate | null,
  toolContext: ToolContext,
): ToolOutcome {
  const { state } = toolContext;
  const approved = gate ?? 'schedule';
  const now = digestGate(approved, state);
  const waited = state.pause?.digest ?? null;
  const outdated = (shown !== null && shown !== waited) || (waited !== null && waited !== now);
  // The card checked the plan's digest; a gate must equal what was shown.
  if (gate !== null && (outdated || now === null || waited === null)) {
    return ask(toolContext, `The ${gate} has changed since it was shown, so here it is again.`);
  }
  const approval = { digest: now ?? digestArtifact({}), by, at: toolContext.now.toISOString() };
  return {
    result: succeed({ approved, by, digest: now }, `${by} approved the ${nameOf(gate)}.`),
    changes: { ...standAgain, approvals: { ...state.approvals, [approved]: approval } },
    ends: gate === null ? 'approved' : approvedEvents[gate],
  };
}

const nameOf = (gate: Gate | null): string => gate ?? 'plan';

function reject(by: string, gate: Gate | null): ToolOutcome {
  const what = nameOf(gate);
  const text = `The ${what} was rejected, and nothing will run. Ask again when you need something else.`;
  const reason = `${by} rejected the ${what}`;
  return {
    result: succeed({ rejected: gate ?? 'schedule', by }, `${reason}.`),
    changes: { pause: null, result: { kind: 'aborted', text, reason } },
    ends: 'rejected',
  };
}

/** Planning continues, accepted or replaced. */
function decideRfc(decision: SessionDecision, toolContext: ToolContext): ToolOutcome {
  const { rfc, pattern, hints } = toolContext.state;
  if (rfc === null) return { result: fail('No proposed pattern waits for a decision.') };
  const refuse = (by: string, why: string, hint: string): ToolOutcome => ({
    result: succeed({ refused: rfc.proposes, by }, why),
    changes: {
      ...standAgain,
      rfc: { ...rfc, status: 'rejected', by },
      pattern: pattern === null ? null : withoutProposal(pattern),
      hints: addHint(hints, hint),
    },
    ends: 'resume_context',
  });
  const { proposes } = rfc;
  switch (decision.kind) {
    case 'said':
      return { result: fail('The proposed pattern still waits for a decision.') };
    case 'approve':
      return {
        result: succeed({ approved: proposes, by: decision.by }, `${decision.by} approved it.`),
        changes: {
          ...standAgain,
          rfc: { ...rfc, status: 'approved', by: decision.by },
          pattern: pattern === null ? null : approvedPattern(pattern),
        },
        ends: 'change_outline',
      };
    case 'reject': {
      const hint = `${proposes} was refused: use a known pattern and subtype.`;
      return refuse(decision.by, `${decision.by} refused it.`, hint);
    }
    case 'changes': {
      const hint = `About ${proposes} the person said: ${decision.feedback}`;
      return refuse(decision.by, 'The proposal is being reconsidered.', hint);
    }
    default:
      return decision satisfies never;
  }
}

function addHint(hints: readonly string[], hint: string): string[] {
  return [...hints, hint.slice(0, 2000)].slice(-20);
}

export const handleApproval: Tool<ApprovalInput> = {
  ...toolDefaults,
  name: 'handle_approval',
  description:
    'Puts what is due before the person and takes their decision. Only the controller calls it; a call by a model fails.',
  parameters: { type: 'object', properties: {} },
  stages: ['SEEK_APPROVAL'],
  hidden: true,
  prepare: () => ({ problems: ['Only a person decides; a model cannot.'] }),
  execute: async ({ decision }, toolContext) =>
    decision === null ? ask(toolContext) : decide(decision, toolContext),
};
