// set_policy: stores a person's preferences.
import { z } from 'zod';
import { InteractionPolicy, PolicyOverride } from '#domain/people/policy.ts';
import { defineTool } from '../define-tool.ts';
import { fail, type ToolContext, type ToolOutcome } from '../tool.ts';
import { askToKeep } from './ask-to-keep.ts';

const { shape } = InteractionPolicy;

const changeNames = Object.entries(shape).map(([name, schema]) => {
  const values =
    schema instanceof z.ZodEnum
      ? schema.options.join('|')
      : `${schema.minValue} to ${schema.maxValue}`;
  return `${name}: ${values}`;
});

const SetPolicy = z.strictObject({
  changes: z.looseObject({}).describe(`${changeNames.join('; ')}`),
  lasting: z.boolean().describe('they said "always", or answered you'),
});

/** Most questions first. */
const strictest = ['strict_every_step', 'milestone_approvals', 'single_final'];

async function setPreferences(
  { changes: given, lasting }: z.infer<typeof SetPolicy>,
  { policy, state, ownWords }: ToolContext,
): Promise<ToolOutcome> {
  if (!ownWords)
    return {
      result: fail('Someone else said that. Only the requester can change their own preferences.'),
    };
  const set = Object.entries(given).filter(([, value]) => value !== null);
  const { data: changes } = PolicyOverride.safeParse(Object.fromEntries(set));
  if (changes === undefined)
    return { result: fail(`Invalid preference. Allowed: ${changeNames.join('; ')}.`) };
  if (Object.keys(changes).length === 0) return { result: fail('No preference is set.') };
  const { approval_policy: wanted = policy.approval_policy } = changes;
  // Never relaxes approval: the model may quote others.
  if (strictest.indexOf(wanted) > strictest.indexOf(policy.approval_policy))
    return {
      result: fail('Only the person can ask for fewer approvals, in their preferences.'),
    };
  const override = { ...state.wish?.override, ...changes };
  const policyRequest = { override, lasting: lasting || state.wish?.lasting === true };
  return askToKeep({ state, policy }, { wish: policyRequest });
}

export const setPolicy = defineTool({
  name: 'set_policy',
  description:
    'Keeps how they want to be talked to, questioned or asked to approve (“be brief”). Call it first.',
  input: SetPolicy,
  execute: setPreferences,
});
