// Calls to action. Quoted words decide exactly; only the rest follows tone.
import type { CallToAction } from '#domain/chat/message-parts.ts';
import type { InteractionPolicy } from '#domain/people/policy.ts';
import type { Gate } from '#domain/planning/stages.ts';

type ByTone = Record<InteractionPolicy['tone'], string>;

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
      'If you like it, reply “approve”. Otherwise reply “reject” and I’ll do without it, or “propose changes: …”.',
    clinical:
      'Decision on the proposed pattern required: “approve”, “reject” or “propose changes: …”.',
  },
  budget: {
    neutral: 'Reply “go on” to spend more on planning, or tell me what to leave out.',
    friendly: 'Shall I keep going? Reply “go on”, or tell me what I can leave out.',
    clinical: 'Decision on further planning cost required: “go on”, or a smaller request.',
  },
  escalation: {
    neutral: 'Tell me which of these may change, or reply “reject”.',
    friendly: 'Tell me which of these can give a little, or reply “reject” and I’ll drop it.',
    clinical: 'Required: one constraint that may be relaxed, or “reject”.',
  },
};

export function writeCall(call: CallToAction): string {
  switch (call.kind) {
    case 'gate':
      return forGate(call.gate)[call.tone];
    case 'plan':
    case 'rfc':
    case 'budget':
    case 'escalation':
      return fixed[call.kind][call.tone];
    case 'review':
      return `${call.plan_id} was rejected three times. Reply “approve”, “reject” or “cancel”.`;
    case 'answer':
      return 'Answer in your own words.';
    case 'confirm':
      return 'Reply “approve” to send this answer, or “reject”.';
    case 'resume':
      return 'Reply “cancel”, or resume it on its card.';
    case 'change':
      return "Approve or reject it on the plan's card.";
    case 'finding':
      return "Decide on the plan's card what happens to them.";
    default:
      return call satisfies never;
  }
}

/** Above several questions, or one if the tone wants it. */
export function introduceQuestions(count: number, tone: InteractionPolicy['tone']): string {
  const texts: ByTone =
    count === 1
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
  return texts[tone];
}
