// Shared by brainstorm and craft_options: alternatives are checked and asked as one question; where nothing may be asked, the
// first is taken and noted.
import { z } from 'zod';
import { askedQuestion, joinLines, offersQuestionId } from '#domain/planning/asked-question.ts';
import { quoteWords } from '#domain/shown-text.ts';
import { line } from '#domain/text.ts';
import { trimTail } from '#domain/words.ts';
import { defineTool } from '../define-tool.ts';
import { offersIdeas, optionsWanted, questionsAllowed } from '../policy/effects.ts';
import { Alternative, checkAlternatives, toOffered, writeAlternatives } from '../policy/options.ts';
import { fail, succeed, type ToolContext, type ToolOutcome } from '../tool.ts';
import { addOffered, noteAssumptions } from './elicit-context.ts';

/** How sure the session is of what it has understood; null: nobody knows. */
function findConfidence({ state }: ToolContext): number | null {
  const parts = state.confidence[state.stage] ?? state.confidence.DRAFT_OUTLINE;
  return parts?.composite ?? state.pattern?.confidence ?? null;
}

function offerAlternatives(
  offer: {
    kind: 'idea' | 'option';
    question: string;
    given: Alternative[];
    self: number | null;
    /** The person asked for them explicitly. */
    askedFor: boolean;
  },
  toolContext: ToolContext,
): ToolOutcome {
  const { policy, state } = toolContext;
  if (!offersIdeas(policy, findConfidence(toolContext) ?? offer.self, offer.askedFor)) {
    const why = 'This person wants no ideas now: plan what was asked for.';
    return { result: fail(why), self: offer.self };
  }
  const { kept, problems } = checkAlternatives(offer.given, policy);
  const [first] = kept;
  if (first === undefined || kept.length < 2) {
    const wanted = `Give ${optionsWanted(policy)} that really differ.`;
    return { result: fail(...problems, wanted), self: offer.self };
  }
  const offered = addOffered(state, toOffered(offer.kind, kept));
  const heuristics = Math.min(1, kept.length / Math.max(kept.length, offer.given.length));
  const data = { offered: kept.map(({ name }) => name), dropped: problems };
  const lines = writeAlternatives(offer.question, kept, policy);
  const text = joinLines(lines);
  const slots = questionsAllowed(policy, state.questions_asked);
  if (slots === 0 && offer.askedFor) {
    // They are what was asked for: an answer, and no question of ours.
    return {
      result: succeed(data, `Answers with ${kept.length} of ${offer.given.length}.`, ...problems),
      changes: { offered, result: { kind: 'answer', text } },
      self: offer.self,
      heuristics,
      ends: 'answered',
    };
  }
  if (slots === 0 || (policy.autonomy === 'high' && !offer.askedFor)) {
    const taken = `${offer.question} I assume: ${first.name}. ${first.text}`.slice(0, 1000);
    return {
      result: succeed(
        { ...data, taken: first.name },
        `Nothing is asked: take ${quoteWords(first.name, 200)}.`,
      ),
      changes: { ...noteAssumptions(state, [taken]), offered },
      self: offer.self,
      heuristics,
    };
  }
  return {
    result: succeed(data, `Offers ${kept.length} of ${offer.given.length}.`, ...problems),
    changes: {
      offered,
      questions_asked: state.questions_asked + 1,
      pause: { kind: 'questions', resume: state.stage, gate: null, digest: null },
      result: {
        kind: 'question',
        text,
        lines,
        questions: [askedQuestion(offer.question, offersQuestionId)],
      },
    },
    self: offer.self,
    heuristics,
    ends: 'needs_clarification',
  };
}

const askedFor = z.boolean().describe('they asked for ideas or options');

// brainstorm: a few ideas how to go about what was asked for, when the person wants ideas. The content comes as
// arguments, from a model or from rules; that they are few, brief, actionable and really different is seen to here.
const Brainstorm = z.strictObject({
  topic: line(120).describe('as it follows “for”: “the team offsite”'),
  ideas: z.array(Alternative).min(2).max(8),
  asked_for: askedFor,
  confidence: z.number().min(0).max(1).nullable(),
});

export const brainstorm = defineTool({
  name: 'brainstorm',
  description:
    'Puts two or three different ideas how to go about it before the person. Only when they want ideas.',
  input: Brainstorm,
  revision: 1,
  execute: async ({ topic, ideas, confidence, asked_for }, toolContext) =>
    offerAlternatives(
      {
        kind: 'idea',
        question: `Which of these fits best for ${trimTail(topic, /[.?\s]/)}?`,
        given: ideas,
        self: confidence,
        askedFor: asked_for,
      },
      toolContext,
    ),
});

// craft_options: two or three ways to decide one thing that the request leaves open, each with what sets it apart. The
// same rules as for ideas; the person answers with a number or a name.
const CraftOptions = z.strictObject({
  question: line(300).describe('the decision as a question'),
  options: z.array(Alternative).min(2).max(6),
  asked_for: askedFor,
  confidence: z.number().min(0).max(1).nullable(),
});

export const craftOptions = defineTool({
  name: 'craft_options',
  description:
    'Puts two or three options for one decision before the person, the best first. Only when they want options.',
  input: CraftOptions,
  revision: 1,
  execute: async ({ question, options, confidence, asked_for }, toolContext) =>
    offerAlternatives(
      { kind: 'option', question, given: options, self: confidence, askedFor: asked_for },
      toolContext,
    ),
});
