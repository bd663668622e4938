// The one thing a person is asked to do under whatever waits for them. The words in quotation marks are the exact ones
// that decide; the tone changes only what stands around them.
import type { Gate } from '#contracts/planning/stages.ts';
import type { Pause } from '#contracts/planning/state.ts';
import type { InteractionPolicy } from '#contracts/policy.ts';

export type Awaited =
  | { kind: 'gate'; gate: Gate }
  | { kind: 'plan' }
  | { kind: 'rfc' }
  | { kind: 'budget' }
  | { kind: 'escalation' }
  | { kind: 'questions'; count: number };

/** What a session that stands still asks a person to decide; null: it has questions, which are their own call. */
export function readAwaited({ kind, gate }: Pick<Pause, 'kind' | 'gate'>): Awaited | null {
  if (kind === 'questions') return null;
  return kind === 'gate' ? { kind, gate: gate ?? 'outline' } : { kind };
}

type Tone = InteractionPolicy['tone'];
type ByTone = Record<Tone, string>;

const decide = '“approve”, “propose changes: …” or “reject”';

const gateNames: Record<Gate, string> = {
  outline: 'outline',
  roadmap: 'order',
  schedule: 'schedule',
};

function forGate(gate: Gate): ByTone {
  const name = gateNames[gate];
  return {
    neutral: `Reply ${decide} about this ${name}.`,
    friendly: `If this ${name} looks right to you, reply “approve”; otherwise “propose changes: …” or “reject”.`,
    clinical: `Decision on the ${name} required: ${decide}.`,
  };
}

const fixed: Record<'plan' | 'rfc' | 'budget' | 'escalation', ByTone> = {
  plan: {
    neutral: `Reply ${decide}.`,
    friendly:
      'If it looks right to you, reply “approve”; otherwise “propose changes: …” or “reject”.',
    clinical: `Decision required: ${decide}.`,
  },
  rfc: {
    neutral: 'Reply “approve” to use it, “reject” to do without it, or “propose changes: …”.',
    friendly:
      'If you like it, reply “approve”; “reject” and I do without it; or tell me with “propose changes: …”.',
    clinical:
      'Decision on the proposed pattern required: “approve”, “reject” or “propose changes: …”.',
  },
  budget: {
    neutral: 'Reply “go on” to spend more on planning, or tell me what to leave out.',
    friendly: 'Shall I keep at it? Reply “go on”, or tell me what I can leave out.',
    clinical: 'Decision on further planning cost required: “go on”, or a smaller request.',
  },
  escalation: {
    neutral: 'Tell me which of these may change, or reply “reject”.',
    friendly: 'Tell me which of these can give a little, or reply “reject” and I drop it.',
    clinical: 'Required: one constraint that may be relaxed, or “reject”.',
  },
};

function forQuestions(count: number): ByTone {
  return count === 1
    ? {
        neutral: 'One question before I plan:',
        friendly: 'One thing I would like to know first:',
        clinical: 'Input required:',
      }
    : {
        neutral: `${count} questions before I plan:`,
        friendly: `${count} things I would like to know first:`,
        clinical: `Inputs required (${count}):`,
      };
}

/** One sentence: what the person can do now. Of questions it is the line above them. */
export function callToAction(awaited: Awaited, { tone }: Pick<InteractionPolicy, 'tone'>): string {
  switch (awaited.kind) {
    case 'gate':
      return forGate(awaited.gate)[tone];
    case 'questions':
      return forQuestions(awaited.count)[tone];
    case 'plan':
    case 'rfc':
    case 'budget':
    case 'escalation':
      return fixed[awaited.kind][tone];
    default:
      return awaited satisfies never;
  }
}

/** Every sentence that asks for a decision, in every tone: where buttons ask for it, the words are left out. */
export function listCalls(): Set<string> {
  // The keys of the table are the gates.
  const gates = Object.keys(gateNames) as Gate[];
  return new Set(
    [...Object.values(fixed), ...gates.map(forGate)].flatMap((call) => Object.values(call)),
  );
}
