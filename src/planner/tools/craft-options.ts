// craft_options: two or three ways to decide one thing that the request leaves open, each with what sets it apart. The
// same rules as for ideas; the person answers with a number or a name.
import { z } from 'zod';
import { line } from '#contracts/text.ts';
import { Alternative } from '../policy/options.ts';
import { ideaStages, offerAlternatives } from './offer-alternatives.ts';
import type { PlanningTool } from './planning-tool.ts';

const CraftOptions = z.strictObject({
  question: line(300).describe('The decision as a question: “Where should the notes go?”'),
  options: z.array(Alternative).min(2).max(6),
  confidence: z.number().min(0).max(1).nullable().describe('How sure you are of the request.'),
});
export type CraftOptions = z.infer<typeof CraftOptions>;

export const craftOptions: PlanningTool<CraftOptions> = {
  name: 'craft_options',
  description:
    'Puts two or three options for one open decision before the person, the best first. Each begins with a verb and says how it differs. Only when they want options.',
  input: CraftOptions,
  stages: ideaStages,
  prerequisites: [],
  produces: [],
  automatic: null,
  revision: 1,
  run: async ({ question, options, confidence }, toolContext) =>
    offerAlternatives({ kind: 'option', question, given: options, self: confidence }, toolContext),
};
