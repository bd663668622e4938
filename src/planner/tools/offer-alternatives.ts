// craft_options: offers ideas or options as one question.
import { z } from 'zod';
import { askedQuestion, joinLines, offersQuestionId } from '#domain/planning/asked-question.ts';
import { quoteWords } from '#domain/shown-text.ts';
import { line } from '#domain/text.ts';
import { defineTool } from '../define-tool.ts';
import { offersIdeas, optionsWanted, questionsAllowed } from '../policy/effects.ts';
import { Alternative, checkAlternatives, toOffered, writeAlternatives } from '../policy/options.ts';
import { fail, succeed, type ToolContext, type ToolOutcome } from '../tool.ts';
import { addOffered, noteAssumptions } from './elicit-context.ts';

const CraftOptions = z.strictObject({
  question: line(300),
  options: z.array(Alternative).min(2).max(6),
  asked_for: z.boolean().describe('they want ideas'),
  confidence: z.number().min(0).max(1).describe('that you know what they want'),
});

/** Null if unknown. */
function findConfidence({ state }: ToolContext): number | null {
  const parts = state.confidence[state.stage] ?? state.confidence.DRAFT_OUTLINE;
  return parts?.composite ?? state.pattern?.confidence ?? null;
}

function offerAlternatives(
  { question, options: given, asked_for: askedFor, confidence: self }: z.infer<typeof CraftOptions>,
  toolContext: ToolContext,
): ToolOutcome {
  const { policy, state } = toolContext;
  if (!offersIdeas(policy, findConfidence(toolContext) ?? self, askedFor)) {
    const why = 'This person wants no ideas now: plan what was asked for.';
    return { result: fail(why), self };
  }
  const { kept, problems } = checkAlternatives(given, policy);
  const [first] = kept;
  if (first === undefined || kept.length < 2) {
    const wanted = `Give ${optionsWanted(policy)} that really differ.`;
    return { result: fail(...problems, wanted), self };
  }
  const offered = addOffered(state, toOffered(kept));
  const heuristics = Math.min(1, kept.length / Math.max(kept.length, given.length));
  const data = { offered: kept.map(({ name }) => name), dropped: problems };
  const lines = writeAlternatives(question, kept, policy);
  const text = joinLines(lines);
  const slots = questionsAllowed(policy, state.questions_asked);
  if (slots === 0 && askedFor) {
    // The person asked, so this is an answer.
    return {
      result: succeed(data, `Answers with ${kept.length} of ${given.length}.`, ...problems),
      changes: { offered, result: { kind: 'answer', text } },
      self,
      heuristics,
      ends: 'answered',
    };
  }
  if (slots === 0 || (policy.autonomy === 'high' && !askedFor)) {
    const taken = `${question} I assume: ${first.name}. ${first.text}`.slice(0, 1000);
    return {
      result: succeed(
        { ...data, taken: first.name },
        `Nothing is asked: take ${quoteWords(first.name, 200)}.`,
      ),
      changes: { ...noteAssumptions(state, [taken]), offered },
      self,
      heuristics,
    };
  }
  return {
    result: succeed(data, `Offers ${kept.length} of ${given.length}.`, ...problems),
    changes: {
      offered,
      questions_asked: state.questions_asked + 1,
      pause: { kind: 'questions', resume: state.stage, gate: null, digest: null },
      result: {
        kind: 'question',
        text,
        lines,
        questions: [askedQuestion(question, offersQuestionId)],
      },
    },
    self,
    heuristics,
    ends: 'needs_clarification',
  };
}

export const craftOptions = defineTool({
  name: 'craft_options',
  description: 'Puts different ideas or options before the person, the best first.',
  input: CraftOptions,
  revision: 2,
  execute: async (input, toolContext) => offerAlternatives(input, toolContext),
});
