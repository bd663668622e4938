// probe_preference: asks a person once how they like to be talked to, beside something that is asked or answered anyway,
// so that no plan ever waits for it; and reads the answer.
import { z } from 'zod';
import { nameQuestions } from '#domain/planning/asked-question.ts';
import { JsonObject, line } from '#domain/text.ts';
import { fail, succeed } from '../agent/agent-tool.ts';
import { questionsAllowed } from '../policy/effects.ts';
import { readStyleAnswer, styleQuestion, styleQuestionId } from '../policy/words.ts';
import { addOffered, askingStages } from './elicit-context.ts';
import type { PlanningTool, ToolContext, ToolOutcome } from './planning-tool.ts';

const ProbePreference = z.strictObject({
  answer: line(500).nullable().describe('What the person said to the question; null: ask it.'),
});
export type ProbePreference = z.infer<typeof ProbePreference>;

/** What is known of people's preferences. */
export type PreferencePort = {
  /** The person has set their style, or was asked for it. */
  isKnown(user: string): Promise<boolean>;
  /** Whether it is us who ask: true once for each person, whoever else asks at the same time. */
  claim(user: string): Promise<boolean>;
};

function readAnswer(answer: string): ToolOutcome {
  const policy = readStyleAnswer(answer);
  if (policy === null) {
    return {
      result: fail('The answer says neither concise nor conversational; leave it at that.'),
    };
  }
  return {
    result: succeed(
      { policy: JsonObject.parse(policy) },
      'It is kept for the person, and holds from the next message.',
    ),
  };
}

function idsOf({ questions, question_ids }: { questions: string[]; question_ids?: string[] }) {
  return nameQuestions(questions, question_ids).map(({ id }) => id);
}

/** The session's text with the question beside it; null: this is no moment for it. */
function addQuestion({ state, policy }: ToolContext): ToolOutcome['changes'] | null {
  const { result } = state;
  const offered = addOffered(state, [{ kind: 'question', question: styleQuestion, default: null }]);
  if (result?.kind === 'answer') {
    const asked = [{ id: styleQuestionId, text: styleQuestion }];
    return { offered, result: { ...result, text: `${result.text}\n\n${styleQuestion}`, asked } };
  }
  const slots = questionsAllowed(policy, state.questions_asked);
  if (result?.kind !== 'question' || slots === 0 || result.questions.length >= 10) return null;
  return {
    offered,
    questions_asked: state.questions_asked + 1,
    result: {
      ...result,
      text: `${result.text}\n\n${styleQuestion}`,
      ...(result.lines === undefined
        ? {}
        : { lines: [...result.lines, { text: '' }, { text: styleQuestion, on_card: true }] }),
      questions: [...result.questions, styleQuestion],
      question_ids: [...idsOf(result), styleQuestionId],
    },
  };
}

async function ask(toolContext: ToolContext, port: PreferencePort): Promise<ToolOutcome> {
  const { policy, user } = toolContext;
  const skip = (why: string): ToolOutcome => ({ result: succeed({ asked: false }, why) });
  if (policy.probing_depth === 0) return skip('This person wants no questions.');
  const changes = addQuestion(toolContext);
  if (changes === null || changes === undefined) return skip('There is nothing to ask it beside.');
  if (await port.isKnown(user)) return skip('The person has said how they like it, or was asked.');
  if (!(await port.claim(user))) return skip('Somebody else is asking at this moment.');
  return { result: succeed({ asked: true }, 'Asked for the style, once.'), changes };
}

/** @param port reads and claims; the only thing a tool keeps, so that two processes ask a person once */
export function createProbePreference(port: PreferencePort): PlanningTool<ProbePreference> {
  return {
    name: 'probe_preference',
    description:
      'Asks the person once whether they like it concise or conversational, beside what is asked or answered anyway; or reads their answer to that.',
    input: ProbePreference,
    stages: askingStages,
    prerequisites: [],
    produces: [],
    automatic: { answer: null },
    revision: 1,
    run: async ({ answer }, toolContext) =>
      answer === null ? ask(toolContext, port) : readAnswer(answer),
  };
}
