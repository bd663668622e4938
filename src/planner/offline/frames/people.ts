// Instructions that reach people: post, ask, remind, and what stands in a calendar.
import { readContent, splitAtMarker } from '../content.ts';
import { readLeadVerb } from '../lexicon.ts';
import { findPaths } from '../paths.ts';
import { questions } from '../questions.ts';
import { ask, type Frame, intents, type Reading, type ReadingContext } from '../reading.ts';
import { readRecurrence } from '../recurrences.ts';
import { unshield } from '../shield.ts';
import { formatMoment, readMoment } from '../times.ts';

const conversationWords = String.raw`(?:(?:the|this|our|my|your)\s+)?(?:channel|chat|conversation|thread|team|group|room|everyone|everybody|all|us|here|console|people)`;
const toConversation = new RegExp(
  String.raw`\s+(?:here|(?:to|in|into|on|for|with)\s+(${conversationWords}|#[\w-]+))[.!]?$`,
  'i',
);

export const readPost: Frame = (clause, context) => {
  const lead = readLeadVerb(clause);
  if (!lead) return null;
  const posts = [
    'post',
    'announce',
    'publish',
    'broadcast',
    'share',
    'message',
    'notify',
    'say',
    'reply',
    'ping',
  ].includes(lead.verb);
  const tells =
    lead.verb === 'tell' && new RegExp(`^(?:to\\s+)?${conversationWords}\\b`, 'i').test(lead.rest);
  const sends =
    ['send', 'write', 'put', 'drop'].includes(lead.verb) &&
    (toConversation.test(lead.rest) || /^(?:a\s+|the\s+)?(?:chat\s+)?message\b/i.test(lead.rest)) &&
    !/\bfile\b|\be-?mail\b|\bsms\b/i.test(lead.rest);
  if (!posts && !tells && !sends) return null;
  if (
    posts &&
    !tells &&
    /^(?:a\s+|an\s+)?(?:letter|parcel|package|job|ad|advert|video|photo)\b/i.test(lead.rest)
  )
    return null;
  const told = readTold(lead.verb, lead.rest, context);
  if (told !== null) return told;
  const channel = /#[\w-]+/.exec(lead.rest)?.[0] ?? null;
  let rest = lead.rest;
  const place = toConversation.exec(rest);
  if (place) rest = rest.slice(0, place.index);
  rest = rest
    .replace(
      new RegExp(
        `^(?:(?:to|in)\\s+)?(?:${conversationWords}|#[\\w-]+)\\s*(?:[:,]\\s*|(?=that\\b|saying\\b|about\\b|[\\uE000-\\uF8FF]))?`,
        'i',
      ),
      (match) => (/^(?:all|people)\s*$/i.test(match) ? match : ''),
    )
    .replace(/^in\s+#[\w-]+\s*(?:[:,]\s*|(?=that\b|saying\b|about\b|[\uE000-\uF8FF]))/i, '')
    .replace(
      /^(?:an?\s+|the\s+|this\s+|following\s+)*(?:chat\s+)?(?:message|announcement|reply|text|update)\b\s*(?:here\s*)?(?:to\s+\S+\s+)?(?=$|[:,\uE000-\uF8FF]|that\b|saying\b|says\b|with\b|about\b)/i,
      '',
    )
    .replace(
      /^\s*(?:[:,]\s*|that\s+says\s+|that\s+|saying\s+|says\s+|with the text\s+|with\s+(?=[\uE000-\uF8FF]))/i,
      '',
    )
    .trim();
  const marked = rest === '' ? null : splitAtMarker(rest, context.shielded);
  const content =
    marked && marked.before === '' ? marked.content : readContent(rest, context.shielded);
  const named = loosePath(rest, context);
  if (named !== null) {
    const question = questions.pathOrText(named);
    const answer = context.answers.get(question);
    if (answer === undefined) return ask(question);
    const words = /\b(?:words?|names?|literal(?:ly)?)\b/i.test(answer);
    return intents({
      act: 'post',
      text: words ? { kind: 'text', text: named } : { kind: 'copy_of', path: named },
      conversation: channel,
    });
  }
  if (rest === '' || (content.kind === 'text' && content.text === '')) {
    const answer = context.answers.get(questions.post());
    if (answer === undefined) return ask(questions.post());
    return intents({
      act: 'post',
      text: { kind: 'text', text: answer.trim() },
      conversation: channel,
    });
  }
  return intents({ act: 'post', text: content, conversation: channel });
};

const toOne =
  /^(?:(?:(?:a|an|the)\s+)?(?:chat\s+)?(?:message|text|reply|note)\s+to\s+)?(@?\p{Lu}[\p{L}\p{N}_-]*)(?=[\s:,]|$)[:,]?\s*(?:(?:that|saying|with)\s+)?([\s\S]*)$/u;
const wordsToOne = /^([\s\S]+?)\s+to\s+(@?\p{Lu}[\p{L}\p{N}_-]*)[.!]?$/u;

/** A message to one person cannot be posted to all instead. */
function readTold(verb: string, rest: string, context: ReadingContext): Reading | null {
  const direct =
    /^(?:message|notify|ping)$/.test(verb) ||
    /^(?:(?:a|an|the)\s+)?(?:chat\s+)?(?:message|text|reply|note)\s+to\s/i.test(rest)
      ? toOne.exec(rest)
      : null;
  const last = direct ? null : wordsToOne.exec(rest);
  const person = direct?.[1] ?? last?.[2];
  if (
    person === undefined ||
    /^(?:I|We|The|It|Everyone|Everybody|All|Team|Build|Deploy)$/.test(person)
  )
    return null;
  const words = unshield((direct?.[2] ?? last?.[1] ?? '').trim(), context.shielded.quotes);
  if (words === '') {
    const asked = questions.ask(person);
    const answer = context.answers.get(asked);
    if (answer === undefined) return ask(asked);
    return intents({ act: 'ask', question: sentence(answer), assignee: tidyPerson(person) });
  }
  return confirmTold(person, words, context);
}

function confirmTold(person: string, words: string, context: ReadingContext): Reading {
  const question = questions.tell(person, words);
  const confirmed = context.answers.get(question);
  if (confirmed === undefined) return ask(question);
  if (!/^\s*(?:y|yes|yep|sure|ok|okay|please|do|right)\b/i.test(confirmed))
    return { kind: 'nothing', note: '' };
  return intents({ act: 'ask', question: sentence(words), assignee: tidyPerson(person) });
}

/** "post a.txt here": what it says, or its name? */
function loosePath(text: string, context: ReadingContext): string | null {
  const [path, ...more] = findPaths(text, context.shielded);
  const rest = path && text.slice(0, path.start) + text.slice(path.end);
  return path &&
    more.length === 0 &&
    !path.quoted &&
    /^[\s.!]*(?:the\s+file\s*)?[\s.!]*$/i.test(rest ?? '')
    ? path.path
    : null;
}

const asking = /^(ask|get|have|let|tell|instruct)\s+/i;
const personName =
  /^(@[\w.-]+|<@\w+>|\p{Lu}[\p{L}\p{N}_'’-]*(?:\s+(?!I\b)\p{Lu}[\p{L}\p{N}_'’-]*)?|[Ss]ome(?:one|body)|a\s+(?:person|human|colleague)|the\s+team|me|\p{Ll}[\p{L}\p{N}_-]*)(?=[\s:,.!]|$)\s*[:,]?\s*/u;
const notPeople =
  /^(?:it|its|a|an|the|us|all|rid|files?|folders?|everything|this|that|these|those|what|which|some|my|our|your|back|started|ready|up|out|in|on|to|for|list|contents?|url|http|https)$/i;

/** "ask Ana whether …", "have Ben check the numbers", "tell Ana to sign". */
export const readAsk: Frame = (clause, context) => {
  const assigned = /^assign\s+([\s\S]+?)\s+to\s+(@?[\p{L}][\p{L}\p{N}_.-]*)$/iu.exec(clause);
  if (assigned?.[1] && assigned[2]) {
    const task = sentence(unshield(assigned[1], context.shielded.quotes));
    return intents({ act: 'ask', question: task, assignee: tidyPerson(assigned[2]) });
  }
  const verb = asking.exec(clause);
  if (!verb?.[1]) return null;
  const several = severalPeople.exec(clause.slice(verb[0].length));
  if (several?.[1] && several[2] && several[3])
    return askEach([several[1], several[2]], `${verb[0]}%s ${several[3]}`, context);
  const rest = clause.slice(verb[0].length);
  const name = personName.exec(rest);
  const person = name?.[1]?.trim();
  if (!name || person === undefined || notPeople.test(person) || /['’]s$/.test(person)) return null;
  const asks = /^(?:ask|instruct)$/i.test(verb[1]);
  // "get notes" and "have lunch" are not about people: only names, and words that go on like a request.
  if (!asks && !/^(?:[@<\p{Lu}]|[Ss]ome|a\s|the\s+team)/u.test(person)) return null;
  if (/^me$/i.test(person) && !asks) return null;
  const words = unshield(rest.slice(name[0].length).trim(), context.shielded.quotes);
  const self = /^me$/i.test(person);
  const answer = context.answers.get(questions.ask(self ? 'you' : person));
  if (words === '' && answer === undefined) return ask(questions.ask(self ? 'you' : person));
  // Something said is no task: nothing is to be done or answered.
  const statement = /^tell$/i.test(verb[1]) && !/^to\s/i.test(words) && words !== '';
  if (statement) {
    return confirmTold(person, words.replace(/^that\s+/i, ''), context);
  }
  const early = readMoment(words.slice(0, 60), context.now, context.timezone);
  if (early && /^(?:(?:on|at|in|by)\s+)?$/i.test(words.slice(0, early.index))) {
    const later = words.slice(early.index + early.words.length).replace(/^[\s,]+/, '');
    if (/^(?:whether|if|when|what|why|who|how|which|for|about|to)\b/i.test(later))
      return {
        kind: 'intents',
        intents: [
          { act: 'ask', question: toQuestion(later), assignee: self ? null : tidyPerson(person) },
        ],
        start: {
          at: early.iso,
          words: early.words,
          assumedHour: early.assumedHour,
          leading: false,
        },
      };
  }
  const anyone = self || /^(?:some(?:one|body)|a\s)/i.test(person);
  return intents({
    act: 'ask',
    question: toQuestion(words === '' ? (answer ?? '') : words),
    assignee: anyone ? null : tidyPerson(person),
  });
};

const severalPeople =
  /^(@?\p{Lu}[\p{L}\p{N}_'’-]*)\s+and\s+(@?\p{Lu}[\p{L}\p{N}_'’-]*)\s+([\s\S]+)$/u;

/** "ask Ana and Ben to …" is a task for each of them. */
function askEach(people: string[], pattern: string, context: ReadingContext): Reading | null {
  const readings = people.map((person) =>
    readAsk(
      pattern.replace('%s', () => person),
      context,
    ),
  );
  const list = readings.flatMap((reading) => (reading?.kind === 'intents' ? reading.intents : []));
  if (list.length === people.length) return intents(...list);
  return readings.find((reading) => reading?.kind === 'question') ?? null;
}

function tidyPerson(name: string): string {
  return name.replace(/^@/, '').replace(/[.,]$/, '');
}

/** "to sign it" → "Sign it"; "whether it is done" → "Whether it is done?". */
function toQuestion(words: string): string {
  const task = /^(?:please\s+)?to\s+([\s\S]+)$/i.exec(words);
  if (task?.[1]) return sentence(task[1]);
  if (/^(?:whether|if|when|what|why|who|how|which|for|about)\b/i.test(words)) {
    return `${sentence(words).replace(/[.?!]+$/, '')}?`;
  }
  return sentence(words);
}

function sentence(words: string): string {
  const text = words.trim();
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const reminderLead =
  /^(?:remind\s+(?:me|us|everyone|everybody|the team|@?\w+)|(?:set|create|add|make|schedule|put)\s+(?:up\s+)?(?:a|an|another|me a|the)?\s*(?:(\S+)\s+)?reminder(?:\s+for\s+(?:me|us))?|(?:i\s+)?(?:want|need)\s+a\s+reminder|ping\s+me|alert\s+me|notify\s+me|wake\s+me(?:\s+up)?)\b[,:]?\s*/i;

export const readRemind: Frame = (clause, context) => {
  const lead = reminderLead.exec(clause);
  if (!lead) return null;
  const adverb =
    lead[1] && /^(?:daily|weekly|monthly|yearly|hourly)$/i.test(lead[1]) ? `${lead[1]} ` : '';
  const all = adverb + clause.slice(lead[0].length).replace(/[.!]$/, '');
  const { text, timing } = splitTiming(all, context);
  const about = text
    .replace(/^[\s,:-]+|[\s,]+$/g, '')
    .replace(
      /^(?:to|that(?:\s+i\s+(?:should|must|have to|need to))?|about|of|for|saying|with the text)\s+/i,
      '',
    )
    .trim();
  const words =
    about === ''
      ? context.answers.get(questions.remindOf())
      : unshield(about, context.shielded.quotes);
  if (words === undefined) return ask(questions.remindOf());
  const other = otherReader(lead[0]);
  if (other !== null) return ask(questions.remindsOnlyYou(other));
  const { subject, unclear } = splitSubject(words);
  const when =
    (unclear ? null : timing) ??
    readAnswerTiming(context.answers.get(questions.when(subject)), context);
  if (!when) return ask(questions.when(subject));
  if (when.at !== null && Date.parse(when.at) <= context.now.getTime()) {
    const question = questions.past(formatMoment(when.at, context.timezone));
    const later = readAnswerTiming(context.answers.get(question), context);
    if (!later || (later.at !== null && Date.parse(later.at) <= context.now.getTime()))
      return ask(question);
    return intents({ act: 'remind', text: subject, ...later });
  }
  return intents({ act: 'remind', text: subject, ...when });
};

/** A reminder reaches whoever asks for it, and nobody else. */
function otherReader(lead: string): string | null {
  const person = /^remind\s+@?(\w+(?:\s+team)?)/i.exec(lead)?.[1] ?? 'me';
  return /^(?:me|us)$/i.test(person) ? null : person;
}

/** What is left of the words of time ("twice", "and 5pm") must not become the text of the reminder. */
function splitSubject(words: string): { subject: string; unclear: boolean } {
  const left =
    /^(?:and|or|at|on|in|until|till|every|each|twice|once|three\s+times|by|from|before|after|starting|except|\d)\b[^.]*?\b(?:to|that|about)\s+(\S[\s\S]*)$/i.exec(
      words,
    );
  return {
    subject: sentence(left?.[1] ?? words),
    unclear: left !== null || /\s(?:and|or|until|till)\s*$/i.test(words),
  };
}

type Timing = { at: string | null; rrule: string | null; assumedHour: boolean };

/** Takes the words of time out of `text`; what stands after "to" only when nothing stands before it. */
function splitTiming(
  text: string,
  context: ReadingContext,
): { text: string; timing: Timing | null } {
  const recurrence = readRecurrence(text);
  if (recurrence) {
    let rest = text;
    for (const piece of recurrence.pieces) rest = rest.replace(piece, ' ');
    return {
      text: rest
        .replace(/\s+/g, ' ')
        .replace(/^\s*(?:at|on)\s+(?=to\b)/i, '')
        .trim(),
      timing: { at: null, rrule: recurrence.rrule, assumedHour: recurrence.assumedHour },
    };
  }
  const task = /\b(?:to|that|about)\s/i.exec(text);
  const before = task ? text.slice(0, task.index) : '';
  const early = before.trim() === '' ? null : readMoment(before, context.now, context.timezone);
  const moment = early ?? readMoment(text, context.now, context.timezone);
  if (!moment) return { text, timing: null };
  const pattern = moment.words.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const rest = text.replace(
    new RegExp(`(?:\\b(?:on|at|by|for|from)\\s+(?:the\\s+)?)?${pattern}`, 'i'),
    ' ',
  );
  return {
    text: rest.replace(/\s+/g, ' ').trim(),
    timing: { at: moment.iso, rrule: null, assumedHour: moment.assumedHour },
  };
}

function readAnswerTiming(answer: string | undefined, context: ReadingContext): Timing | null {
  if (answer === undefined) return null;
  return splitTiming(answer, context).timing;
}
