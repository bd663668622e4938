// Instructions that reach people: post, ask, remind, and what stands in a calendar.
import { readContent, splitAtMarker } from '../content.ts';
import { readLeadVerb } from '../lexicon.ts';
import { questions } from '../questions.ts';
import { ask, type Frame, intents, type ReadingContext } from '../reading.ts';
import { readQuote, unshield } from '../shield.ts';
import { readMoment, readRecurrence } from '../times.ts';

const conversationWords = String.raw`(?:(?:the|this|our|my|your)\s+)?(?:channel|chat|conversation|thread|team|group|room|everyone|everybody|all|us|here|console|people)`;
const toConversation = new RegExp(
  String.raw`\s+(?:here|(?:to|in|into|on|for)\s+(${conversationWords}|#[\w-]+))[.!]?$`,
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
  if (rest === '') {
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

const asking = /^(ask|get|have|let|tell|instruct)\s+/i;
const personName =
  /^(@[\w.-]+|<@\w+>|\p{Lu}[\p{L}\p{N}_-]*(?:\s+\p{Lu}[\p{L}\p{N}_-]*)?|[Ss]ome(?:one|body)|a\s+(?:person|human|colleague)|the\s+team|me|\p{Ll}[\p{L}\p{N}_-]*)(?=[\s:,.!]|$)\s*[:,]?\s*/u;
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
  const rest = clause.slice(verb[0].length);
  const name = personName.exec(rest);
  const person = name?.[1]?.trim();
  if (!name || person === undefined || notPeople.test(person)) return null;
  const asks = /^(?:ask|instruct)$/i.test(verb[1]);
  // "get notes" and "have lunch" are not about people: only names, and words that go on like a request.
  if (!asks && !/^(?:[@<\p{Lu}]|[Ss]ome|a\s|the\s+team)/u.test(person)) return null;
  if (/^me$/i.test(person) && !asks) return null;
  const words = unshield(rest.slice(name[0].length).trim(), context.shielded.quotes);
  const self = /^me$/i.test(person);
  const answer = context.answers.get(questions.ask(self ? 'you' : person));
  if (words === '' && answer === undefined) return ask(questions.ask(self ? 'you' : person));
  const anyone = self || /^(?:some(?:one|body)|a\s)/i.test(person);
  return intents({
    act: 'ask',
    question: toQuestion(words === '' ? (answer ?? '') : words),
    assignee: anyone ? null : tidyPerson(person),
  });
};

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
  const subject = sentence(words);
  const when = timing ?? readAnswerTiming(context.answers.get(questions.when(subject)), context);
  if (!when) return ask(questions.when(subject));
  return intents({ act: 'remind', text: subject, ...when });
};

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

const calendarWords = /\b(?:calendar|agenda|diary|appointments?|meetings?|events?)\b/i;

export const readCalendar: Frame = (clause, context) => {
  const looks =
    /^(?:(?:show|read|check|list|open|display|print|view|look at|(?:give|tell)\s+(?:me|us))\b|what(?:['’]s|\s+is|\s+are|\s+do)\b|which\b|do\s+(?:i|we)\s+have\b|(?:is|are)\s+there\b|when\s+is\s+my\s+next\b)/i.test(
      clause,
    );
  if (looks && calendarWords.test(clause) && !/\.\p{L}/u.test(clause)) {
    const moment = readMoment(clause, context.now, context.timezone);
    if (!moment || /\bnext\b/i.test(clause))
      return intents({ act: 'calendar_read', from: null, to: null });
    const day = moment.iso.slice(0, 10);
    return intents({ act: 'calendar_read', from: `${day}T00:00:00`, to: `${day}T23:59:59` });
  }
  const lead = readLeadVerb(clause);
  if (
    !lead ||
    ![
      'add',
      'put',
      'schedule',
      'create',
      'enter',
      'set up',
      'make',
      'set',
      'plan',
      'book',
    ].includes(lead.verb)
  )
    return null;
  const toCalendar = /\s+(?:to|in|into|on)\s+(?:(?:the|my|our)\s+)?(?:calendar|agenda|diary)\b/i;
  const isEvent =
    /^(?:(?:a|an|the|another|new)\s+)*(?:\w+\s+)?(?:meeting|appointment|event|calendar entry|calendar event|call)\b/i.test(
      lead.rest,
    );
  if (!toCalendar.test(lead.rest) && !(isEvent && lead.verb !== 'book')) return null;
  const { text, timing } = splitTiming(lead.rest.replace(toCalendar, ''), context);
  const title = readTitle(text, context) ?? context.answers.get(questions.event());
  if (title === undefined) return ask(questions.event());
  const when = timing ?? readAnswerTiming(context.answers.get(questions.starts(title)), context);
  if (!when) return ask(questions.starts(title));
  const start = when.at ?? readMoment('today', context.now, context.timezone)?.iso;
  if (start === undefined) return ask(questions.starts(title));
  return intents({
    act: 'calendar_add',
    title,
    start,
    end: null,
    rrule: when.rrule,
    assumedHour: when.assumedHour,
  });
};

function readTitle(text: string, context: ReadingContext): string | undefined {
  const named = /\b(?:called|named|titled|saying)\s+([\s\S]+)$/i.exec(text)?.[1];
  const rest = (named ?? text)
    .replace(
      /^(?:(?:a|an|the|new)\s+)*(?:calendar\s+)?(?:event|entry)\b\s*(?:(?:for|about|:)\s+)?/i,
      '',
    )
    .replace(/^(?:a|an|the)\s+/i, '')
    .replace(/[\s,]+(?:on|at|for)?[\s,.]*$/i, '')
    .trim();
  if (rest === '') return undefined;
  const quote = readQuote(rest, context.shielded.quotes);
  return quote ?? sentence(unshield(rest, context.shielded.quotes));
}
