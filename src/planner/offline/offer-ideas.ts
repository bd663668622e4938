// Ideas and options without a model: what is offered for a request, and the instruction that a picked one stands for.
import type { Utterance } from '#contracts/run.ts';
import type { JsonObject } from '#contracts/text.ts';
import { findTopic, ideasFor } from '../policy/ideas.ts';
import { readChoice } from '../policy/read-choice.ts';
import type { PlannerTools } from '../ports.ts';

export type Offer = { tool: 'brainstorm' | 'craft_options'; args: JsonObject };

const wantsOptions =
  /\b(?:options?|alternatives?|variants?|(?:which|what) ways?|ways (?:to|of|for))\b/i;

/** What is offered for `request`; null: the tools at hand leave fewer than two ways. */
export function makeOffer(request: string, tools: PlannerTools, sure: number | null): Offer | null {
  const ideas = ideasFor(request, tools.manifest());
  if (ideas.length < 2) return null;
  const topic = findTopic(request);
  return wantsOptions.test(request)
    ? {
        tool: 'craft_options',
        args: {
          question: `How should ${topic === 'it' ? 'it' : topic} be gone about?`,
          options: ideas,
          confidence: sure,
        },
      }
    : { tool: 'brainstorm', args: { topic, ideas, confidence: sure } };
}

/** A name that a file may have: "the team offsite" → `the-team-offsite`. */
function nameFile(topic: string): string {
  const words = topic.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const plain = words.filter((word) => !/^(?:the|a|an|our|my|for|of|to)$/.test(word));
  return plain.slice(0, 6).join('-') || 'idea';
}

/** What is done for each angle, as an instruction that can be planned; what it leaves open is asked as usual. */
const instructions: Record<string, (topic: string) => string> = {
  'Small first': (topic) => `Ask me "Which single example of ${topic} should come first?"`,
  'Draft to edit': (topic) => `Create drafts/${nameFile(topic)}.md`,
  'Ask around': (topic) => `Ask the team "What do you think about ${topic}?"`,
  'Fixed date': (topic) => `Add "${topic}" to the calendar`,
  'A little, often': (topic) =>
    `Remind me every Monday at 9:00 to spend half an hour on "${topic}"`,
  'Look before': () => 'List the workspace',
  Checklist: (topic) => `Create checklists/${nameFile(topic)}.md`,
  'In the open': (topic) => `Post "${topic}: who wants to help?"`,
  'Search outside': () => 'Fetch a web page',
};

/**
 * The instruction for the idea or option that `text` picks; null: it picks none.
 * @param history what was said before; the topic stands in the request that the offer answered
 */
export function expandChoice(
  text: string,
  offered: readonly JsonObject[],
  history: Utterance[],
): string | null {
  const chosen = readChoice(text, offered);
  if (chosen === null) return null;
  const shown = history.findLastIndex(
    (item) => item.author === 'bot' && item.text.includes(`1. `) && item.text.includes(chosen.name),
  );
  const request = history
    .slice(0, Math.max(0, shown))
    .findLast(({ author }) => author === 'person');
  const topic = request === undefined ? 'it' : findTopic(request.text).replaceAll('"', "'");
  return instructions[chosen.name]?.(topic) ?? chosen.text;
}
