// probe_preference: asks once which style a person likes.
import { askedQuestion, styleQuestionId } from '#domain/planning/asked-question.ts';
import { defineTool, noArguments } from '../define-tool.ts';
import { succeed, type Tool, type ToolContext, type ToolOutcome } from '../tool.ts';
import { addOffered, askingStages } from './elicit-context.ts';

export const styleQuestion = 'Do you prefer short answers or more explanation?';

export type PreferencePort = {
  /** Has set a style or was asked. */
  isKnown(user: string): Promise<boolean>;
  /** Something is planned, runs or waits. */
  isBusy(user: string): Promise<boolean>;
  /** True once per person, across processes. */
  claim(user: string): Promise<boolean>;
};

/** Null if not now. */
function addQuestion({ state }: ToolContext): ToolOutcome['changes'] | null {
  const { result, pause } = state;
  if (result?.kind !== 'answer' || pause !== null) return null;
  const asked = [askedQuestion(styleQuestion, styleQuestionId)];
  return {
    offered: addOffered(state, [{ kind: 'question', question: styleQuestion, default: null }]),
    result: { ...result, text: `${result.text}\n\n${styleQuestion}`, asked },
  };
}

async function ask(toolContext: ToolContext, port: PreferencePort): Promise<ToolOutcome> {
  const { policy, user } = toolContext;
  const skip = (why: string): ToolOutcome => ({ result: succeed({ asked: false }, why) });
  if (policy.probing_depth === 0) return skip('This person wants no questions.');
  const changes = addQuestion(toolContext);
  if (changes === null || changes === undefined)
    return skip('There is no answer to add the question to.');
  if (await port.isKnown(user)) return skip('The person has said how they like it, or was asked.');
  if (await port.isBusy(user)) return skip('Something of this person is open.');
  if (!(await port.claim(user))) return skip('Somebody else is asking at this moment.');
  return { result: succeed({ asked: true }, 'Asked for the style, once.'), changes };
}

/** @param port shared, so that a person is asked once */
export function createProbePreference(port: PreferencePort): Tool<Record<string, never>> {
  return defineTool({
    name: 'probe_preference',
    description:
      'Asks the person once how much they like to read, below an answer. set_policy keeps their answer.',
    input: noArguments,
    hidden: true,
    stages: askingStages,
    revision: 3,
    execute: (_, toolContext) => ask(toolContext, port),
  });
}
