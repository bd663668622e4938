// Reads the thread above a request for its planner, within a budget.
// Other people's words are data, and marked as such.
import { findPlace } from '#db/chat/places.ts';
import type { Queryable } from '#db/database.ts';
import { readEveryName } from '#db/people/identities.ts';
import type { RunRow } from '#db/planning/runs.ts';
import { describeFile } from '#domain/attached-file.ts';
import type { ThreadMessage, ThreadMessages } from '#domain/chat/thread.ts';
import { CountersignError, errorMessage } from '#domain/errors.ts';
import type { ReportActivity } from '#domain/planning/activity.ts';
import type { ThreadRead } from '#domain/planning/thread.ts';
import { showLine } from '#domain/shown-text.ts';
import { isSliceOver, nextTurn } from '#domain/slices.ts';
import { makeStorableText } from '#domain/text.ts';
import { countOf, linesOf } from '#domain/words.ts';
import type { ConversationContext } from '#messages/context.ts';
import { estimateTokens } from '#models/tokens.ts';
import { toLocalIso } from '#timeline/recurrence.ts';

const maxTokens = 2450;
const firstTokens = 500;
const maxFirst = 3;
/** Characters of one message and of a name. */
const maxText = 1500;
const maxName = 80;
const maxFiles = 10;

/** In quotation marks that the name can't close. */
const nameOf = (name: string) => `"${showLine(name, maxName).replaceAll('"', "'")}"`;

function cut(text: string): string {
  if (text.length <= maxText) return text;
  return `${text.slice(0, maxText).toWellFormed()}… (${text.length - maxText} more characters)`;
}

/** `[2026-03-02 09:02] requester "Ana Weiss": …`; further lines are indented, so none looks like another message. */
function writeMessage(
  { at, author, text, edited, deleted, files }: ThreadMessage,
  { timezone, asks }: { timezone: string; asks: boolean },
): string {
  const time = (moment: Date) => toLocalIso(moment, timezone).slice(0, 16).replace('T', ' ');
  const by = author === null ? 'unknown' : nameOf(author);
  const times = edited === null ? time(at) : `${time(at)}, edited ${time(edited)}`;
  const head = `[${times}] ${asks ? 'requester ' : ''}${by}:`;
  const content = deleted ? '(deleted)' : makeStorableText(cut(text.trim()));
  const lines = [
    ...linesOf(content),
    ...files.slice(0, maxFiles).map(describeFile),
    ...(files.length > maxFiles ? [`and ${countOf(files.length - maxFiles, 'more file')}`] : []),
  ];
  return `${head} ${lines.join('\n    ')}`;
}

/** The first lines within `firstTokens`, then the newest that fit. @param gap missing lines, which neither may cross */
async function chooseLines(
  lines: string[],
  gap: number | null,
): Promise<{ first: number; last: number }> {
  const costs: number[] = [];
  const costOf = async (at: number) => (costs[at] ??= 1 + (await estimateTokens(lines[at] ?? '')));
  let spent = 0;
  let first = 0;
  while (first < Math.min(maxFirst, gap ?? lines.length)) {
    const cost = await costOf(first);
    if (first > 0 && spent + cost > firstTokens) break;
    spent += cost;
    first += 1;
  }
  let last = lines.length;
  while (last > Math.max(first, gap ?? 0)) {
    const cost = await costOf(last - 1);
    if (spent + cost > maxTokens) break;
    spent += cost;
    last -= 1;
    if (isSliceOver()) await nextTurn();
  }
  return { first, last };
}

function writeGap(count: number | null): string[] {
  if (count === 0) return [];
  const left =
    count === null
      ? 'more messages are'
      : `${count.toLocaleString('en-US')} ${count === 1 ? 'message is' : 'messages are'}`;
  return [`[${left} left out here]`];
}

/** @param names all names of the requester */
async function writeThread(
  { messages, gap, total, link, note }: ThreadMessages,
  { timezone, names }: { timezone: string; names: ReadonlySet<string> },
): Promise<ThreadRead> {
  const lines = messages.map((message) =>
    writeMessage(message, {
      timezone,
      asks: message.account !== null && names.has(message.account),
    }),
  );
  const ends = gap === lines.length;
  const { first, last } = await chooseLines(lines, ends ? null : gap);
  const read = first + lines.length - last;
  const beyond = total === null ? null : total - lines.length;
  const cutOut = last - first;
  const between = ends || gap === null ? cutOut : beyond === null ? null : beyond + cutOut;
  const text = [
    ...lines.slice(0, first),
    ...writeGap(between),
    ...lines.slice(last),
    ...(ends ? writeGap(beyond) : []),
  ];
  return {
    text: read === 0 ? '' : text.join('\n'),
    read,
    total,
    link,
    note: note === null ? null : showLine(note, 500),
    ...(messages.some(({ files }) => files.length > 0) ? { files: true } : {}),
  };
}

const failed = (note: string): ThreadRead => ({ text: '', read: 0, total: null, link: null, note });

/** Known to the session; later edits and deletions are news. */
function isKnown(known: ReadonlySet<string>, { messages, note }: ThreadMessages) {
  return (
    note === null &&
    messages.every(({ once, edited, deleted }) => known.has(once) && edited === null && !deleted)
  );
}

/**
 * Only for messages that came from there, so their author is in it. @param once the key of that message
 * @param heard the conversation's keys @returns null if the thread adds nothing or the planner has no use for it
 */
export async function readThread(
  context: Pick<ConversationContext, 'db' | 'planner' | 'threads' | 'timezone' | 'warn'>,
  { conversation, user, decision }: Pick<RunRow, 'conversation' | 'user' | 'decision'>,
  { once, heard: known }: { once: string | null; heard: ReadonlySet<string> },
  signal: AbortSignal,
  report: ReportActivity,
): Promise<ThreadRead | null> {
  const { db, planner, threads, timezone, warn } = context;
  if (planner.readsThreads !== true || once === null) return null;
  const place = await findPlace(db.query, conversation);
  if (place === null) return null;
  const read = threads()[place.platform];
  if (read === undefined) return null;
  report({ kind: 'reading', operation: 'read_thread', what: 'this thread' });
  try {
    const found = await read(place, once, signal);
    if (found === null || isKnown(known, found)) return null;
    const names = await namesOf(db.query, user);
    return await writeThread(found, { timezone: decision?.timezone ?? timezone, names });
  } catch (error) {
    if (signal.aborted) return null;
    // The request itself is planned without it.
    warn('Could not read a thread for the planner.', error);
    return failed(
      error instanceof CountersignError ? error.message : showLine(errorMessage(error), 300),
    );
  }
}

const namesOf = async (db: Queryable, user: string) => new Set(await readEveryName(db, user));
