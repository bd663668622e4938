// Suggests the two nearest forms, filled with the person's words. Each is parsed again before it is offered.
import { trimTail } from '#domain/words.ts';
import { readSpan, readWhen, type When, type Words } from '#timeline/spoken-times.ts';
import { type Form, forms } from './forms.ts';
import { compile, isAddress, isFile, isPlace } from './match.ts';
import { type Token, tokenize } from './tokens.ts';

const maxTokens = 200;
const maxText = 300;
const maxOffered = 1000;

type Kind =
  | 'text'
  | 'file'
  | 'address'
  | 'place'
  | 'person'
  | 'time'
  | 'span'
  | 'data'
  /** No slot takes these words, but they must not be lost. */
  | 'other'
  | 'rest';
/** Part of a command that could not be read. `text`: as a form takes it. */
type Piece = { kind: Kind; text: string; value: string; start: number; end: number };

const small = new Set(
  'a an the to in on at of for with and then please me my it is be that this from into by can you could would i we all some called named saying content contents'.split(
    ' ',
  ),
);
const greetings = /^(?:hey|hi|hello|dear|countersign)$/;
const quote = (text: string) => (text.includes('"') ? `“${text}”` : `"${text}"`);

/** Before a person, if the next word can be a name. */
const personVerbs = /^(?:ask|tell|send|remind|let|have|get|assign|email|message|to)$/;

function kindOf(token: Token, before: string): Kind {
  if (token.kind === 'quote') return 'text';
  if (token.kind === 'data') return 'data';
  if (isAddress(token.text)) return 'address';
  if (isPlace(token)) return 'place';
  if (/\S@\S/.test(token.text)) return 'other';
  if (isFile(token) && !/^\d+$/.test(token.text)) return 'file';
  return personVerbs.test(before) && /^\p{Lu}\p{L}+$/u.test(token.text) ? 'person' : 'rest';
}

function sortWords(source: string, setting: Pick<Words, 'now' | 'timezone'>): Piece[] {
  const tokens = tokenize(source).slice(0, maxTokens);
  const words: Words = { source, tokens, ...setting };
  const pieces: Piece[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at];
    if (token === undefined || token.kind === 'mark' || token.kind === 'line') continue;
    if (token.value === 'please' || (pieces.length === 0 && greetings.test(token.value))) continue;
    const { start, end, value, text } = token;
    const before = tokens[at - 1]?.value ?? '';
    const when = readWhen(words, at);
    const span = when === null ? readSpan(words, at) : null;
    if (when === null && span === null) {
      const isRule = value === 'every' || value === 'each';
      pieces.push({ kind: isRule ? 'other' : kindOf(token, before), text, value, start, end });
      continue;
    }
    at = (when ?? span)?.next ?? at;
    at -= 1;
    const to = tokens[at]?.end ?? end;
    const own = { value: '', start, end: to };
    if (when === null) pieces.push({ kind: 'span', text: source.slice(start, to), ...own });
    // A deadline, “next Tuesday” and “tomorrow morning” mean more than the time in them.
    else if (
      /^(?:by|next|last|until|till|before|after|since|every|each)$/.test(before) ||
      /^(?:morning|afternoon|evening|night)$/.test(tokens[at + 1]?.value ?? '')
    )
      pieces.push({ kind: 'other', text: source.slice(start, to), ...own });
    else pieces.push({ kind: 'time', text: wholeTime(when.value), ...own });
  }
  return pieces;
}

/** A day without a time of day begins at nine. */
function wholeTime({ words, clock, date, isToday, instant }: When): string {
  if (instant !== null) return words;
  const day =
    date === null
      ? ''
      : isToday
        ? date.toString()
        : trimTail(words.split(/\bat\b/i)[0] ?? '', /[\s,]/);
  if (clock === null) return `${day} at 9:00`;
  if (clock.second === null && !isToday) return words;
  const hour = clock.second !== null && clock.hour < 7 ? clock.second : clock.hour;
  return `${day} at ${String(hour).padStart(2, '0')}:${String(clock.minute).padStart(2, '0')}`.trim();
}

/** The command depends on something, or leaves it open: forms that would lose that are not offered. */
const conditions =
  /^(?:or|either|not|don't|don’t|never|only|unless|until|if|before|after|except|but|instead)$/;

const wordsOf = (ids: readonly string[]): string[] =>
  forms
    .filter(({ id }) => ids.includes(id))
    .flatMap((form) => [...form.near.split(' '), ...literalOf(form)]);

/** “make a copy of todo.txt” writes no text. */
const isOtherVerb = (word: string): boolean =>
  !small.has(word) &&
  wordsOf(['copy', 'move', 'delete', 'replace']).includes(word) &&
  !wordsOf(['write', 'append']).includes(word);

const retractions = /^(?:cancel|stop|end|undo|unset|forget|skip|reject|approve)$/;

function isFit(form: Form, pieces: Piece[]): boolean {
  const { id, spellings, looks } = form;
  const [first = ''] = spellings;
  const has = (kind: Kind) => pieces.some((one) => one.kind === kind);
  // An address or file is invented only if a quoted text goes into a new file.
  if (first.includes(':address}') && !has('address')) return false;
  const isText = id === 'write' && has('text');
  if (first.includes(':file}') && !has('file') && !isText) return false;
  const said = pieces.flatMap((one) => (one.kind === 'rest' ? [one.value] : []));
  const verb = said.find((one) => !small.has(one)) ?? '';
  if ((id === 'write' || id === 'append') && said.some(isOtherVerb)) return false;
  if (
    id === 'add event' &&
    !has('time') &&
    !said.some((one) => one !== 'add' && !small.has(one) && wordsOf([id]).includes(one))
  )
    return false;
  // “tell me …” is no message, and a file is no folder.
  if (id === 'post' && said[1] === 'me') return false;
  if (id === 'files' && pieces.some(({ kind, text }) => kind === 'file' && /\.\w+$/.test(text)))
    return false;
  if (!isVerb(form, verb) || (looks !== true && retractions.test(verb))) return false;
  if ((id === 'post' || id === 'remind') && has('person') && !has('place')) return false;
  if (id === 'ask' && !has('person') && verb !== 'ask') return false;
  if (id === 'delete folder')
    return (
      /^(?:delete|remove)$/.test(said[0] ?? '') && /^(?:folder|directory)$/.test(said.at(-2) ?? '')
    );
  if (id !== 'delete' && id !== 'move') return true;
  return /^(?:delete|remove|move|rename|archive)$/.test(said[0] ?? '');
}

const literalOf = ({ spellings }: Form): Set<string> =>
  new Set(
    spellings.flatMap((one) =>
      compile(one).flatMap((element) => (element.kind === 'words' ? element.words : [])),
    ),
  );

function rate(form: Form, pieces: Piece[]): number {
  const [spelling = ''] = form.spellings;
  const literal = literalOf(form);
  const others = new Set(form.near.split(' '));
  const said = pieces.filter(({ kind, value }) => kind === 'rest' && !small.has(value));
  const first = said[0]?.value ?? '';
  const slots = compile(spelling).flatMap((one) => (one.kind === 'slot' ? [one.type] : []));
  const has = (kind: Kind) => pieces.some((one) => one.kind === kind);
  const wants = (kind: Kind) => slots.some((slot) => slot === kind);
  const fits = (kind: Kind) => (wants(kind) ? (has(kind) ? 2 : -1) : has(kind) ? -1 : 0);
  return (
    (literal.has(first) ? 6 : others.has(first) ? 4 : 0) +
    said.filter(({ value }) => literal.has(value)).length * 2 +
    said.filter(({ value }) => others.has(value)).length +
    fits('file') +
    fits('address') +
    (wants('text') && has('text') ? 1 : 0) +
    (form.id === 'remind' && has('span') ? 2 : 0) +
    (wants('place') && has('place') ? 2 : 0) +
    (wants('person') && has('person') ? 2 : 0) +
    (form.id === 'remind' && has('time') ? 2 : 0)
  );
}

const otherwise: Record<string, string> = {
  file: 'notes.md',
  folder: 'notes',
  address: 'https://example.com',
  person: 'me',
  place: '#general',
  data: '{"text": "hello"}',
  span: '10 minutes',
  time: 'tomorrow at 9:00',
  clock: '10:00',
};

/** Without the time that was only made up for it. */
export const withoutTime = (text: string): string =>
  text.startsWith('remind') ? text.replace(` ${otherwise.time}`, '') : text;

/** The slots that a piece of each kind may fill. */
const kinds: Record<string, Kind> = {
  ...{ text: 'text', file: 'file', folder: 'file', address: 'address', place: 'place' },
  ...{ person: 'person', data: 'data', time: 'time', span: 'span' },
};

/** Its text may name files: “ask Ana to review notes.md”. */
const takesWords = ({ id }: Form): boolean => ['ask', 'remind'].includes(id);

const verbs = new Set(
  forms
    .flatMap((form) => [...form.near.split(' '), ...literalOf(form)])
    .filter((one) => !small.has(one)),
);

/** Several commands: those behind the first would end up in its text, or be lost. */
function areSeveral(source: string): boolean {
  const tokens = tokenize(source).slice(0, maxTokens);
  const first = tokens.findIndex(({ value }) => verbs.has(value));
  return tokens.some(
    ({ value }, at) =>
      first >= 0 &&
      at > first &&
      (value === 'then' ||
        (/^(?:and|[,.;])$/.test(value) && verbs.has(tokens[at + 1]?.value ?? ''))),
  );
}

const isVerb = (form: Form, word: string): boolean =>
  literalOf(form).has(word) || form.near.split(' ').includes(word);

/** Without the leading verb and the small words around used pieces. @returns null if a used piece was in the middle */
function joinLeft(
  form: Form,
  pieces: Piece[],
  left: ReadonlySet<Piece>,
  source: string,
): string | null {
  const first = pieces.find(({ kind }) => kind === 'rest');
  const isLead = (one: Piece | undefined) =>
    one !== undefined && (small.has(one.value) || (one === first && isVerb(form, one.value)));
  const runs: Piece[][] = [[]];
  for (const piece of pieces)
    if (left.has(piece)) runs.at(-1)?.push(piece);
    else runs.push([]);
  const texts = runs.flatMap((run) => {
    while (isLead(run[0]) && run[0]?.value !== 'and') run.shift();
    if (run.at(-1)?.value === 'it' && run.at(-2)?.value === 'in') run.splice(-2);
    while (/^(?:to|in|into|on|at|from|with|for)$/.test(run.at(-1)?.value ?? '')) run.pop();
    const [from, to] = [run[0]?.start, run.at(-1)?.end];
    const isNamed = run.every((one) => small.has(one.value) || isVerb(form, one.value));
    return from === undefined || to === undefined
      ? []
      : [{ isNamed, text: source.slice(from, to) }];
  });
  // “the team” before a channel adds nothing.
  const own = texts.filter(({ isNamed }) => !isNamed);
  const [{ text } = { text: '' }, ...others] = own.length > 0 ? own : texts;
  const lost = ['text', 'data', 'address', 'other', ...(takesWords(form) ? [] : ['file'])];
  const isKept = pieces.every((one) => !left.has(one) || !lost.includes(one.kind));
  return /^and\b/i.test(text) ||
    others.length > 0 ||
    text.length > maxText ||
    text === '' ||
    !isKept
    ? null
    : text;
}

/** In the first spelling that uses every piece; null if a piece would be lost. */
function fill(form: Form, pieces: Piece[], source: string): string | null {
  const has = (kind: Kind) => pieces.some((one) => one.kind === kind);
  for (const spelling of form.spellings) {
    const types = compile(spelling).flatMap((one) => (one.kind === 'slot' ? [one.type] : []));
    if (types.includes('rest') || spelling.includes('?')) continue;
    if (form.id === 'post' && types.includes('place') !== has('place')) continue;
    const text = fillSpelling(form, spelling, pieces, source);
    if (text !== null) return text;
  }
  return null;
}

function fillSpelling(
  form: Form,
  spelling: string,
  pieces: Piece[],
  source: string,
): string | null {
  const has = (kind: Kind) => pieces.some((one) => one.kind === kind);
  const elements = compile(spelling);
  const left = new Set(pieces);
  const take = (kind: Kind | undefined): string | undefined => {
    const found = pieces.find((one) => one.kind === kind && left.has(one));
    if (found !== undefined) left.delete(found);
    return found?.text;
  };
  const times = pieces.filter(({ kind }) => kind === 'time');
  const isTimed = form.operation !== null && form.looks !== true && form.id !== 'add event';
  const after = form.id === 'remind' && times.length === 0 ? take('span') : undefined;
  const time =
    after !== undefined ? `in ${after}` : isTimed && times.length === 1 ? take('time') : undefined;
  // Typed slots are filled before a text takes the remaining words.
  const filled = new Map(
    elements.flatMap((element) => {
      if (element.kind !== 'slot') return [];
      const isNamed = element.type === 'data' && !has('data') && has('text');
      const text = take(isNamed ? 'text' : kinds[element.type]);
      const isQuoted = element.type === 'text' || isNamed;
      return [[element, text === undefined || !isQuoted ? text : quote(text)] as const];
    }),
  );
  const open = [...filled].filter(([{ type }, text]) => type === 'text' && text === undefined);
  const words = open.length > 0 ? joinLeft(form, pieces, left, source) : null;
  if (open.length > 1 || (open.length === 1 && words === null)) return null;
  const isLost = ({ kind, value }: Piece) => kind !== 'rest' || conditions.test(value);
  if (words === null && [...left].some(isLost)) return null;
  const parts = elements.flatMap((element) => {
    if (element.kind === 'words')
      return element.optional && element.words[0] !== 'the' ? [] : [element.words[0] ?? ''];
    if (element.kind !== 'slot') return [];
    const own = filled.get(element);
    if (own !== undefined) return [own];
    if (element.type === 'folder')
      return [pieces.findLast(({ kind }) => kind === 'rest')?.text ?? 'notes'];
    if (element.type !== 'text')
      return [(element.name === 'to' ? 'archive/' : otherwise[element.type]) ?? 'x'];
    return [quote(words ?? '')];
  });
  const when = time ?? (form.id === 'remind' ? otherwise.time : undefined);
  return [...parts, ...(when === undefined ? [] : [when])].join(' ');
}

/**
 * Up to two nearest forms. @param reads whether the program plans or answers a text unchanged @param operations names of
 * connected operations
 */
export function suggestForms(
  part: string,
  setting: Pick<Words, 'now' | 'timezone'>,
  reads: (text: string) => boolean,
  operations: ReadonlySet<string>,
): string[] {
  const source = part.slice(0, 2000);
  const named = tokenize(source)
    .slice(0, maxTokens)
    .find(({ text }) => operations.has(text));
  const call = named === undefined ? '' : `call ${source.slice(named.start)}`;
  if (call !== '' && call.length <= maxOffered && reads(call)) return [call];
  if (areSeveral(source)) return [];
  const pieces = sortWords(source, setting);
  const ranked = forms
    .filter((form) => form.id !== 'call' && isFit(form, pieces))
    .map((form) => ({ form, rating: rate(form, pieces) }))
    .filter(({ rating }) => rating > 1)
    .toSorted((a, b) => b.rating - a.rating);
  const found: string[] = [];
  for (const { form } of ranked) {
    const text = fill(form, pieces, source);
    if (text !== null && text.length <= maxOffered && !found.includes(text) && reads(text))
      found.push(text);
    if (found.length === 2) break;
  }
  return found;
}
