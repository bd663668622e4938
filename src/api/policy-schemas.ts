// What requests about a person's sliders look like, and their answer.
import { z } from 'zod';
import { InteractionPolicy } from '#domain/people/policy.ts';
import type { PolicyView } from '#domain/service.ts';
import { line } from '#domain/text.ts';
import { documented } from './registry.ts';

const { shape } = InteractionPolicy;

/** A slider is there with a value, or it is left out. */
const Sliders = z.strictObject({
  conversation_style: shape.conversation_style.exactOptional(),
  talkativeness: shape.talkativeness.exactOptional(),
  autonomy: shape.autonomy.exactOptional(),
  brainstorming_preference: shape.brainstorming_preference.exactOptional(),
  approval_policy: shape.approval_policy.exactOptional(),
  probing_depth: shape.probing_depth.exactOptional(),
  tone: shape.tone.exactOptional(),
});

export const PolicyPath = z.object({
  user: documented(line(200), { description: 'The person: `local` where there is no login.' }),
});

export const PolicyBody = documented(Sliders, {
  id: 'Policy',
  description: 'Sliders a person sets; those that are left out keep their defaults.',
  examples: [{ conversation_style: 'concise', probing_depth: 1 }],
});

export const PolicyAnswer = documented(
  z.object({
    user: z.string(),
    policy: InteractionPolicy,
    set: documented(InteractionPolicy.partial(), { description: 'What the person has set of it.' }),
  }) satisfies z.ZodType<PolicyView>,
  { id: 'PolicyView', description: 'How a person likes to be talked to and asked.' },
);
