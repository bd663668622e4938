// Nothing that was said may be lost: every word of an instruction stands in what was made of it,
// or is one that carries no meaning of its own there. Whatever is left over is asked about, never dropped.
import type { Json } from '#contracts/text.ts';
import { numberWords } from '../number-words.ts';
import { readLeadVerb } from './lexicon.ts';
import { pathPattern } from './paths.ts';
import type { Intent, Reading, ReadingContext } from './reading.ts';
import { secondsForm } from './seconds.ts';
import { markClass, readQuote } from './shield.ts';

const words = (text: string) => new Set(text.split(/\s+/));

/** Words that say no more than the operation and its arguments do. */
const common = words(
  'a an the my our this that these those it its them they both all each every one ones of and also please just now ' +
    'immediately right away quickly file files document documents doc docs note notes folder folders directory dir ' +
    'path called named titled workspace root here there me us for from in inside into to under within on at as text ' +
    'is are be i want would like only',
);

/** Further such words, by what is done. An act that is not here brings its text along and is not checked. */
const own: Partial<Record<Intent['act'], ReadonlySet<string>>> = {
  write: words(
    'saying says say said containing contains contain reading reads read content contents word words message body line ' +
      'lines with having has have holding holds should must will which only being new empty blank down up plain markdown ' +
      'simple small short whose name names own value following out whole whatever not',
  ),
  edit: words(
    'add append insert prepend new another line lines paragraph entry item sentence word words saying says say reading ' +
      'reads with containing end bottom beginning start top front replace change occurrences occurrence instances string phrase',
  ),
  move: words('over back out away name new rename move put'),
  copy: words('copy duplicate backup over new version make'),
  delete: words('out up rf fr r f permanently completely forever recursive recursively'),
  make_folder: words('new empty another subfolder p'),
  list: words(
    'list listing what show everything contents content structure tree recursive recursively subfolders subfolder whole ' +
      'entire where names with any including current see have out up stored r la l where look take s',
  ),
  read: words('contents content words what show again out up look take see word aloud s read'),
  fetch: words(
    'http https url page web site website webpage address link contents content save it store download request html body ' +
      'get call result response output then what show read',
  ),
  request: words(
    'http https url page web address link request body json payload data content contents message saying with without no ' +
      'empty call endpoint post put patch delete head options',
  ),
  wait: words('wait seconds second another'),
};

const kept = words(
  "overwriting overwrite replacing replace without existing old any anything unless if only when does not doesn't doesn’t exist exists already yet new version",
);
const token = /[\p{L}\p{N}_]+(?:['’]\p{L}+)*/gu;
const eachMark = new RegExp(`[${markClass}]`, 'gu');
/** How long a wait is; a figure alone counts seconds. */
const waiting = new RegExp(`${secondsForm}|\\d+(?:\\.\\d+)?`, 'i');
const reason = /[,\s]+because\b[\s\S]*$/i;
/** "a shopping list in list.md": what the file is, said beside its path. */
const description = new RegExp(
  `\\b(?:an?|the|my|our)\\s+(?:(?!(?:not|except|instead|without|first|second|last|copy)\\b)[\\p{L}-]+\\s+){0,4}?(?:list|script|page|report|letter|memo|poem|plan|agenda|table|readme|log|diary|journal|draft|config|file|document|note)s?\\s+(?=(?:(?:in|to|into|at|called|named)\\s+)*${pathPattern})`,
  'giu',
);

function tokensOf(text: string): string[] {
  return (text.toLowerCase().match(token) ?? []).map((word) => word.replaceAll('’', "'"));
}

/** The first words of `clause` that `reading` leaves out; null when nothing is lost. */
export function findUnread(
  clause: string,
  reading: Reading,
  context: ReadingContext,
): string | null {
  const made =
    reading.kind === 'intents'
      ? reading.intents
      : reading.kind === 'for_each'
        ? [reading.make('x')].filter((intent) => intent !== null)
        : [];
  if (made.length === 0 || made.some((intent) => own[intent.act] === undefined)) return null;
  const said = collectWords(made);
  if (reading.kind === 'for_each') {
    const { folder, pattern, said: setWords, except } = reading.files;
    for (const text of [folder, pattern ?? '', setWords, ...except])
      for (const word of tokensOf(text)) said.add(word);
  }
  const vocabularies = made.map((intent) => own[intent.act] ?? common);
  if (made.some((intent) => 'overwrite' in intent && intent.overwrite !== null))
    vocabularies.push(kept);
  const rest = readBody(clause, made, context);
  const count = reading.kind === 'intents' ? made.length : null;
  const known = (word: string) =>
    said.has(word) ||
    common.has(word) ||
    vocabularies.some((vocabulary) => vocabulary.has(word)) ||
    (count !== null && (numberWords[word] ?? Number(word)) === count);
  return findRun(rest, known);
}

/** All that can be lost: without the verb, the reason, and the words that a description of a file adds. */
function readBody(clause: string, made: Intent[], context: ReadingContext): string {
  const lead = readLeadVerb(clause);
  const writes = made.every((intent) => intent.act === 'write');
  const waits = made.every((intent) => intent.act === 'wait');
  const text = (lead?.rest ?? clause).replace(reason, '');
  const quotes = context.shielded.quotes;
  const head = writes ? text.replace(description, ' ') : text.replace(waits ? waiting : /$^/, ' ');
  const dictated = made.some(
    (intent) =>
      intent.act === 'write' &&
      (!['text', 'previous'].includes(intent.content.kind) ||
        (intent.content.kind === 'text' && intent.content.text === '')),
  );
  const rest = dictated ? dropContent(head) : head;
  return rest.replace(eachMark, (mark) => readQuote(mark, quotes) ?? '');
}

/** "with its own name" and "with the content of a.txt" are read as a whole; their words are no arguments. */
function dropContent(text: string): string {
  const marker =
    /[\s,]+(?:each|both|with|saying|containing|contains|that|which|having|holding|reading|:)\s/i.exec(
      text,
    );
  const place = new RegExp(
    `\\s(?:in|into|to|as)\\s+[^\\s]*(?:${pathPattern}|[${markClass}])`,
    'iu',
  );
  if (marker) return text.slice(0, marker.index);
  const found = place.exec(text);
  return found ? text.slice(found.index) : text;
}

function collectWords(made: Intent[]): Set<string> {
  const found = new Set<string>();
  const collect = (value: unknown): void => {
    if (typeof value === 'string' || typeof value === 'number')
      for (const word of tokensOf(String(value))) found.add(word);
    else if (typeof value === 'object' && value !== null) Object.values(value).forEach(collect);
  };
  for (const intent of made) {
    const { act: _, ...args } = intent;
    collect(args as { [key: string]: Json }); // intents of checked acts hold plain data
  }
  return found;
}

function findRun(text: string, known: (word: string) => boolean): string | null {
  let [start, end] = [-1, -1];
  for (const match of text.matchAll(token)) {
    const word = match[0].toLowerCase().replaceAll('’', "'");
    if (!known(word)) {
      if (start < 0) start = match.index;
      end = match.index + match[0].length;
    } else if (start >= 0) break;
  }
  return start < 0 ? null : text.slice(start, end);
}
