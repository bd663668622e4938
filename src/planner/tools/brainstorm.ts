// brainstorm: a few ideas how to go about what was asked for, when the person wants ideas. The content comes as
// arguments, from a model or from rules; that they are few, brief, actionable and really different is seen to here.
import { z } from 'zod';
import { line } from '#contracts/text.ts';
import { Alternative } from '../policy/options.ts';
import { ideaStages, offerAlternatives } from './offer-alternatives.ts';
import type { PlanningTool } from './planning-tool.ts';

const Brainstorm = z.strictObject({
  topic: line(120).describe('What the ideas are about, as it follows “for”: “the team offsite”.'),
  ideas: z.array(Alternative).min(2).max(8),
  confidence: z.number().min(0).max(1).nullable().describe('How sure you are of the request.'),
});
export type Brainstorm = z.infer<typeof Brainstorm>;

export const brainstorm: PlanningTool<Brainstorm> = {
  name: 'brainstorm',
  description:
    'Puts two or three ideas how to go about it before the person. Each takes another angle, begins with a verb and says how it differs. Only when they want ideas.',
  input: Brainstorm,
  stages: ideaStages,
  prerequisites: [],
  produces: [],
  automatic: null,
  revision: 1,
  run: async ({ topic, ideas, confidence }, toolContext) =>
    offerAlternatives(
      {
        kind: 'idea',
        question: `Which of these fits best for ${topic.replace(/[.?\s]+$/, '')}?`,
        given: ideas,
        self: confidence,
      },
      toolContext,
    ),
};
