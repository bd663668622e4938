// "For every row in orders.csv write a letter to letters/<id>.md, then write one summary of all letters": a file for each row of a
// table. Every word has its place, or it is not read at all.
import type { Piece, RowsCommand } from './command.ts';
import { definePattern, matchPattern, matchStart, type Reading } from './match.ts';
import { skipOpening } from './segments.ts';
import type { Read } from './times.ts';
import { valueAt } from './tokens.ts';

const one = (words: string) => new Set(words.split(' '));
const articles = one('a an one the its');
const toWords = one('to in into as at');
const writeWords = one('write create make save generate draft');
const nouns = one(
  'letter note reminder file document page memo message card sheet record entry form receipt confirmation report',
);
/** Words that would say more of a text than a plain one holds. */
const telling = one(
  'that which who with about for from and or saying containing to in into as at of by',
);

const rowSet = definePattern(
  'every|each|all [of] [the] [csv|tsv|table] row|rows|line|lines|record|records|entry|entries in|of|from [the] [table|csv] {p:path}',
);
const said = ['saying|containing {q:quote}', 'with [the] text|content {q:quote}'].map(
  definePattern,
);
const all =
  '[all] [of] [the|these|those] all|letters|notes|reminders|files|documents|pages|memos|messages|cards|sheets|records|entries|forms|receipts|confirmations|reports|rows|lines|them|these|those|it|everything';
/** "… and a summary of them": the verb before counts here too. */
const summary =
  '[write|create|make|save|generate|draft] [a|an|one|the|its] [short|brief|single] summary|overview';
const summaries = [`summarise|summarize ${all}`, summary, `${summary} of|over ${all}`].flatMap(
  (words) => [words, `${words} to|in|into|as|at {p:path}`].map(definePattern),
);

const placeholder = /<([^<>]{1,200})>|\{\{([^{}]{1,200})\}\}|\{([^{}]{1,200})\}/g;

/** Text with its columns: `<id>`, `{id}` and `{{id}}` are the value of column id. */
function toPieces(text: string): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  for (const found of text.matchAll(placeholder)) {
    const column = (found[1] ?? found[2] ?? found[3] ?? '').replace(/^item\//, '').trim();
    if (found.index > at) pieces.push(text.slice(at, found.index));
    pieces.push({ column });
    at = found.index + found[0].length;
  }
  if (at < text.length) pieces.push(text.slice(at));
  return pieces;
}

const hasColumn = (pieces: Piece[]): boolean => pieces.some((piece) => typeof piece !== 'string');

/** `letters/<id>.md`: tokens without a gap between them, but for those inside of brackets; or the same in quotation marks. */
function readTarget({ tokens, end, source }: Reading, at: number): Read<Piece[]> | null {
  const first = at < end ? tokens[at] : undefined;
  if (first === undefined) return null;
  if (first.kind === 'quote') {
    const pieces = toPieces(first.value);
    return hasColumn(pieces) ? { value: pieces, next: at + 1 } : null;
  }
  let depth = 0;
  let next = at;
  for (; next < end; next += 1) {
    const token = tokens[next];
    if (token === undefined || token.kind === 'quote' || token.kind === 'line') break;
    if (next > at && depth === 0 && token.start > (tokens[next - 1]?.end ?? 0)) break;
    if (/^[<{]$/.test(token.text)) depth += 1;
    else if (/^[>}]$/.test(token.text)) depth -= 1;
    else if (token.kind === 'mark' && token.text !== '-' && depth === 0) break;
  }
  const pieces = toPieces(source.slice(first.start, tokens[next - 1]?.end ?? first.end));
  return hasColumn(pieces) ? { value: pieces, next } : null;
}

/** "every CSV row in the file orders.csv" */
function readRowSet(words: Reading, from: number): Read<string> | null {
  const found = matchStart(rowSet, words, from);
  return found && { value: String(found.value.p), next: found.next };
}

/** "a reminder letter": plain words that end in what it is. */
function readThing(words: Reading, from: number): Read<string> | null {
  const at = articles.has(valueAt(words, from)) ? from + 1 : from;
  for (let next = at; next < Math.min(words.end, at + 4); next += 1) {
    const token = words.tokens[next];
    if (token?.kind !== 'word' || telling.has(token.value)) return null;
    const ends = nouns.has(token.value) && !nouns.has(valueAt(words, next + 1));
    if (!ends) continue;
    const said = words.tokens.slice(at, next + 1).map(({ value }) => value);
    return { value: said.join(' '), next: next + 1 };
  }
  return null;
}

/** `saying "Dear <name>, …"`, or `with the text "…"`. */
function readSaid(words: Reading, from: number): Read<Piece[]> | null {
  const [found] = said.flatMap((pattern) => matchStart(pattern, words, from) ?? []);
  return found === undefined ? null : { value: toPieces(String(found.value.q)), next: found.next };
}

type Body = Pick<RowsCommand, 'thing' | 'to' | 'text'>;

/** What is written where, behind the verb. */
function readBody(words: Reading, at: number): Read<Body> | null {
  const quoted = at < words.end ? words.tokens[at] : undefined;
  if (quoted?.kind === 'quote' && toWords.has(valueAt(words, at + 1))) {
    const to = readTarget(words, at + 2);
    const text = toPieces(quoted.value);
    return to && { value: { thing: 'file', to: to.value, text }, next: to.next };
  }
  const thing = readThing(words, at);
  const early = thing === null ? null : readSaid(words, thing.next);
  const behind = early?.next ?? thing?.next ?? at;
  const isNamed = thing !== null && ['called', 'named'].includes(valueAt(words, behind));
  if (thing !== null && !toWords.has(valueAt(words, behind)) && !isNamed) return null;
  const to = readTarget(words, thing === null ? at : behind + 1);
  if (to === null) return null;
  const late = early === null ? readSaid(words, to.next) : null;
  const text = early?.value ?? late?.value ?? null;
  return {
    value: { thing: thing?.value ?? 'file', to: to.value, text },
    next: late?.next ?? to.next,
  };
}

/**
 * The command from `from` on, as far as it is one.
 * @returns where it ends; null: it is no command about rows
 */
export function readRows(words: Reading, from: number): Read<RowsCommand> | null {
  const before = valueAt(words, from) === 'for' ? readRowSet(words, from + 1) : null;
  let at = before?.next ?? from;
  while (before !== null && /^[,:]$/.test(valueAt(words, at))) at += 1;
  if (!writeWords.has(valueAt(words, at))) return null;
  const body = readBody(words, at + 1);
  if (body === null) return null;
  const behind = before === null && valueAt(words, body.next) === 'for';
  const after = behind ? readRowSet(words, body.next + 1) : null;
  const table = before ?? after;
  if (table === null) return null;
  const next = after?.next ?? body.next;
  return { value: { do: 'rows', table: table.value, ...body.value, summary: null }, next };
}

/** Whether a request speaks of rows of a table at all. */
export function speaksOfRows(words: Reading, from: number): boolean {
  for (let at = from; at < words.end; at += 1)
    if (valueAt(words, at) === 'for' && readRowSet(words, at + 1) !== null) return true;
  return false;
}

/** "write one summary of all letters to summary.md", "summarise them": up to the very end, or not at all. */
export function readSummary(words: Reading, from: number): RowsCommand['summary'] {
  const start = valueAt(words, from) === ',' ? from + 1 : from;
  const { at } = skipOpening(words.tokens, start, words.end);
  for (const pattern of summaries) {
    const found = matchPattern(pattern, words, at, { at });
    if (found !== null) return { path: found.p === undefined ? null : String(found.p) };
  }
  return null;
}
