// Reads a whole request: clause by clause, each with what the ones before it were about.
import { describeWanted } from './abilities.ts';
import { splitClauses } from './clauses.ts';
import { splitAtMarker } from './content.ts';
import { findUnread } from './coverage.ts';
import { readToolHint } from './families.ts';
import { readCalendar } from './frames/calendar.ts';
import { readCopy } from './frames/copy-files.ts';
import { readGeneric, readNamedOperation } from './frames/generic.ts';
import { readDelete, readMove } from './frames/move-files.ts';
import { readAsk, readPost, readRemind } from './frames/people.ts';
import { readList, readRead, readSummarize, rewordQuestion } from './frames/read-files.ts';
import { readWait, readWeb } from './frames/web.ts';
import { readAppend, readMakeFolder, readReplace, readWrite } from './frames/write-files.ts';
import {
  condition,
  fileNoun,
  prohibition,
  readLeadVerb,
  stripClosing,
  stripPoliteness,
} from './lexicon.ts';
import { findPaths } from './paths.ts';
import { questions } from './questions.ts';
import {
  ask,
  type Focus,
  type Frame,
  type Intent,
  type Reading,
  type ReadingContext,
  type Understood,
} from './reading.ts';
import { readRepetition } from './repetition.ts';
import { reword } from './reword.ts';
import { repeatForOthers } from './same-again.ts';
import { splitName } from './schema-fields.ts';
import { shield, unshield } from './shield.ts';
import { spreadTimes } from './spread-time.ts';
import { takeTime } from './timing.ts';

/** From the most particular to the most general. The first that has a reading decides. */
const frames: Frame[] = [
  readNamedOperation,
  readRemind,
  readCalendar,
  readWeb,
  readWait,
  readPost,
  readAsk,
  readMakeFolder,
  readCopy,
  readAppend,
  readReplace,
  readMove,
  readDelete,
  readSummarize,
  readWrite,
  readList,
  readRead,
  readGeneric,
];

const courtesy =
  /^(?:thanks?|thank you|thx|cheers|please|hi|hello|hey|good (?:morning|afternoon|evening)|bye|great|ok|okay|perfect|nice|that['’]?s (?:it|all)|that is all)(?:[\s,]+(?:very much|so much|a lot|in advance|there|bot|countersign|again|you))*[.!?\s]*$/i;
const questionLead =
  /^(?:what|which|who|whom|whose|when|where|why|how|is|are|was|were|does|do|did|has|have|can|could|will|would|should|may|am)\b/i;

export function understand(
  text: string,
  context: Omit<ReadingContext, 'shielded' | 'tool' | 'focus'> & { focus: Focus },
): Understood[] {
  const shielded = shield(text);
  const verbs = new Set(
    context.manifest
      .filter((spec) => spec.source === 'mcp')
      .flatMap((spec) => splitName(spec.operation)),
  );
  const whole = /^[^,]{0,60},/.test(shielded.text)
    ? readToolHint(shielded.text.split(',', 1)[0] ?? '', context.manifest)
    : { text: '' };
  const leading = whole.tool !== undefined && whole.text.trim() === '' ? whole.tool : undefined;
  const body =
    leading === undefined ? shielded.text : shielded.text.slice(shielded.text.indexOf(',') + 1);
  const clauses = splitClauses(reword(body), verbs);
  const results: Understood[] = [];
  let focus = context.focus;
  for (const clause of clauses) {
    const hint = readToolHint(clause.text, context.manifest);
    const tool = hint.tool ?? leading;
    const here: ReadingContext = { ...context, shielded, focus, tool };
    const reading =
      repeatForOthers(hint.text, results.at(-1)?.reading, here) ?? readClause(hint.text, here);
    const words = unshield(clause.text, shielded.quotes);
    const understood = { reading, link: clause.link, tool, words };
    const before = clause.early ? results.pop() : undefined;
    results.push(...placeEarly(understood, before));
    focus = moveFocus(focus, reading);
  }
  return spreadTimes(results, context);
}

/** What was said last comes first: "delete a.txt, but first copy it". */
function placeEarly(understood: Understood, before: Understood | undefined): Understood[] {
  if (!before) return [understood];
  return [
    { ...understood, link: before.link },
    { ...before, link: 'sequence' },
  ];
}

function readClause(text: string, context: ReadingContext): Reading {
  if (courtesy.test(text)) return { kind: 'nothing', note: '' };
  if (prohibition.test(text))
    return { kind: 'nothing', note: unshield(text, context.shielded.quotes) };
  const conditional = findCondition(text, context);
  if (conditional !== null) return answerOr(questions.condition(conditional), context);
  const repeated = readRepetition(text, context);
  if (repeated !== null) return repeated;
  const timed = takeTime(text, context);
  if (timed === null) return readPlain(text, context);
  if ('kind' in timed)
    return canStartLater(readPlain(text, context)) ? timed : readPlain(text, context);
  const reading = readPlain(timed.text, context);
  if (!canStartLater(reading)) return readPlain(text, context);
  return timed.start === null ? reading : { ...reading, start: timed.start };
}

/** Reminders and events have times of their own, and so may operations of other tools. */
function canStartLater(reading: Reading): reading is Extract<Reading, { start?: unknown }> {
  return (
    reading.kind === 'for_each' ||
    (reading.kind === 'intents' &&
      !reading.intents.some((intent) =>
        ['remind', 'calendar_add', 'calendar_read', 'call'].includes(intent.act),
      ))
  );
}

function readPlain(text: string, context: ReadingContext): Reading {
  const clause = stripClosing(rewordQuestion(stripPoliteness(text)));
  for (const frame of frames) {
    const reading = frame(clause, context) ?? (clause === text ? null : frame(text, context));
    if (reading !== null) return checkUnread(clause, reading, context);
  }
  return readUnknown(clause, context);
}

function checkUnread(clause: string, reading: Reading, context: ReadingContext): Reading {
  const unread = findUnread(clause, reading, context);
  if (unread === null) return reading;
  const words = unshield(clause, context.shielded.quotes);
  return answerOr(questions.unread(shorten(unread), shorten(words)), context);
}

/** A condition outside of text that is to be written. */
function findCondition(text: string, context: ReadingContext): string | null {
  if (/^(?:remind|ask|post|tell|say|announce|get|have|assign|notify|set a reminder)\b/i.test(text))
    return null;
  const before = splitAtMarker(text, context.shielded)?.before ?? text;
  const head = before.replace(
    /\bif it (?:does not|doesn['’]t) exist(?: yet)?\b|\bunless it (?:already )?exists\b|^(?:do|does|can|could)\b.*\bexist\b/gi,
    '',
  );
  const match = condition.exec(head);
  if (!match) return null;
  const words = unshield(
    head
      .slice(match.index)
      .replace(/^[,;\s]+/, '')
      .trim(),
    context.shielded.quotes,
  );
  return shorten(words.split(/[,;]|\s+then\b/, 1)[0] ?? words);
}

/** The answer to an open question takes the place of the clause that raised it. */
function answerOr(question: string, context: ReadingContext): Reading {
  const answer = context.answers.get(question);
  if (answer === undefined) return ask(question);
  const shielded = shield(answer);
  const answers = new Map([...context.answers].filter(([key]) => key !== question));
  return readClause(shielded.text, { ...context, shielded, answers });
}

function readUnknown(clause: string, context: ReadingContext): Reading {
  const lead = readLeadVerb(clause);
  const words = unshield(clause, context.shielded.quotes);
  if (!lead && (questionLead.test(clause) || /\?\s*$/.test(clause))) {
    return {
      kind: 'talk',
      text: '',
      reason: 'a question that no tool answers',
    };
  }
  if (!lead) return answerOr(questions.unclear(shorten(words)), context);
  const files = /^(?:move|rename|copy|read|open|delete|remove|erase)$/.test(lead.verb);
  const short = lead.rest.split(/\s+/).length <= 2;
  if (
    files &&
    (lead.rest === '' || fileNoun.test(lead.rest) || (short && !/^(?:me|us)\b/i.test(lead.rest)))
  ) {
    return answerOr(questions.which(lead.verb), context);
  }
  const plainFiles =
    files && /\b(?:files?|folders?|director(?:y|ies)|documents?)\b/i.test(lead.rest);
  const edits = /^(?:append|prepend|insert|replace|write|create|make|save|add)$/.test(lead.verb);
  const onFile = edits && findPaths(lead.rest, context.shielded).length > 0;
  if ((lead.rest === '' && lead.known) || plainFiles || onFile)
    return answerOr(questions.unclear(shorten(words)), context);
  return { kind: 'cannot', wanted: describeWanted(words) };
}

function shorten(text: string, length = 80): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= length ? line : `${line.slice(0, length - 1)}…`;
}

/** What "it" means for the next clause. */
function moveFocus(focus: Focus, reading: Reading): Focus {
  if (reading.kind !== 'intents') return focus;
  const paths = reading.intents.flatMap(pathsAfter);
  const last = reading.intents.at(-1);
  const output =
    last !== undefined && ['read', 'fetch', 'summarize', 'request', 'call'].includes(last.act);
  return { paths: paths.length > 0 ? [...new Set(paths)] : focus.paths, output };
}

function pathsAfter(intent: Intent): string[] {
  switch (intent.act) {
    case 'write':
    case 'edit':
    case 'read':
    case 'delete':
      return [intent.path];
    case 'move':
      return [intent.to];
    case 'copy':
      return [intent.from];
    case 'summarize':
      return intent.path === null ? [] : [intent.path];
    case 'make_folder':
    case 'list':
    case 'fetch':
    case 'request':
    case 'post':
    case 'ask':
    case 'remind':
    case 'calendar_read':
    case 'calendar_add':
    case 'wait':
    case 'nothing':
    case 'call':
      return [];
    default:
      return intent satisfies never;
  }
}
