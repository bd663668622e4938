// Which stage a change request concerns (B13): words, steps and content go back to the outline, their order to the
// roadmap, dates and durations to the schedule. What concerns several goes to the earliest, since the later follow.
import type { OutlineNode, PlanOutline } from '#contracts/planning/outline.ts';
import type { Gate } from '#contracts/planning/stages.ts';
import { countForm } from '../number-words.ts';
import { shield } from './shield.ts';
import { squeezeBlanks } from './squeeze-blanks.ts';

type RoutedChange = {
  gate: Gate;
  /** For each part of the feedback, what it was taken for. */
  reasons: string[];
};

const gates: Gate[] = ['outline', 'roadmap', 'schedule'];
const mostFeedback = 20_000;
/** Nobody has more wishes at once; what comes behind is with the planner all the same. */
const mostParts = 50;

/** The earlier of two gates: what comes after it is made again. */
function earlierGate(one: Gate, other: Gate): Gate {
  return gates.indexOf(one) <= gates.indexOf(other) ? one : other;
}

/** The stage that `feedback` about `outline` concerns; `outline` where nothing says otherwise. */
export function routeChange(feedback: string, outline: PlanOutline | null): RoutedChange {
  const nodes = (outline?.nodes ?? []).map(describeNode);
  const routed = splitParts(feedback).map((part) => ({ part, ...routePart(part, nodes) }));
  if (routed.length === 0) return { gate: 'outline', reasons: ['nothing in particular was named'] };
  return {
    gate: routed.map(({ gate }) => gate).reduce(earlierGate),
    reasons: routed.map(({ part, gate, why }) => `“${show(part)}”: ${why} (${gate})`),
  };
}

function show(part: string): string {
  const plain = part.replace(/[\uE000-\uF8FF]/g, '…').trim();
  return plain.length > 80 ? `${plain.slice(0, 79)}…` : plain;
}

/** One wish each; quoted text, paths and addresses stand hidden in it, since their words mean nothing here. */
function splitParts(feedback: string): string[] {
  const plain = squeezeBlanks(feedback.slice(0, mostFeedback)).replace(
    /^\s*propose changes\s*:\s*/i,
    '',
  );
  // Each name is looked for from its beginning only: text without blanks (Chinese, base64) would be read from each letter.
  const hidden = shield(plain).text.replace(
    /\bhttps?:\/\/\S+|(?<![\p{L}\p{N}_.-])[\p{L}\p{N}_.-]*\/[\p{L}\p{N}_./-]*|(?<![\p{L}\p{N}_-])[\p{L}\p{N}_-]+\.(?!m\b)\p{L}[\p{L}\p{N}]{0,7}(?![\p{L}\p{N}])/gu,
    '\uE000',
  );
  return hidden
    .split(
      /\s*[;\n]+\s*|(?<![.!?])[.!?]+(?:\s+|$)|\s*,?\s+(?:and|but|also|then)\s+(?=(?:please\s+)?(?:also\s+)?(?:add|use|skip|omit|rename|change|remove|drop|delete|move|do|start|finish|make|put|write|call|leave|shift|postpone|delay|swap|run|replace|mention|include)\b)/iu,
    )
    .map((part) => part.trim())
    .filter((part) => /[\p{L}\p{N}]/u.test(part))
    .slice(0, mostParts);
}

type NodeWords = { node: OutlineNode; words: Set<string> };

const empty = new Set(
  'the a an of to for in on at it its this that these those with and or from by into as is are be my your our their all any each step steps task tasks phase milestone part one do make please should must then'.split(
    ' ',
  ),
);

function wordsOf(text: string): Set<string> {
  const found = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return new Set(found.filter((word) => !empty.has(word)).map(stem));
}

function stem(word: string): string {
  return word.length > 4 ? word.replace(/(?:ies|ing|ed|es|s|e)$/, '') : word;
}

function describeNode(node: OutlineNode): NodeWords {
  return { node, words: wordsOf(node.title) };
}

/** The nodes that `text` speaks of: by "step 3", an ordinal, or words of their titles. */
function findNodes(text: string, nodes: NodeWords[]): NodeWords[] {
  const numbers = [
    ...text.matchAll(/\b(?:steps?|tasks?|phases?|milestones?|no\.?|#)\s*(\d{1,4})/gi),
  ];
  const tasks = nodes.filter(({ node }) => node.structure !== 'goal');
  const byNumber = numbers.flatMap(([, number]) => {
    const named = tasks.find(({ node }) => node.id === number) ?? tasks[Number(number) - 1];
    return named === undefined ? [] : [named];
  });
  if (byNumber.length > 0) return byNumber;
  const said = wordsOf(text);
  const uses = new Map<string, number>();
  for (const { words } of tasks) {
    for (const word of words) uses.set(word, (uses.get(word) ?? 0) + 1);
  }
  return tasks.filter(({ words }) => {
    const shared = [...words].filter((word) => said.has(word));
    // One word is enough where only this title has it: "the review".
    return shared.length > 1 || shared.some((word) => uses.get(word) === 1 && !general.has(word));
  });
}

/** Verbs of so many titles that they name none. */
const general = wordsOf('write create make add move send post run get set put use start change');

/** "step 2", "the last one", "the first", "everything", "the rest". */
const placeName =
  /\b(?:steps?\s+\d+|(?:the\s+)?(?:first|second|third|fourth|fifth|last|next|previous|other)(?:\s+(?:steps?|tasks?|one|phase|two|three))|everything(?:\s+else)?|anything\s+else|all\s+(?:the\s+)?(?:others|steps|tasks|rest)|the\s+(?:rest|others|end|beginning|start)|them|both|each\s+other)\b/i;

const unit =
  '(?:seconds?|minutes?|mins?|hours?|hrs?|days?|weeks?|months?|years?|quarters?|h|workdays?|fortnights?)';
const amount = `(?:${countForm}|a few|a couple of|several)`;
const weekday =
  '(?:mon|tues?|wednes|thurs?|fri|satur|sun)day|mon|tue|wed|thu|fri|weekends?|weekdays?|workdays?';
const month =
  'january|february|march|april|june|july|august|september|october|november|december|jan|feb|apr|jun|jul|aug|sept?|oct|nov|dec';
const moment = new RegExp(
  `\\b(?:${weekday}|${month}|(?:in|by|until|till|before|after|since|this|next|early|late|mid|end of|from) (?:may|${month})|today|tonight|tomorrow|yesterday|noon|midnight|mornings?|afternoons?|evenings?|easter|christmas|new year(?:'s)?|(?:next|this|the following|end of (?:the )?|early|late|mid) ?(?:week|month|year|quarter)|\\d{1,2}:\\d{2}|\\d{1,2}\\s?[ap]\\.?m\\b|\\d{4}-\\d{2}-\\d{2}|\\d{1,2}(?:st|nd|rd|th)|\\d{1,2}\\/\\d{1,2}|o'clock|q[1-4]|at (?:the )?\\d{1,2}(?![\\p{L}\\p{N}])|(?:working|office|business) hours)`,
  'iu',
);
const span = new RegExp(`\\b(?:${amount}|\\d+)\\s*-?\\s*${unit}\\b`, 'i');
const timing =
  /\b(?:postpone|reschedule|delay|deadlines?|due|overdue|not before|no earlier|no later|too (?:tight|soon|late|early)|durations?|takes?|took|last(?:s|ing)? (?:only )?(?:\d|an?\b)|more time|less time|earlier|later|sooner|(?:bring|push|shift|move)\b.{0,40}\b(?:forward|back|ahead|out)|the (?:dates?|times?|schedule|timeline|calendar|timing)|days? off|holidays?|vacation|buffer|slack|overtime|time zone|timezone|when it (?:starts|ends|runs))\b/i;

/** Order said without naming anything. */
const bareOrder =
  /\b(?:in parallel|parallel|simultaneously|at the same time|side by side|concurrently|one (?:after (?:the other|another)|at a time|by one)|sequential(?:ly)?|in sequence|serially|the other way (?:a)?round|vice versa|revers(?:e|ed)(?: the)? order|(?:different|another|other|opposite|wrong|right|better) order|reorder|re-order|swap|order of (?:the )?steps|(?:change|fix) the order|as fast as possible|faster|slower|more (?:careful(?:ly)?|cautious(?:ly)?)|play it safe|safer|prerequisites?|dependenc(?:y|ies)|(?:the )?(?:roadmap|sequence|order)|(?:option|alternative|variant) (?:\d|[“"\uE000]|one|two|three)|(?:take|choose|prefer|use) the (?:\w+ )?(?:option|alternative|variant))/iu;
/** Order about something that is named. */
const namedOrder =
  /\b(?:before|after|ahead of|prior to|following|followed by|until|once|as soon as|while|during|together with|along(?:side)? with|depends? on|wait(?:s|ing)? for|needs? .{0,40} first|first|last|at the (?:very )?(?:end|beginning|start)|to the (?:very )?(?:end|beginning|start|front|back|top|bottom)|up|down|earlier|later|sooner|start with|begin with|end with|finish with|instead of waiting)\b/iu;

const adds =
  /^(?:please\s+)?(?:also\s+)?(?:(?:first|then|finally|before that|after(?:wards| that)|at the end|in the end)[,:]?\s+)?(?:add|include|insert|append|create|write|mention|introduce|put in|we (?:also )?need|there (?:should|must) be|you forgot|it lacks|missing)\b|\b(?:add|insert|include) (?:a|an|another|one|some|more|the)\b/i;
const removes =
  /\b(?:remove|delete|drop|skip|omit|leave out|cut|without|get rid of|cancel|no need|not need(?:ed)?|unnecessary|forget about|do not need|don['’]?t need|merge|split|combine|divide|break (?:up|down|it))\b/i;
const rewrites =
  /\b(?:rename|reword|rephrase|retitle|title|wording|call (?:it|them|the)|say(?:s|ing)?|text|content|contain(?:s|ing)?|spell(?:ing|ed)?|typo|file ?names?|folder|path|instead of [\uE000]|replace|rewrite|translate|describe|description|summary|language|assign(?:ee|ed)?|person|people|risks?|recipients?|room)\b/iu;
const repeats =
  /\b(?:every|each|daily|weekly|monthly|yearly|hourly|biweekly|fortnightly|once a (?:day|week|month)|recurring|recurrence|repeat(?:s|ed|ing)?)\b/i;

/** Words that name a moment or a length of time: something else than an order among steps. */
function namesTime(part: string): boolean {
  return moment.test(part) || span.test(part);
}

type Routed = { gate: Gate; why: string };

function routePart(part: string, nodes: NodeWords[]): Routed {
  if (removes.test(part) && !/\b(?:buffer|slack|break|days? off)\b/i.test(part)) {
    return { gate: 'outline', why: 'it takes work away or divides it' };
  }
  if (adds.test(part) && !/\b(?:buffer|slack|time|days?|hours?|minutes?|weeks?)\b/i.test(part)) {
    return { gate: 'outline', why: 'it adds work' };
  }
  const order = readOrder(part, nodes);
  if (order !== null) return order;
  const reworded = rewrites.test(part);
  if (!reworded && repeats.test(part) && (namesTime(part) || /\b(?:ly|repeat)/i.test(part))) {
    return { gate: 'outline', why: 'it changes how often something happens' };
  }
  if (!reworded && (namesTime(part) || timing.test(part))) {
    const meant = findNodes(part, nodes);
    if (holdsMoment(meant.length > 0 ? meant : nodes)) {
      return { gate: 'outline', why: 'the moment stands in what a step is given' };
    }
    return { gate: 'schedule', why: 'it is about dates or durations' };
  }
  return { gate: 'outline', why: 'it is about what is done, or its words' };
}

/** Order among what is there: both sides are known, or nothing but the order is named. */
function readOrder(part: string, nodes: NodeWords[]): Routed | null {
  const whys = { gate: 'roadmap', why: 'it is about the order of what is there' } as const;
  const meant = findNodes(part, nodes);
  const named = meant.length > 0 || placeName.test(part);
  const toRoadmap = !rewrites.test(part) || meant.length > 1;
  if (bareOrder.test(part) && toRoadmap && !(timing.test(part) && !named && namesTime(part)))
    return whys;
  if (!namedOrder.test(part) || !named || !toRoadmap) return null;
  // "two days after the kickoff" is an edge with a lag; "after Friday" and "two days later" are dates.
  const joined =
    /\b(?:before|after|ahead of|prior to|following|until|once|as soon as|while|during|together with|depends? on|wait(?:s|ing)? for)\s+(.+)$/iu.exec(
      part,
    )?.[1];
  if (joined !== undefined) {
    const other = findNodes(joined, nodes).length > 0 || placeName.test(joined);
    return other && !startsWithTime(joined) ? whys : null;
  }
  return namesTime(part) || /\b(?:earlier|later|sooner)\b/i.test(part) ? null : whys;
}

function startsWithTime(text: string): boolean {
  const head = text.split(/\s+/).slice(0, 3).join(' ');
  return namesTime(head) && !/^(?:the|step)\b/i.test(head);
}

const momentArgument =
  /^(?:at|start|starts|start_at|starts_at|end|ends|when|date|time|due|rrule|from|until|to)$/;

/** A step of these is given a moment or a rule as an argument: a reminder, an event. The schedule does not move those. */
function holdsMoment(nodes: NodeWords[]): boolean {
  return nodes.some(({ node }) =>
    node.steps.some((step) =>
      Object.entries(step.args ?? {}).some(
        ([name, value]) =>
          momentArgument.test(name) &&
          typeof value === 'string' &&
          /^\d{4}-\d{2}-\d{2}|FREQ=/.test(value),
      ),
    ),
  );
}
