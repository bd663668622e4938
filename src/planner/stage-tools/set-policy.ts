// set_policy: what the person said about how to talk, ask and seek approval, as values of their InteractionPolicy.
import { z } from 'zod';
import { confirmPolicy } from '#cards/policy-words.ts';
import { applyOverride, InteractionPolicy, PolicyOverride } from '#domain/people/policy.ts';
import { fail, fromSchema, succeed } from '../agent/agent-tool.ts';
import type { ToolContext, ToolOutcome } from '../tools/planning-tool.ts';
import { openStages, type StageTool } from './stage-tool.ts';

const { shape } = InteractionPolicy;

const SetPolicy = z.strictObject({
  conversation_style: shape.conversation_style.nullable().describe('coach: explains each step.'),
  talkativeness: shape.talkativeness.nullable().describe('How much is written, 0 to 1.'),
  autonomy: shape.autonomy.nullable().describe('high: assume what is open; low: ask first.'),
  brainstorming_preference: shape.brainstorming_preference.nullable(),
  approval_policy: shape.approval_policy.nullable().describe('When they are asked for approval.'),
  probing_depth: shape.probing_depth.nullable().describe('Questions before planning, at most.'),
  tone: shape.tone.nullable(),
  lasting: z
    .boolean()
    .describe('true: they said "always" or "from now on", or answered your question about it.'),
  nothing_else: z
    .boolean()
    .describe('They asked for nothing else, and no question of yours waits.'),
});

/** From the policy that asks most often. */
const strictest = ['strict_every_step', 'milestone_approvals', 'single_final'];

function readChanges(args: object): { changes: PolicyOverride; lasting: boolean; alone: boolean } {
  const { lasting, nothing_else: alone, ...given } = SetPolicy.parse(args);
  const said = Object.entries(given).filter(([, value]) => value !== null);
  return { changes: PolicyOverride.parse(Object.fromEntries(said)), lasting, alone };
}

async function run(args: object, { policy, state, ownWords }: ToolContext): Promise<ToolOutcome> {
  if (!ownWords)
    return { result: fail('Somebody else said that; only the requester sets their preferences.') };
  const { changes, lasting, alone } = readChanges(args);
  if (Object.keys(changes).length === 0) return { result: fail('No preference is set.') };
  const { approval_policy: wanted = policy.approval_policy } = changes;
  // What a model read may have put the words into its mouth, so it never takes an approval away.
  if (strictest.indexOf(wanted) > strictest.indexOf(policy.approval_policy))
    return {
      result: fail('To be asked for approval less often, the person changes their preferences.'),
    };
  const override = { ...state.wish?.override, ...changes };
  const wish = { override, lasting: lasting || state.wish?.lasting === true, told: alone };
  if (!alone) return { result: succeed(null, 'It holds from now on. Go on.'), changes: { wish } };
  const text = confirmPolicy(applyOverride(policy, override), override, wish.lasting);
  return {
    result: succeed(null, 'The person reads it.'),
    changes: { wish, result: { kind: 'answer', text } },
    ends: 'answered',
  };
}

export const setPolicy: StageTool = {
  name: 'set_policy',
  description:
    'Keeps what the person said about how to talk to them, what to ask, and when to seek approval (“be brief”, “ask me nothing”, “check with me before every step”). null: they said nothing about it. Never for words about the work itself.',
  ...fromSchema(SetPolicy),
  strict: true,
  stages: openStages,
  prerequisites: [],
  produces: [],
  reads: false,
  revision: null,
  run,
};
