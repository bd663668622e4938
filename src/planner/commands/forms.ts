// The commands there are: the forms they are said in, and what each becomes. Documented in docs/commands.md.
import { Temporal } from 'temporal-polyfill';
import { parseRequestJson } from '#domain/json.ts';
import { type Json, JsonValue } from '#domain/text.ts';
import { listOf } from '#domain/words.ts';
import type { Command, Edit, Files, Text } from './command.ts';
import { baseName, folderOf, readPath, readPlaces, tidyPath } from './files.ts';
import { type Bindings, definePattern, type Pattern, type Reading, type Span } from './match.ts';
import { skipCourtesy, trimEnd } from './segments.ts';
import { findDoubt, type Introduction, readText, type TextProblem } from './texts.ts';
import { type Moment, type Read, type Rule, readDuration } from './times.ts';
import { tokenize } from './tokens.ts';

/** What a form needs and was not given. */
export type Missing = {
  ask: string;
  kind: string;
  read: (answer: string) => string | null;
};
export type Built =
  /** `follows`: it is about what was said before. */
  | { command: Command; spans?: Span[]; follows?: boolean }
  | { missing: Missing[]; fill: (answers: string[]) => Command }
  | { problem: TextProblem };

type Build = (found: Bindings, reading: Reading) => Built | null;
export type Form = Pattern & { build: Build };

// The slots of a pattern hold what their readers give: the casts below name those types.
const files = (found: Bindings) => found.f as Files;
const span = (found: Bindings, name = 't') => found[name] as Span;
const path = (found: Bindings, name = 'p') => found[name] as string;
const people = (found: Bindings) => found.w as (string | null)[];

function withText(
  given: Span,
  reading: Reading,
  introduced: Introduction,
  make: (text: Text) => Command | null,
): Built {
  const read = readText(given, reading, introduced);
  if ('problem' in read) return read;
  const command = make(read.text);
  if (command === null) return { problem: { kind: 'exact', words: given.text } };
  return { command, spans: given.quoted ? [] : [given] };
}

/** A text that must be known when the plan is made. */
/** Without "please" behind what a person is to do, unless it is what they are to say. */
function dropPlease(text: string): string {
  const rest = text.replace(/,?\s{1,9}(?:please|pls|plz)$/i, '').trimEnd();
  return /\s/.test(rest) && !/\b(?:say|tell|type|write)\b/i.test(rest) ? rest : text;
}

const withLiteral = (
  given: Span,
  reading: Reading,
  introduced: Introduction,
  make: (text: string) => Command,
): Built =>
  withText(given, reading, introduced, (text) => {
    if (text.kind !== 'literal') return null;
    const isSpoken = introduced === 'person' && !given.quoted;
    return make(isSpoken ? dropPlease(text.text) : text.text);
  });

const pathsOf = (found: Bindings): string[] | null => {
  const named = files(found);
  return named.kind === 'paths' && !named.folder ? named.paths : null;
};

const write = (paths: string[], text: Text): Command => ({ do: 'write', paths, text });

const writes =
  (introduced: Introduction): Build =>
  (found, reading) => {
    const paths = pathsOf(found);
    // "with the content of b.txt" names a file, and no text.
    if (paths === null || /^of\s/i.test(span(found).text)) return null;
    // "a.txt and b.txt saying A and B": a text for each of them, or one for both.
    const { quoted, text: said } = span(found);
    if (paths.length > 1 && !quoted && /,|\band\b/i.test(said))
      return { problem: { kind: 'exact', words: said } };
    return withText(span(found), reading, introduced, (text) => write(paths, text));
  };

const writesOwnName: Build = (found) => {
  const paths = pathsOf(found);
  return paths && { command: write(paths, { kind: 'own name' }) };
};

/** An answer that begins like a command and names a file is no text, unless it is quoted. */
function readContent(answer: string): string | null {
  const text = answer.trim();
  const tokens = tokenize(text);
  const [first] = tokens;
  if (first?.kind === 'quote' && tokens.length === 1) return first.value;
  if (/^(?:(?:leave|keep) it )?(?:empty|blank)[.!]?$|^nothing[.!]?$/i.test(text)) return '';
  return isLead(first?.value ?? '') && tokens.some(({ kind }) => kind === 'path') ? null : text;
}

/** The one name that an answer is, read as it would be in a command. */
const readName =
  (reading: Reading, read: (place: Reading, at: number) => Read<string | string[]> | null) =>
  (answer: string): string | null => {
    const source = answer.replace(/^\s*(?:to|into|in|as)\s+/i, '');
    const tokens = tokenize(source);
    const end = trimEnd(tokens, 0, tokens.length);
    const found = read({ ...reading, source, tokens, end, focus: { paths: [], output: false } }, 0);
    const [only = null, ...more] = found === null ? [] : [found.value].flat();
    const isWhole = found !== null && skipCourtesy(tokens, found.next, end) === end;
    return isWhole && more.length === 0 ? only : null;
  };

const asksContent: Build = (found) => {
  const paths = pathsOf(found);
  return (
    paths && {
      missing: paths.map((one, k) => ({
        kind: `content ${k}`,
        ask: `What should ${one} contain?`,
        read: readContent,
      })),
      fill: (texts) => write(paths, { kind: 'each', texts }),
    }
  );
};

const asksPath: Build = (found, reading) => {
  const read = readText(span(found), reading, 'marker');
  if ('problem' in read) return read;
  const question = 'Where should this text be saved? For example, notes/today.md.';
  return {
    missing: [{ kind: 'path', ask: question, read: readName(reading, readPath) }],
    fill: ([name = '']) => write([tidyPath(name)], read.text),
  };
};

const edits =
  (action: 'append' | 'prepend'): Build =>
  (found, reading) =>
    withLiteral(span(found), reading, 'none', (text) => edit(path(found), { action, text }));

const edit = (to: string, change: Edit): Command => ({ do: 'edit', path: to, edit: change });

/** Into a folder under its own name, or to the path itself. */
export function placeFor(file: string, to: string): string {
  return tidyPath(to.endsWith('/') ? `${to}${baseName(file)}` : to);
}

/** "logs/a.txt and b.txt": where the second one is cannot be told. */
function findHalf(named: Files): { problem: TextProblem } | null {
  if (named.kind === 'set' || !named.paths[0]?.includes('/')) return null;
  const half = named.paths.find((one) => !one.includes('/'));
  return half === undefined ? null : { problem: { kind: 'whole', words: half } };
}

/** Several files go into a folder, and never onto one another. */
function move(what: 'move' | 'copy', moved: Files, to: string[]): Built | null {
  const half = findHalf(moved);
  if (half !== null) return half;
  if (what === 'move' ? to.length > 1 : moved.kind === 'paths' && moved.folder) return null;
  if (moved.kind === 'paths' && moved.paths.length === 1)
    return { command: { do: what, files: moved, to } };
  const [only = '', ...more] = to;
  const isFile = !only.endsWith('/') && /\.[\p{L}\p{N}]+$/u.test(baseName(only));
  if (more.length > 0 || isFile) return null;
  return { command: { do: what, files: moved, to: [`${tidyPath(only)}/`] } };
}

/** "move all .log files to archive/ except today.log" */
const moves =
  (what: 'move' | 'copy'): Build =>
  (found) => {
    const [moved, left, to] = [files(found), found.x as Files | undefined, found.d as string[]];
    if (left === undefined) return move(what, moved, to);
    if (moved.kind === 'paths' || left.kind === 'set' || moved.set.except.length > 0) return null;
    return move(what, { ...moved, set: { ...moved.set, except: left.paths.map(tidyPath) } }, to);
  };

const onePath = (one: string): Files => ({ kind: 'paths', paths: [one], folder: false });

const asksPlace =
  (what: 'move' | 'copy'): Build =>
  (found, reading) => {
    const ask = `Where should I ${what} ${path(found)} to?`;
    if (what === 'copy' && path(found).endsWith('/')) return null;
    return {
      missing: [{ kind: 'destination', ask, read: readName(reading, readPlaces) }],
      fill: ([name = '']) => ({ do: what, files: onePath(path(found)), to: [name] }),
    };
  };

const upperFirst = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const named =
  /^(?:(?:have|take) an? (?:\p{L}+ )?look at|[\p{L}-]+(?: (?:at|into|over|through|on))?) (it|them)(?![\p{L}'’])/iu;

const ofThem = /^(?:he|she|they)(?![\p{L}'’])/iu;
const ofThemOnly =
  /^(?<who>he|she|they) (?:(?<verb>can|could|will|would|should|is|are|was|were|has|have) |(?=(?:agree|approve|accept|want|need|like|know|mind|prefer)\b))(?<rest>(?:(?!\b(?:he|she|they|him|her|his|them|their|theirs|hers)\b).)+)$/iu;
const ofYou: Record<string, string> = { is: 'are', was: 'were', has: 'have' };
const isParticiple =
  /^(?:not |already |ever )?(?:\p{L}+(?:ed|en)|been|done|gone|had|made|paid|read|sent)(?!\p{L})/iu;

/** "Ask Ana if she can come" is asked as "Can you come?"; null where it may be about somebody else. */
function putToThem(said: string, asked: number): string | null {
  const { who = '', verb = 'do', rest = '' } = ofThemOnly.exec(said)?.groups ?? {};
  if (rest === '' || (who.toLowerCase() === 'they') !== asked > 1) return null;
  const auxiliary = ofYou[verb.toLowerCase()] ?? verb.toLowerCase();
  const opening =
    auxiliary === 'have' && !isParticiple.test(rest) ? 'do you have' : `${auxiliary} you`;
  return upperFirst(`${opening} ${rest.replace(/\?$/, '')}?`);
}

/** "review it": who is asked does not see the request, so the file is named. */
const asks: Build = (found, reading) => {
  const [given, { paths }] = [span(found), reading.focus];
  const it = named.exec(given.text)?.[1];
  const isOpen = /(?<![\p{L}'’])(?:it|them)(?![\p{L}'’])/iu.test(given.text);
  if (it === undefined && isOpen && paths.length > 0 && !given.quoted)
    return { problem: { kind: 'content', words: given.text } };
  if (it !== undefined && (it.toLowerCase() === 'them' ? 1 : 0) !== Math.min(paths.length, 2) - 1)
    return { problem: { kind: 'content', words: it } };
  const before = reading.tokens[given.from - 1];
  const whether = before?.value === 'whether' || before?.value === 'if';
  const isOfThem = whether && !given.quoted && ofThem.test(given.text);
  const toThem = isOfThem ? putToThem(given.text, people(found).length) : null;
  if (isOfThem && toThem === null) return { problem: { kind: 'exact', words: given.text } };
  const built = withLiteral(given, reading, 'person', (text) => {
    const said = text.replace(named, (words, last) => words.slice(0, -last.length) + listOf(paths));
    if (toThem !== null) return ask(people(found), toThem);
    return ask(people(found), whether ? `${before.text} ${said.replace(/\?$/, '')}?` : said);
  });
  return 'command' in built ? { ...built, follows: it !== undefined } : built;
};

/** "Have Ana review it" and not "have lunch": only a name says that somebody is asked. */
const asksByName: Build = (found, reading) =>
  people(found).every((one) => one === null || /^\p{Lu}|@/u.test(one))
    ? asks(found, reading)
    : null;

const ask = (whom: (string | null)[], question: string): Command => ({
  do: 'ask',
  people: whom,
  question: upperFirst(question),
  answer: 'any',
});

const reminds: Build = (found, reading) => {
  const moment = found.m as Moment | undefined;
  const rule = (found.r as Rule | undefined) ?? null;
  const problem = moment?.problem ?? rule?.problem ?? null;
  if (problem !== null) return { problem };
  return withLiteral(span(found), reading, 'person', (text) => ({
    do: 'remind',
    text: upperFirst(text),
    at: moment?.iso ?? null,
    rule,
    assumedHour: moment?.assumedHour ?? rule?.assumedHour ?? false,
  }));
};

const meetings =
  /\b(?:with|meeting|call|appointment|lunch|dinner|interview|demo|workshop|stand-?up|visit)\b/i;

/** Without a calendar it has to be a meeting: work is scheduled too. */
const addsEvent =
  (isEvent: (title: Span) => boolean): Build =>
  (found, reading) => {
    const given = span(found);
    const title = given.text.replace(/^(?:an?|the)\s+/i, '');
    if (title === '' || !isEvent(given)) return null;
    const begin = title === given.text ? given.from : given.from + 1;
    if (!given.quoted && readDuration(reading, begin) !== null)
      return { problem: { kind: 'exact', words: given.text } };
    return withLiteral({ ...given, text: title }, reading, 'marker', (text) => ({
      do: 'event',
      title: upperFirst(text),
      start: '',
      end: null,
      assumedHour: false,
    }));
  };

const requests: Build = (found, reading) => {
  const { tokens, end } = reading;
  const url = path(found, 'u');
  const body: Json =
    found.j !== undefined ? JsonValue.parse(parseRequestJson(path(found, 'j'))) : path(found, 'q');
  const hasBody = found.j !== undefined || found.q !== undefined;
  const verb = (tokens[end - (hasBody ? 4 : 2)]?.text ?? '').toUpperCase();
  const method = verb === 'SEND' ? 'POST' : verb;
  // "post https://…" may mean the address itself, here.
  if (!hasBody && tokens[end - 2]?.text === 'post')
    return { problem: { kind: 'exact', words: url } };
  return { command: { do: 'request', method, url, body: hasBody ? body : null } };
};

const posts =
  (introduced: Introduction): Build =>
  (found, reading) => {
    const channel = (found.c as string | undefined) ?? null;
    return withText(span(found), reading, introduced, (text) => ({ do: 'post', text, channel }));
  };

const readsAgenda =
  (days: number): Build =>
  (found, { now, timezone }) => {
    const day = found.m as Moment | undefined;
    if (day?.problem != null || day?.assumedHour === false) return null;
    const today = Temporal.Instant.fromEpochMilliseconds(now.getTime()).toZonedDateTimeISO(
      timezone,
    );
    const from = day?.date ?? today.toPlainDate();
    const iso = (date: typeof from) =>
      new Date(date.toZonedDateTime(timezone).epochMilliseconds).toISOString();
    return { command: { do: 'agenda', from: iso(from), to: iso(from.add({ days })) } };
  };

const lists = (place: string): Built => ({
  command: { do: 'list', path: tidyPath(place) || '.' },
});

/** A bare name may have any extension, and be in any folder. */
const finds: Build = (found) => {
  const named = files(found);
  if (named.kind === 'set') return { command: { do: 'find', set: named.set } };
  const [only = '', ...more] = named.paths;
  if (more.length > 0) return null;
  const [folder, name, folders] = [
    folderOf(only),
    baseName(only),
    named.folder || only.includes('/'),
  ];
  const pattern = folders || name.includes('.') ? name : `${name}*`;
  const set = { folder, pattern, except: [], folders };
  return { command: { do: 'find', set } };
};

const markers =
  'saying|containing|reading|that_says|which_says|that_contains|which_contains|with_the_text|with_the_content|with_the_words|:|saying_:|containing_:|with_:|with_the_text_:|with_the_content_:|with_the_following_:|with_the_following_content_:';
const create = 'create|make|write|touch|save';
const calendar = "what_is|what's|whats|show|read [me] [in|on] [the|my|our] calendar|agenda";

/** Forms that mean the same stand together; the first that fits counts. */
const forms: [patterns: string[], build: Build][] = [
  // Files
  [
    [
      `${create} {f:files} ${markers} {t:text} [in_it]`,
      'write|put to|in|into {f:files} : {t:text}',
    ],
    writes('marker'),
  ],
  [[`${create} {f:files} [,] [each] containing|saying|with its [own] name`], writesOwnName],
  [
    ['save|write|store to|as|in|into {f:files}'],
    (found, { focus }) => {
      const paths = focus.output ? pathsOf(found) : null;
      return paths && { command: write(paths, { kind: 'output' }) };
    },
  ],
  [
    [
      `${create} {f:files} with {t:text} [in_it]`,
      'write|put|save|store {t:text} to|in|into|as {f:files}',
    ],
    writes('none'),
  ],
  [
    [`${create} [a|an] [new] empty [file] [called|named] {p:path}`],
    (found) => ({ command: write([path(found)], { kind: 'literal', text: '' }) }),
  ],
  [[`${create} {f:files}`], asksContent],
  [[`${create} [a|the] [new] file|note|document ${markers} {t:text}`], asksPath],
  [
    [
      'add|append|insert [a_line|line] [saying|with] {t:text} to|at_the_end_of|at_the_bottom_of|to_the_end_of|to_the_bottom_of {p:path}',
    ],
    edits('append'),
  ],
  [
    [
      'add|insert|write [a_line|line] [saying|with] {t:text} at_the_top_of|at_the_beginning_of|at_the_start_of|to_the_top_of {p:path}',
      'prepend {t:text} to {p:path}',
    ],
    edits('prepend'),
  ],
  [
    ['replace|change {o:text} with|by|to {n:text} in {p:path}'],
    (found, reading) => {
      const [old, now] = [span(found, 'o'), span(found, 'n')];
      if (!old.quoted && /^\S+\.\p{L}+$/u.test(old.text)) return null;
      // "every milk" and "the word milk" are no words of the file.
      const introduced = old.to - old.from > 1 ? 'none' : 'marker';
      const doubt = old.quoted ? null : findDoubt(old, reading, introduced);
      if (doubt !== null) return doubt;
      return withLiteral(now, reading, 'none', (text) =>
        edit(path(found), { action: 'replace', find: old.text, text }),
      );
    },
  ],
  [
    [
      'move|mv {f:files} to|into {d:places}',
      'mv {f:files} {d:places}',
      'move|mv {f:files} to|into {d:places} [,] except|except_for|excluding {x:files}',
    ],
    moves('move'),
  ],
  [
    ['rename {f:files} to|as {d:place}'],
    (found) => {
      const [named, to] = [files(found), path(found, 'd')];
      if (named.kind === 'set' || named.paths.length > 1) return null;
      if (to.endsWith('/') && !named.folder) return null;
      const from = tidyPath(named.paths[0] ?? '');
      const folder =
        from.includes('/') && !to.includes('/') ? from.slice(0, from.lastIndexOf('/') + 1) : '';
      return move('move', onePath(from), [folder + tidyPath(to)]);
    },
  ],
  [['archive {f:files}'], (found) => move('move', files(found), ['archive/'])],
  [
    [
      'copy|duplicate|cp|back_up|backup {f:files} to|into|as {d:places}',
      'copy|back_up|backup {f:files} to|into {d:places} [,] except|except_for|excluding {x:files}',
    ],
    moves('copy'),
  ],
  [['copy|duplicate|back_up|backup {p:path}'], asksPlace('copy')],
  [['move {p:path}'], asksPlace('move')],
  [
    ['delete|remove|erase|rm|trash|get_rid_of|throw_away {f:files}'],
    (found) => findHalf(files(found)) ?? { command: { do: 'delete', files: files(found) } },
  ],
  [
    ['create|make|mkdir [a|an|the] [new] [empty] folder|directory [called|named] {d:place}'],
    (found) => ({ command: { do: 'make folder', path: tidyPath(path(found, 'd')) } }),
  ],
  // Reading
  [
    ['list|show|ls [me] [all] [the] [files|contents|workspace]', 'which|what files are there'],
    () => lists(''),
  ],
  [
    [
      "what_is|what's|whats|list|show|ls [me] [all] [the] [files|contents] [in|of|inside] {d:place}",
      'which|what files are|is in|there [in] {d:place}',
    ],
    (found) => {
      const place = path(found, 'd');
      return /\.[\p{L}\p{N}]+$/u.test(place) ? null : lists(place);
    },
  ],
  [
    ['list|find|show [me] {f:files}'],
    (found) => {
      const wanted = files(found);
      return wanted.kind === 'set' ? { command: { do: 'find', set: wanted.set } } : null;
    },
  ],
  [['does {f:files} exist', 'is there {f:files} [somewhere|anywhere]'], finds],
  [
    [
      'read|show|open|cat|print [me] [the] [contents_of|content_of] {p:path} [to_me]',
      "what_is|what's|whats in|inside {p:path}",
      'what does {p:path} say|contain',
    ],
    (found) => ({ command: { do: 'read', path: path(found) } }),
  ],
  // The web
  [
    ['fetch|get|download|open {u:url}'],
    (found) => ({ command: { do: 'fetch', url: path(found, 'u') } }),
  ],
  [
    ['check whether|if {u:url} is up'],
    (found) => ({ command: { do: 'check', url: path(found, 'u') } }),
  ],
  [
    [
      'post|put|patch|delete {u:url}',
      'post|put|patch|send {j:json} to {u:url}',
      'post|put|patch|send {q:quote} to {u:url}',
    ],
    requests,
  ],
  // Chat and people
  [
    [
      'tell|notify everyone|everybody|the_team|us|all|the_channel that|: {t:text}',
      'tell|notify [everyone|the_team] [in] {c:channel} [that|:] {t:text}',
      'send|post a message saying {t:text} to|in {c:channel}',
      'send|post a message to|in {c:channel} saying|: {t:text}',
      'send|post a message saying {t:text} [here]',
    ],
    posts('marker'),
  ],
  [
    [
      'post|say|announce|send|share [:] {t:text} here|in_here|in_this_channel|in_this_conversation|to_everyone|to_the_team',
      'post|say|announce|send|share [:] {t:text} to|in|into {c:channel}',
    ],
    posts('none'),
  ],
  [
    ['post|say|announce|share [this|the_following] [in|to] {c:channel} : {t:text}'],
    posts('marker'),
  ],
  [
    [
      'post|say|announce|share [here] [:] {t:text}',
      'tell|notify everyone|everybody|the_team|us|all|the_channel {t:text}',
    ],
    posts('none'),
  ],
  [['ask {w:who} [:] {q:quote}'], (found) => ({ command: ask(people(found), path(found, 'q')) })],
  [['ask|tell {w:who} to {t:text}', 'ask {w:who} whether|if {t:text}'], asks],
  [['get|assign {w:who} to {t:text}', 'have {w:who} {t:text}'], asksByName],
  // Time
  [
    [
      'remind me|us {m:moment} [,] to|about|of|that|: {t:text}',
      'remind me|us {r:rule} [,] to|about|of|that|: {t:text}',
      'remind me|us to|about|of|that {t:text}',
      'set|create a reminder [for|at] {m:moment} [,] to|about|of|that|: {t:text}',
      'set|create a reminder to|about|of|that {t:text}',
    ],
    reminds,
  ],
  [['add|put|schedule {t:text} to|in|on [the|my|our] calendar [for]'], addsEvent(() => true)],
  [['schedule {t:text} [for]'], addsEvent(({ quoted, text }) => quoted || meetings.test(text))],
  [[`${calendar} [for] {m:moment}`, `${calendar} [today]`], readsAgenda(1)],
  [[`${calendar} [for] this week`], readsAgenda(7)],
  [
    ['wait|sleep|pause [for] {d:duration}'],
    (found) => ({ command: { do: 'wait', seconds: (found.d as { seconds: number }).seconds } }),
  ],
];

const byLead = new Map<string, Form[]>();
for (const [patterns, build] of forms)
  for (const form of patterns.map((pattern) => ({ ...definePattern(pattern), build })))
    for (const lead of form.leads) byLead.set(lead, [...(byLead.get(lead) ?? []), form]);

export function formsFor(lead: string): Form[] {
  return byLead.get(lead) ?? [];
}

export const isLead = (word: string): boolean => byLead.has(word);

/** A command as it can be said, nearest to one that begins with `lead`. */
export function exampleFor(lead: string): string | null {
  const found = examples.find(([words]) => words.split(' ').includes(lead));
  return found?.[1] ?? null;
}

const examples: [string, string][] = [
  [
    'create make write touch save put store overwrite',
    'Create notes/today.md saying "Standup at 9:30"',
  ],
  ['add append insert prepend', 'Add "done" to todo.txt'],
  ['replace change edit update', 'Replace "milk" with "oat milk" in shopping.txt'],
  ['move mv rename archive', 'Move todo.txt to archive/'],
  ['copy duplicate cp back backup', 'Copy todo.txt to backup/todo.txt'],
  ['delete remove erase rm trash throw clear empty', 'Delete old.txt'],
  ['list show find which what read open', 'Read todo.txt'],
  ['fetch download check', 'Fetch https://example.com and save it to page.txt'],
  ['post say announce send tell notify share', 'Post "The build is green" here'],
  ['ask have assign', 'Ask Ana to review notes.md'],
  ['remind set', 'Remind me tomorrow at 9 to call Ben'],
  ['schedule book block', 'Add a meeting with Zoe to the calendar on Friday at 15:00'],
  ['wait sleep pause', 'Wait 10 minutes'],
  ['if unless once after before', 'Delete old.txt only after Ana has confirmed'],
  ['every each', 'Every Monday at 9:00 write done to reports/week.md'],
];
