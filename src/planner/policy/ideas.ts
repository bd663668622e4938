// Ideas without a model: angles from which most work can be gone about, each only where the tools at hand can do it.
// They differ in who does it, when it is done and what is risked, so that a person has something to choose.
import type { OperationSpec } from '#contracts/tool.ts';
import { bindFamily, type Family } from '../offline/families.ts';
import { stripClosing, stripPoliteness } from '../offline/lexicon.ts';
import { demandsIdeas } from './effects.ts';
import type { Alternative } from './options.ts';

type Angle = Alternative & {
  /** Kinds of operations it needs; with any of them it can be done. */
  needs: Family[];
  /** Requests it fits better than others. */
  fits: RegExp;
};

const angles: ((topic: string) => Angle)[] = [
  (topic) => ({
    name: 'Small first',
    text: `Try ${topic} on a single example, look at the result together, and only then do the rest.`,
    differs: 'Slowest to finish, and a wrong turn costs almost nothing.',
    needs: ['write', 'move', 'copy', 'post', 'request'],
    fits: /\b(?:all|every|each|many|files?|migrat\w*|clean|tidy|organi[sz]e|convert|rename|sort|archive|bulk)\b/i,
  }),
  (topic) => ({
    name: 'Draft to edit',
    text: `Write a first version of ${topic} into drafts/ for you to change before anything goes out.`,
    differs: 'Quickest to something you can hold; the thinking comes after.',
    needs: ['write', 'compose'],
    fits: /\b(?:write|draft|report|text|letter|blog|post|article|newsletter|speech|slides?|presentation|document|proposal|announcement|names?|slogan|agenda|invitation)\b/i,
  }),
  (topic) => ({
    name: 'Ask around',
    text: `Collect opinions: give the people concerned a short task with your question about ${topic}, and decide with their answers.`,
    differs: 'Depends on others replying, and nobody is surprised later.',
    needs: ['ask'],
    fits: /\b(?:team|people|everyone|party|offsite|event|meeting|decide|choose|choice|which|gift|celebrat\w*|birthday|policy|lunch|dinner|trip|travel)\b/i,
  }),
  (topic) => ({
    name: 'Fixed date',
    text: `Put the day by which ${topic} must be finished into the calendar and work backwards from there.`,
    differs: 'Time is certain; how much gets done bends to it.',
    needs: ['calendar_add'],
    fits: /\b(?:event|launch|release|party|offsite|deadline|exam|wedding|conference|trip|travel|move|moving|meeting|birthday|project)\b/i,
  }),
  (topic) => ({
    name: 'A little, often',
    text: `Set a weekly reminder to spend half an hour on ${topic}.`,
    differs: 'Never urgent and easy to keep up, with progress you see only after weeks.',
    needs: ['remind'],
    fits: /\b(?:learn\w*|improve|practi[sc]e|habit|fit|health\w*|exercise|read\w*|study|save|train\w*|regular\w*|routine|keep up|language|course|book)\b/i,
  }),
  (topic) => ({
    name: 'Look before',
    text: `Read what the workspace already holds on ${topic} and summarise the gaps.`,
    differs: 'Changes nothing yet, so it can only delay, and it avoids doing work twice.',
    needs: ['read', 'list'],
    fits: /\b(?:files?|notes?|docs?|documents?|workspace|folders?|existing|review|clean|tidy|organi[sz]e|audit|check|structure)\b/i,
  }),
  (topic) => ({
    name: 'Checklist',
    text: `Break ${topic} into a checklist file with an owner against every line.`,
    differs: 'Everyone works in parallel from one page that needs someone to keep it true.',
    needs: ['write'],
    fits: /\b(?:project|launch|plan|prepare|onboard\w*|move|moving|organi[sz]e|event|offsite|release|setup|set up|migrat\w*)\b/i,
  }),
  (topic) => ({
    name: 'In the open',
    text: `Announce ${topic} in this conversation now and gather volunteers.`,
    differs: 'Raises attention early, and expectations with it.',
    needs: ['post'],
    fits: /\b(?:team|people|everyone|launch|announce\w*|event|offsite|party|news|release|communit\w*)\b/i,
  }),
  (topic) => ({
    name: 'Search outside',
    text: `Fetch how others solve ${topic} from web addresses you trust.`,
    differs: 'Borrowed experience that may not fit here.',
    needs: ['fetch'],
    fits: /\b(?:research|compare|market|best|learn\w*|find out|tools?|vendors?|prices?|competit\w*|how to)\b/i,
  }),
];

const asking =
  /^(?:(?:can|could|would|will) you\s+|please\s+)?(?:brainstorm(?: with me)?|(?:give|show|offer|suggest|propose|think of|find|list|bring|i (?:want|need))(?: (?:me|us))?(?: (?:some|a few|any|your|more|several|two|three|different|good|fresh))* (?:ideas?|options?|alternatives?|suggestions?|ways|variants?)|(?:any|some) (?:ideas?|suggestions?)|ideas?|options?|what could (?:i|we)(?: do)?|what are (?:my|our|the) options|how might (?:i|we)|help me (?:to )?(?:think (?:about|of)|find ideas?))\b[\s,:]*(?:(?:for|about|on|of|to|how to|how (?:we|i) (?:could|can|might)|around|with)\b\s*)?/i;
const topicAtMost = 60;

/** Whether a request begins by asking for ideas or options: "give me ideas for …", "what are the options for …". */
export function asksForIdeas(request: string): boolean {
  return asking.test(stripPoliteness(request.trim())) && demandsIdeas(request);
}

/** What a request is about, as it stands behind "for" or "on": "Brainstorm names for the launch" → "names for the launch". */
export function findTopic(request: string): string {
  const first = request.trim().split(/\n|(?<=[.!?])\s/)[0] ?? '';
  const bare = stripClosing(stripPoliteness(first)).replace(/[.!?\s]+$/, '');
  const about = bare
    .replace(asking, '')
    .replace(
      /\s*,?\s*\b(?:and|but)?\s*(?:give|show|offer|suggest) (?:me )?(?:some |a few )?(?:options|ideas|alternatives)$/i,
      '',
    )
    .replace(
      /^(?:plan|organi[sz]e|prepare|arrange|do|make|set up)\s+(?=(?:an?|the|our|my|this|that)\s)/i,
      '',
    )
    .trim();
  if (about === '') return 'it';
  if (about.length <= topicAtMost) return lowerFirst(about);
  const cut = about.slice(0, topicAtMost).replace(/\s+\S*$/, '');
  return `${lowerFirst(cut)} …`;
}

/** A sentence's capital goes; that of a name or an abbreviation stays. */
function lowerFirst(text: string): string {
  return /^\p{Lu}\p{Ll}/u.test(text) && !/^\p{Lu}\p{Ll}+\s+\p{Lu}/u.test(text)
    ? text.charAt(0).toLowerCase() + text.slice(1)
    : text;
}

const most = 5;

/**
 * Angles on `request` that the tools of `manifest` can carry out, the best fitting first; at most five. They differ in
 * more than words; where fewer than two are possible there is nothing to choose.
 */
export function ideasFor(request: string, manifest: OperationSpec[]): Alternative[] {
  const topic = findTopic(request);
  const possible = angles
    .map((angle) => angle(topic))
    .filter(({ needs }) => needs.some((family) => bindFamily(family, manifest) !== null));
  const ranked = [
    ...possible.filter(({ fits }) => fits.test(request)),
    ...possible.filter(({ fits }) => !fits.test(request)),
  ];
  return ranked.slice(0, most).map(({ name, text, differs }) => ({ name, text, differs }));
}
