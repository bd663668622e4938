// The commands there are: the forms they are said in, and what each becomes. Documented in docs/commands.md.
import { type Json, JsonValue } from '#domain/text.ts';
import type { Command, Edit, FileSet, Files, Text } from './command.ts';
import { baseName, tidyPath } from './files.ts';
import { type Bindings, definePattern, type Pattern, type Reading, type Span } from './match.ts';
import { type Introduction, readText, type TextProblem } from './texts.ts';
import type { Moment, Read, Rule } from './times.ts';
import { readDuration, readMoment } from './times.ts';
import { tokenize } from './tokens.ts';

/** What a form needs and was not given. */
export type Missing = { ask: string; kind: string };
export type Built =
  | { command: Command; spans?: Span[] }
  | { missing: Missing[]; fill: (answers: string[]) => Command }
  | { problem: TextProblem };

type Build = (found: Bindings, reading: Reading) => Built | null;
export type Form = Pattern & { build: Build };

const markers =
  'saying|containing|reading|that_says|which_says|that_contains|which_contains|with_the_text|with_the_content|with_the_words|:|saying_:|containing_:|with_:|with_the_text_:|with_the_content_:|with_the_following_:|with_the_following_content_:';
const create = 'create|make|write|touch|save';
const ofFile = 'to|at_the_end_of|at_the_bottom_of|to_the_end_of|to_the_bottom_of';
const atTop = 'at_the_top_of|at_the_beginning_of|at_the_start_of|to_the_top_of';

// The slots of a pattern hold what their readers give: the casts below name those types.
const files = (found: Bindings) => found.f as Files;
const span = (found: Bindings, name = 't') => found[name] as Span;
const path = (found: Bindings, name = 'p') => found[name] as string;

function withText(
  given: Span,
  reading: Reading,
  introduced: Introduction,
  make: (text: Text) => Command,
): Built {
  const read = readText(given, reading, introduced);
  return 'problem' in read
    ? read
    : { command: make(read.text), spans: given.quoted ? [] : [given] };
}

/** A text that must be known when the plan is made. */
function withLiteral(
  given: Span,
  reading: Reading,
  introduced: Introduction,
  make: (text: string) => Command,
): Built {
  const read = readText(given, reading, introduced);
  if ('problem' in read) return read;
  if (read.text.kind !== 'literal') return { problem: { kind: 'exact', words: given.text } };
  return { command: make(read.text.text), spans: given.quoted ? [] : [given] };
}

function pathsOf(found: Files): string[] | null {
  return found.kind === 'paths' && !found.folder ? found.paths : null;
}

const write =
  (paths: string[], overwrite = false) =>
  (text: Text): Command => ({ do: 'write', paths, text, overwrite });

function askContent(paths: string[]): Built {
  const missing = paths.map((path, k) => ({
    kind: `content ${k}`,
    ask: `What should ${path} contain?`,
  }));
  const textOf = (answer: string) => (/^empty\.?$/i.test(answer.trim()) ? '' : answer.trim());
  return { missing, fill: (answers) => write(paths)({ kind: 'each', texts: answers.map(textOf) }) };
}

const edit = (path: string, change: Edit): Command => ({ do: 'edit', path, edit: change });

/** Into a folder under its own name, or to the path itself. */
export function placeFor(file: string, to: string): string {
  return tidyPath(to.endsWith('/') ? `${to}${baseName(file)}` : to);
}

/** "logs/a.txt and b.txt": where the second one is cannot be told. */
function findHalf(named: Files): TextProblem | null {
  if (named.kind === 'set' || !named.paths[0]?.includes('/')) return null;
  const half = named.paths.find((path) => !path.includes('/'));
  return half === undefined ? null : { kind: 'whole', words: half };
}

function move(what: 'move' | 'copy', moved: Files, to: string[]): Built | null {
  const half = findHalf(moved);
  if (half !== null) return { problem: half };
  const many = moved.kind === 'set' || moved.paths.length > 1;
  if (many && to.length > 1) return null;
  // Several files go into a folder, and never onto one another.
  const into = many
    ? to.map((one) => (/\.[\p{L}\p{N}]+$/u.test(baseName(one)) ? one : `${tidyPath(one)}/`))
    : to;
  if (many && into.some((one) => !one.endsWith('/'))) return null;
  return { command: { do: what, files: moved, to: into } };
}

const ask = (people: (string | null)[], question: string): Command => ({
  do: 'ask',
  people,
  question: upperFirst(question),
  answer: 'any',
});

export const upperFirst = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function remind(found: Bindings, reading: Reading): Built {
  const moment = found.m as Moment | undefined;
  const rule = (found.r as Rule | undefined) ?? null;
  const problem = moment?.problem ?? rule?.problem ?? null;
  if (rule?.until != null) return { problem: { kind: 'time', words: rule.words } };
  if (problem !== null) return { problem: { kind: problem.about, words: problem.words } };
  return withLiteral(span(found), reading, 'person', (text) => ({
    do: 'remind',
    text: upperFirst(text),
    at: moment?.iso ?? null,
    rule,
    assumedHour: moment?.assumedHour ?? rule?.assumedHour ?? false,
  }));
}

function event(found: Bindings, reading: Reading): Built | null {
  const given = span(found);
  const title = given.text.replace(/^(?:an?|the)\s+/i, '');
  if (title === '') return null;
  return withLiteral({ ...given, text: title }, reading, 'person', (text) => ({
    do: 'event',
    title: upperFirst(text),
    start: '',
    end: null,
    assumedHour: false,
  }));
}

function request(method: string, url: string, body: Json | null): Built {
  if (method === 'GET' && body === null) return { command: { do: 'fetch', url } };
  return { command: { do: 'request', method, url, body } };
}

const json = (found: Bindings): Json => JsonValue.parse(JSON.parse(String(found.j)));
const methodOf = (reading: Reading, at: number) => (reading.tokens[at]?.text ?? '').toUpperCase();

function post(found: Bindings, reading: Reading, introduced: Introduction = 'none'): Built {
  const channel = (found.c as string | undefined) ?? null;
  return withText(span(found), reading, introduced, (text) => ({ do: 'post', text, channel }));
}

function agenda(reading: Reading, found: Bindings): Built | null {
  const day = found.m as Moment | undefined;
  if (day?.problem != null || day?.assumedHour === false) return null;
  const today: Read<Moment> | null = readMoment(
    {
      ...reading,
      source: 'today',
      tokens: [{ kind: 'word', text: 'today', value: 'today', start: 0, end: 5 }],
    },
    0,
  );
  const from = day?.date ?? today?.value.date;
  if (from === undefined) return null;
  const days = found.week === undefined ? 1 : 7;
  const iso = (date: typeof from) =>
    new Date(date.toZonedDateTime(reading.timezone).epochMilliseconds).toISOString();
  return { command: { do: 'agenda', from: iso(from), to: iso(from.add({ days })) } };
}

const forms: [pattern: string, build: Build][] = [
  // Files
  [
    `${create} {f:files} ${markers} {t:text} [in_it]`,
    (found, reading) => {
      const paths = pathsOf(files(found));
      return paths && withText(span(found), reading, 'marker', write(paths));
    },
  ],
  [
    `${create} {f:files} [,] [each] containing|saying|with its [own] name`,
    (found) => {
      const paths = pathsOf(files(found));
      return paths && { command: write(paths)({ kind: 'own name' }) };
    },
  ],
  [
    `${create} {f:files} with {t:text} [in_it]`,
    (found, reading) => {
      const paths = pathsOf(files(found));
      return paths && withText(span(found), reading, 'none', write(paths));
    },
  ],
  [
    `${create} [a|the] [new] file|note|document ${markers} {t:text}`,
    (found, reading) => {
      const read = readText(span(found), reading, 'marker');
      if ('problem' in read) return read;
      return {
        missing: [
          { kind: 'path', ask: 'Where should this text be saved? For example, notes/today.md.' },
        ],
        fill: ([answer = '']) => write([tidyPath(answer.trim())])(read.text),
      };
    },
  ],
  [
    `overwrite {f:files} ${markers} {t:text}`,
    (found, reading) => {
      const paths = pathsOf(files(found));
      return paths && withText(span(found), reading, 'marker', write(paths, true));
    },
  ],
  [
    `${create} [a|an] [new] empty [file] [called|named] {p:path}`,
    (found) => ({ command: write([path(found)])({ kind: 'literal', text: '' }) }),
  ],
  [
    `${create} {f:files}`,
    (found) => {
      const paths = pathsOf(files(found));
      return paths && askContent(paths);
    },
  ],
  [
    'write|put|save|store {t:text} to|in|into|as {f:files}',
    (found, reading) => {
      const paths = pathsOf(files(found));
      return paths && withText(span(found), reading, 'none', write(paths));
    },
  ],
  [
    'put {f:files} in|into {d:place}',
    (found) =>
      path(found, 'd').endsWith('/') ? move('move', files(found), [path(found, 'd')]) : null,
  ],
  [
    `add|append|insert [a] [line] [saying|with] {t:text} ${ofFile} {p:path}`,
    (found, reading) =>
      withLiteral(span(found), reading, 'none', (text) =>
        edit(path(found), { kind: 'append', text }),
      ),
  ],
  [
    `append|add {t:text} to {p:path}`,
    (found, reading) =>
      withLiteral(span(found), reading, 'none', (text) =>
        edit(path(found), { kind: 'append', text }),
      ),
  ],
  [
    `add|insert|write [a] [line] [saying|with] {t:text} ${atTop} {p:path}`,
    (found, reading) =>
      withLiteral(span(found), reading, 'none', (text) =>
        edit(path(found), { kind: 'prepend', text }),
      ),
  ],
  [
    'prepend {t:text} to {p:path}',
    (found, reading) =>
      withLiteral(span(found), reading, 'none', (text) =>
        edit(path(found), { kind: 'prepend', text }),
      ),
  ],
  [
    'replace|change {o:text} with|by|to {n:text} in {p:path}',
    (found, reading) => {
      const [old, now] = [span(found, 'o'), span(found, 'n')];
      if (!old.quoted && /^\S+\.\p{L}+$/u.test(old.text)) return null;
      return withLiteral(old, reading, 'marker', () =>
        edit(path(found), { kind: 'replace', old: old.text, new: now.text }),
      );
    },
  ],
  [
    'move|mv {f:files} to|into {d:place}',
    (found) => move('move', files(found), [path(found, 'd')]),
  ],
  [
    'rename {p:path} to|as {d:path}',
    (found) => {
      const [from, to] = [path(found), path(found, 'd')];
      const folder =
        from.includes('/') && !to.includes('/') ? from.slice(0, from.lastIndexOf('/') + 1) : '';
      return move('move', { kind: 'paths', paths: [from], folder: false }, [folder + to]);
    },
  ],
  [
    'mv {p:path} {d:path}',
    (found) =>
      move('move', { kind: 'paths', paths: [path(found)], folder: false }, [path(found, 'd')]),
  ],
  ['archive {f:files}', (found) => move('move', files(found), ['archive/'])],
  [
    'copy|duplicate|cp|back_up|backup {f:files} to|into|as {d:places}',
    (found) => move('copy', files(found), found.d as string[]),
  ],
  [
    'copy|duplicate|back_up|backup {p:path}',
    (found) => ({
      missing: [{ kind: 'destination', ask: `Where should I copy ${path(found)} to?` }],
      fill: ([answer = '']) => ({
        do: 'copy',
        files: { kind: 'paths', paths: [path(found)], folder: false },
        to: [answer.trim()],
      }),
    }),
  ],
  [
    'move {p:path}',
    (found) => ({
      missing: [{ kind: 'destination', ask: `Where should I move ${path(found)} to?` }],
      fill: ([answer = '']) => ({
        do: 'move',
        files: { kind: 'paths', paths: [path(found)], folder: false },
        to: [answer.trim()],
      }),
    }),
  ],
  [
    'delete|remove|erase|rm|trash|get_rid_of|throw_away {f:files}',
    (found) => {
      const half = findHalf(files(found));
      return half === null ? { command: { do: 'delete', files: files(found) } } : { problem: half };
    },
  ],
  [
    'create|make|mkdir [a|the] [new] folder|directory [called|named] {d:name}',
    (found) => ({ command: { do: 'make folder', path: tidyPath(path(found, 'd')) } }),
  ],
  // Reading
  [
    'list|show|ls [me] [all] [the] [files|contents|workspace]',
    () => ({ command: { do: 'list', path: '.' } }),
  ],
  [
    "what_is|what's|list|show|ls [me] [all] [the] [files|contents] [in|of|inside] {d:place}",
    (found) => {
      const place = path(found, 'd');
      return /\.[\p{L}\p{N}]+$/u.test(place)
        ? null
        : { command: { do: 'list', path: place === './' ? '.' : tidyPath(place) } };
    },
  ],
  [
    'which|what files are in|there [in] {d:place}',
    (found) => ({ command: { do: 'list', path: tidyPath(path(found, 'd')) || '.' } }),
  ],
  ['which|what files are there', () => ({ command: { do: 'list', path: '.' } })],
  [
    'list|find|show [me] {f:files}',
    (found) => {
      const wanted = files(found);
      return wanted.kind === 'set' ? { command: { do: 'find', set: wanted.set } } : null;
    },
  ],
  ['does {p:path} exist', (found) => ({ command: { do: 'find', set: namedSet(path(found)) } })],
  [
    'is there [a] [file] [called|named] {p:path}',
    (found) => ({ command: { do: 'find', set: namedSet(path(found)) } }),
  ],
  [
    'read|show|open|cat|print [me] [the] [contents_of|content_of] {p:path}',
    (found) => ({ command: { do: 'read', path: path(found) } }),
  ],
  ['what does {p:path} say|contain', (found) => ({ command: { do: 'read', path: path(found) } })],
  // The web
  [
    'fetch|get|download|open {u:url}',
    (found) => ({ command: { do: 'fetch', url: path(found, 'u') } }),
  ],
  [
    'check whether|if {u:url} is up',
    (found) => ({ command: { do: 'fetch', url: path(found, 'u') } }),
  ],
  [
    'post|put|patch|delete {u:url}',
    (found, reading) => request(methodOf(reading, reading.end - 2), path(found, 'u'), null),
  ],
  [
    'post|put|patch|send {j:json} to {u:url}',
    (found, reading) => {
      const method = methodOf(reading, reading.end - 4);
      return request(method === 'SEND' ? 'POST' : method, path(found, 'u'), json(found));
    },
  ],
  [
    'post|put|patch|send {q:quote} to {u:url}',
    (found, reading) => {
      const method = methodOf(reading, reading.end - 4);
      return request(method === 'SEND' ? 'POST' : method, path(found, 'u'), path(found, 'q'));
    },
  ],
  // Chat and people
  [
    'post|say|announce|send|share [:] {t:text} here|in_here|in_this_channel|in_this_conversation|to_everyone|to_the_team',
    post,
  ],
  ['post|say|announce|send|share [:] {t:text} to|in|into {c:channel}', post],
  [
    'post|say|announce|share [in|to] {c:channel} : {t:text}',
    (found, reading) => post(found, reading, 'marker'),
  ],
  ['post|say|announce|share [here] [:] {t:text}', post],
  [
    'tell|notify everyone|everybody|the_team|us|all|the_channel [in] [that|:] {t:text}',
    (found, reading) => post(found, reading, 'marker'),
  ],
  [
    'tell|notify [everyone|the_team] [in] {c:channel} [that|:] {t:text}',
    (found, reading) => post(found, reading, 'marker'),
  ],
  [
    'send|post a message saying {t:text} to|in {c:channel}',
    (found, reading) => post(found, reading, 'marker'),
  ],
  [
    'send|post a message to|in {c:channel} saying|: {t:text}',
    (found, reading) => post(found, reading, 'marker'),
  ],
  [
    'send|post a message saying {t:text} [here]',
    (found, reading) => post(found, reading, 'marker'),
  ],
  [
    'ask {w:who} [:] {q:quote}',
    (found) => ({ command: ask(found.w as string[], path(found, 'q')) }),
  ],
  [
    'ask|tell|get {w:who} to {t:text}',
    (found, reading) =>
      withLiteral(span(found), reading, 'person', (text) => ask(found.w as string[], text)),
  ],
  [
    'ask {w:who} whether|if {t:text}',
    (found, reading) =>
      withLiteral(span(found), reading, 'person', (text) =>
        ask(
          found.w as string[],
          `${reading.tokens[span(found).from - 1]?.text} ${text.replace(/\?$/, '')}?`,
        ),
      ),
  ],
  [
    'have {w:who} {t:text}',
    (found, reading) =>
      withLiteral(span(found), reading, 'person', (text) => ask(found.w as string[], text)),
  ],
  // Time
  ['remind me|us {m:moment} [,] to|about|of|that|: {t:text}', remind],
  ['remind me|us {r:rule} [,] to|about|of|that|: {t:text}', remind],
  ['remind me|us to|about|of|that {t:text}', remind],
  ['set|create a reminder [for|at] {m:moment} [,] to|about|of|that|: {t:text}', remind],
  ['set|create a reminder to|about|of|that {t:text}', remind],
  ['add|put|schedule {t:text} to|in|on [the|my|our] calendar', event],
  ['schedule {t:text}', event],
  [
    "what_is|what's|show|read [me] [in|on] [the|my|our] calendar|agenda [for] {m:moment}",
    (found, reading) => agenda(reading, found),
  ],
  [
    "what_is|what's|show|read [me] [in|on] [the|my|our] calendar|agenda [today]",
    (found, reading) => agenda(reading, found),
  ],
  [
    "what_is|what's|show|read [me] [in|on] [the|my|our] calendar|agenda [for] this week",
    (found, reading) => agenda(reading, { ...found, week: true }),
  ],
  [
    'wait|sleep|pause [for] {d:duration}',
    (found) => ({ command: { do: 'wait', seconds: (found.d as { seconds: number }).seconds } }),
  ],
  [
    'wait|sleep|pause',
    () => ({
      missing: [{ kind: 'seconds', ask: 'How many seconds should I wait?' }],
      fill: ([answer = '']) => ({ do: 'wait', seconds: secondsOf(answer) }),
    }),
  ],
];

/** "20", "2 minutes". */
function secondsOf(answer: string): number {
  const tokens = tokenize(answer);
  const read = readDuration({ source: answer, tokens, now: new Date(0), timezone: 'UTC' }, 0);
  return read?.next === tokens.length ? read.value.seconds : Number(answer);
}

function namedSet(path: string): FileSet {
  const folder = path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '';
  return { folder, pattern: baseName(path), except: [], folders: true };
}

const compiled: Form[] = forms.map(([pattern, build]) => ({ ...definePattern(pattern), build }));
const byLead = Map.groupBy(
  compiled.flatMap((form) => form.leads.map((lead) => ({ lead, form }))),
  ({ lead }) => lead,
);

/** The forms that begin with `lead`. */
export function formsFor(lead: string): Form[] {
  return byLead.get(lead)?.map(({ form }) => form) ?? [];
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
  ['delete remove erase rm trash get throw clear empty', 'Delete old.txt'],
  ['list show find which what read open', 'Read todo.txt'],
  ['fetch download check', 'Fetch https://example.com and save it to page.txt'],
  ['post say announce send tell notify share', 'Post "The build is green" here'],
  ['ask have assign', 'Ask Ana to review notes.md'],
  ['remind set', 'Remind me tomorrow at 9 to call Ben'],
  ['schedule book block', 'Add a meeting with Zoe to the calendar on Friday at 15:00'],
  ['wait sleep pause', 'Wait 10 minutes'],
];
