// Parses style phrases, alone or before a request, never inside it.
import { defaultPolicy, type PolicyOverride, type PolicyRequest } from '#domain/people/policy.ts';
import { listOf, trimTail } from '#domain/words.ts';

/** Alternatives with `|`, lower case; `says` describes the change. */
type Phrase = [words: string, sets: PolicyOverride, says: string];

const { conversation_style, talkativeness, tone, probing_depth } = defaultPolicy;
const asUsual = { conversation_style, talkativeness, tone };

const phrases: Phrase[] = [
  [
    'be brief|be concise|be more concise|keep it short|keep it brief|short answers',
    { conversation_style: 'concise', talkativeness: 0.2 },
    'keep it brief',
  ],
  [
    'be more detailed|give me more detail|give me more details|more detail|more details',
    { conversation_style: 'standard', talkativeness: 0.9 },
    'give more detail',
  ],
  [
    'be conversational|be more conversational|be chatty|talk more',
    { conversation_style: 'conversational', talkativeness: 0.8 },
    'talk more freely',
  ],
  [
    'walk me through it|walk me through the plan|coach me|explain each step',
    { conversation_style: 'coach', talkativeness: 0.8 },
    'explain each step as we go',
  ],
  ['back to normal|talk as usual', asUsual, 'talk as usual'],
  ['reset my settings', defaultPolicy, 'use the settings I began with'],
  [
    "ask me nothing|ask nothing|no questions|don't ask me anything|don't ask",
    { probing_depth: 0 },
    'ask nothing, and note what I assume',
  ],
  ['fewer questions|at most one question', { probing_depth: 1 }, 'ask one question at most'],
  ['at most two questions', { probing_depth: 2 }, 'ask at most two questions'],
  ['more questions|at most three questions', { probing_depth: 3 }, 'ask at most three questions'],
  [
    "ask me first|don't assume anything",
    { autonomy: 'low', probing_depth: 3 },
    'ask before I assume anything',
  ],
  [
    'just do it|you decide',
    { autonomy: 'high', probing_depth: 0 },
    'decide what is left open, and note it; a plan still waits for your approval',
  ],
  ['ask what matters', { autonomy: 'medium', probing_depth }, 'ask what matters'],
  ['give me options', { brainstorming_preference: 'always_offer' }, 'offer options'],
  ['no suggestions', { brainstorming_preference: 'on_demand' }, 'offer options only when you ask'],
  [
    'check with me before every step|check with me at every step',
    { approval_policy: 'strict_every_step' },
    'ask for your approval of every step',
  ],
  [
    'outline first|show me the outline first',
    { approval_policy: 'milestone_approvals' },
    'ask for your approval of the outline and the order before the plan',
  ],
  [
    'approve once at the end|only ask me once at the end',
    { approval_policy: 'single_final' },
    'ask for approval once, at the end',
  ],
  ['be friendly|be friendlier|friendlier', { tone: 'friendly' }, 'use a friendlier tone'],
  ['just the facts|stick to facts', { tone: 'clinical' }, 'stick to facts'],
  ['be neutral|neutral tone', { tone: 'neutral' }, 'use a neutral tone'],
];
const byWords = new Map(
  phrases.flatMap((phrase) => phrase[0].split('|').map((words) => [words, phrase] as const)),
);

/** Longest first, since phrases share beginnings. */
const known = [...byWords.keys()].sort((a, b) => b.length - a.length);

const before =
  /(?:please|(always|from now on|in future|in the future|by default)|today|for now|this time|for this conversation|in this conversation),?\s+/iy;
const after =
  /,?\s+(?:please|(always|from now on|in future|in the future|by default)|today|for now|this time|for this conversation|in this conversation)/iy;
/** After a phrase; null if the sentence continues. */
function lengthOfEnd(text: string): number | null {
  const gap = /^[\s.!:;,]*/.exec(text)?.[0] ?? '';
  const rest = text.slice(gap.length);
  const and = gap === '' ? undefined : /^and\s+(?:then\s+)?/i.exec(rest)?.[0];
  const ends = rest === '' || /[.!:;,\n]/.test(gap) || and !== undefined;
  return ends ? gap.length + (and?.length ?? 0) : null;
}

/** Consecutive matches from `at`. `forGood`: one says so. */
function matchAll(pattern: RegExp, text: string, at: number): { ends: number[]; forGood: boolean } {
  const ends = [at];
  let forGood = false;
  pattern.lastIndex = at;
  for (let found = pattern.exec(text); found !== null; found = pattern.exec(text)) {
    ends.push(pattern.lastIndex);
    forGood ||= found[1] !== undefined;
  }
  return { ends, forGood };
}

/** Politeness and duration included. */
function readPhrase(text: string): { phrase: Phrase; lasting: boolean; length: number } | null {
  const lead = matchAll(before, text, 0);
  const start = lead.ends.at(-1) ?? 0;
  const words = known.find((one) => text.slice(start, start + one.length).toLowerCase() === one);
  const phrase = words === undefined ? undefined : byWords.get(words);
  if (words === undefined || phrase === undefined) return null;
  const tail = matchAll(after, text, start + words.length);
  for (const at of tail.ends.toReversed()) {
    const length = lengthOfEnd(text.slice(at));
    if (length !== null)
      return { phrase, lasting: lead.forGood || tail.forGood, length: at + length };
  }
  return null;
}

/** Null without any, or if they conflict. */
function readPhrases(text: string): PolicyRequest | null {
  const read: Phrase[] = [];
  let lasting = false;
  let rest = text.trim().replaceAll('’', "'");
  // Phrases are short, texts may be long.
  for (let next = readPhrase(rest); next !== null; next = readPhrase(rest)) {
    if (read.length === phrases.length) return null;
    read.push(next.phrase);
    lasting ||= next.lasting;
    rest = rest.slice(next.length);
  }
  const override: PolicyOverride = Object.assign({}, ...read.map(([, sets]) => sets));
  const settings = read.reduce((sum, [, sets]) => sum + Object.keys(sets).length, 0);
  if (read.length === 0 || settings > Object.keys(override).length) return null;
  return {
    override,
    lasting,
    confirmation: confirm(
      read.map(([, , says]) => says),
      lasting,
    ),
    rest: rest === '' ? '' : text.trim().slice(-rest.length),
    settlesQuestions: override.probing_depth === 0,
  };
}

function confirm(says: string[], lasting: boolean): string {
  return `${lasting ? 'From now on' : 'In this conversation'} I ${listOf(says)}.`;
}

const answers: [pattern: RegExp, sets: PolicyOverride, says: string][] = [
  [
    /^(?:concise|brief|short|shorter)(?: answers)?$/,
    { conversation_style: 'concise', talkativeness: 0.3 },
    'keep it brief',
  ],
  [
    /^(?:conversational|more explanation|explanation|longer(?: answers)?|details?)$/,
    { conversation_style: 'conversational', talkativeness: 0.7 },
    'talk more freely',
  ],
  [/^(?:either|both|i don't (?:care|mind)|as usual)$/, { conversation_style }, 'talk as usual'],
];

function readStyleAnswer(text: string): PolicyRequest | null {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  for (const [index, line] of lines.entries()) {
    const words = line
      .toLowerCase()
      .replaceAll('’', "'")
      .replace(/^\s*(?:[-•*]|\d+[.)])\s+/, '');
    const plain = trimTail(trimTail(words, /[.!\s]/).replace(/please$/, ''), /[.,!\s]/).trim();
    const found = answers.find(([pattern]) => pattern.test(plain));
    if (found === undefined) continue;
    const [, override, says] = found;
    const rest = lines.toSpliced(index, 1).join('\n');
    const confirmation = confirm([says], true);
    return { override, lasting: true, confirmation, rest, settlesQuestions: false };
  }
  return null;
}

/** @param styleAsked the bot has just asked for the style */
export function parsePolicyRequest(text: string, styleAsked = false): PolicyRequest | null {
  return (styleAsked ? readStyleAnswer(text) : null) ?? readPhrases(text);
}
