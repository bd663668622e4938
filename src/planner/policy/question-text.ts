// How questions are put: each on a line of its own, word for word, so that an answer finds its way back; around them
// as much as the person likes to read.
import type { InteractionPolicy } from '#contracts/policy.ts';
import { callToAction } from './calls-to-action.ts';
import { detailOf } from './effects.ts';

type Asked = { question: string; why: string | null; default: string | null };

function endSentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

/** The text a person reads above the field in which they answer. */
export function writeQuestions(questions: Asked[], policy: InteractionPolicy): string {
  const detail = detailOf(policy);
  const numbered = questions.length > 1;
  const lines = questions.flatMap(({ question, why, default: taken }, index) => [
    numbered ? `${index + 1}. ${question}` : question,
    ...(detail === 'short' || why === null ? [] : [`   ${endSentence(why)}`]),
    ...(detail !== 'full' || taken === null
      ? []
      : [`   Without an answer I take: ${endSentence(taken)}`]),
  ]);
  // One plain question needs no line above it, unless a tone asks for one.
  const bare = !numbered && (detail === 'short' || policy.tone === 'neutral');
  return bare
    ? lines.join('\n')
    : [callToAction({ kind: 'questions', count: questions.length }, policy), ...lines].join('\n');
}
