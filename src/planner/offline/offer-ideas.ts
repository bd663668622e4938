// Ideas and options without a model: what is offered for a request, and the instruction that a picked one stands for.
import { z } from 'zod';
import type { Utterance } from '#contracts/run.ts';
import type { JsonObject } from '#contracts/text.ts';
import { findTopic, ideasFor } from '../policy/ideas.ts';
import { Alternative } from '../policy/options.ts';
import type { PlannerTools } from '../ports.ts';

// Which of the offered ideas or options an answer picks: "2", "the second one", "option B", or its name. Anything less
// plain picks none, since a wrong guess would plan something nobody chose.
const Offered = Alternative.extend({
  kind: z.enum(['idea', 'option']),
  number: z.number().int().min(1),
});
type Offered = z.infer<typeof Offered>;

const ordinals = ['first', 'second', 'third', 'fourth', 'fifth'];
const cardinals = ['one', 'two', 'three', 'four', 'five'];

/** What was offered last: entries of one list, numbered from 1. */
function readOffered(offered: readonly JsonObject[]): Offered[] {
  const all = offered.flatMap((entry) => {
    const parsed = Offered.safeParse(entry);
    return parsed.success ? [parsed.data] : [];
  });
  const start = all.findLastIndex(({ number }) => number === 1);
  return start === -1 ? [] : all.slice(start);
}

const politeness =
  /^(?:(?:ok(?:ay)?|yes|yep|sure|well|please|let us|let['’]?s|i(?:['’]?d| would| will|['’]ll)?|we|go|going|take|choose|pick|use|do|prefer|like|want|with|for|to|my choice is|make it|try|say|rather|think|the best is)\b[,:\s]*)+/i;
const closing =
  /(?:[,\s]+(?:please|thanks|thank you|then|sounds (?:good|best|great|fine)|is (?:good|best|fine|great)|it is|would be (?:good|best|fine)))+$/i;

function normalise(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replace(/[“”"'’.!]+/g, '')
    .replace(/\s+/g, ' ');
}

function readNumber(words: string, count: number): number | null {
  const bare = words.replace(
    /^(?:the )?(?:option|idea|number|no|variant|alternative|choice)? ?#? ?/,
    '',
  );
  const plain = bare.replace(/ (?:one|option|idea|variant|alternative)$/, '');
  if (/^\d{1,2}\)?$/.test(plain)) return Number.parseInt(plain, 10);
  if (/^[a-e]\)?$/.test(plain)) return plain.charCodeAt(0) - 96;
  if (plain === 'last' || plain === 'latter') return count;
  if (plain === 'former') return count === 2 ? 1 : null;
  const place = ordinals.indexOf(plain);
  if (place !== -1) return place + 1;
  const cardinal = cardinals.indexOf(plain);
  return cardinal === -1 ? null : cardinal + 1;
}

/** The alternative that `answer` picks; null: it picks none of them. */
export function readChoice(answer: string, offered: readonly JsonObject[]): Offered | null {
  const choices = readOffered(offered);
  if (choices.length === 0 || answer.length > 300) return null;
  const whole = normalise(answer);
  for (const words of new Set([
    whole,
    whole.replace(closing, ''),
    whole.replace(closing, '').replace(politeness, '').trim(),
  ])) {
    const number = readNumber(words, choices.length);
    const byNumber = number === null ? undefined : choices.find((one) => one.number === number);
    const byName = findNamed(words, choices);
    // A name that is a number, too, and of another one, says nothing for sure.
    if (byName !== null && byNumber !== undefined && byName !== byNumber) return null;
    const found = byName ?? byNumber;
    if (found !== undefined) return found;
  }
  return null;
}

/** The one whose name `words` are, or are a part of that no other name has. */
function findNamed(words: string, choices: Offered[]): Offered | null {
  const bare = words.replace(/^(?:the|a|an) /, '').replace(/ (?:one|option|idea|variant|way)$/, '');
  if (bare.length < 3) return null;
  const exact = choices.filter(({ name }) => normalise(name) === bare);
  if (exact.length === 1) return exact[0] ?? null;
  const parts = choices.filter(({ name }) => ` ${normalise(name)} `.includes(` ${bare} `));
  return parts.length === 1 ? (parts[0] ?? null) : null;
}

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
