// set_policy: what the person said about how to talk, ask and seek approval, as values of their InteractionPolicy.
import { z } from 'zod';
import { InteractionPolicy, PolicyOverride } from '#domain/people/policy.ts';
import type { ToolContext, ToolOutcome } from '../tool.ts';
import { fail, fromSchema } from '../tool-result.ts';
import { askToKeep } from './ask-to-keep.ts';
import { besideStages, type StageTool } from './stage-tool.ts';

const { shape } = InteractionPolicy;

const changeNames = Object.entries(shape).map(([name, schema]) => {
  const values = schema instanceof z.ZodEnum ? schema.options.join(' | ') : 'number';
  return `${name}: ${values}`;
});

const SetPolicy = z.strictObject({
  changes: z.looseObject({}).describe(`only what they said of: ${changeNames.join('; ')}`),
  lasting: z.boolean().describe('they said "always", or answered your question about it'),
});

/** From the policy that asks most often. */
const strictest = ['strict_every_step', 'milestone_approvals', 'single_final'];

function readChanges(args: object): { changes: PolicyOverride | null; lasting: boolean } {
  const { changes: given, lasting } = SetPolicy.parse(args);
  const said = Object.entries(given).filter(([, value]) => value !== null);
  const changes = PolicyOverride.safeParse(Object.fromEntries(said));
  return { changes: changes.success ? changes.data : null, lasting };
}

async function run(args: object, { policy, state, ownWords }: ToolContext): Promise<ToolOutcome> {
  if (!ownWords)
    return { result: fail('Somebody else said that; only the requester sets their preferences.') };
  const { changes, lasting } = readChanges(args);
  if (changes === null)
    return { result: fail(`One of these is not right. There are ${changeNames.join('; ')}.`) };
  if (Object.keys(changes).length === 0) return { result: fail('No preference is set.') };
  const { approval_policy: wanted = policy.approval_policy } = changes;
  // What a model read may have put the words into its mouth, so it never takes an approval away.
  if (strictest.indexOf(wanted) > strictest.indexOf(policy.approval_policy))
    return {
      result: fail('To be asked for approval less often, the person changes their preferences.'),
    };
  const override = { ...state.wish?.override, ...changes };
  const wish = { override, lasting: lasting || state.wish?.lasting === true };
  return askToKeep({ state, policy }, { wish });
}

export const setPolicy: StageTool = {
  name: 'set_policy',
  description:
    'Keeps what they said about how to talk to them, ask, or seek approval (“be brief”). Not for words about the work.',
  ...besideStages,
  ...fromSchema(SetPolicy),
  run,
};
