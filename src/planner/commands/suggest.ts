// Suggests the two nearest forms, filled with the person's words. Each is parsed again before it is offered.
import { shorten, trimTail } from '#domain/words.ts';
import { readWhen, type When, type Words } from '#timeline/spoken-times.ts';
import { type Form, forms } from './forms.ts';
import { compile, isAddress, isFile, isPlace } from './match.ts';
import { type Token, tokenize } from './tokens.ts';

const maxTokens = 200;
const maxText = 300;

/** The words of a command that could not be read, by what they may be. */
type Sorted = {
  texts: string[];
  files: string[];
  addresses: string[];
  places: string[];
  people: string[];
  times: string[];
  data: string[];
  /** All other words, as they are written. */
  rest: Token[];
};

const small = new Set(
  'a an the to in on at of for with and then please me my it is be that this here from into by can you could would i we'.split(
    ' ',
  ),
);
const quote = (text: string) => (text.includes('"') ? `“${text}”` : `"${text}"`);

function sortWords(source: string, setting: Pick<Words, 'now' | 'timezone'>): Sorted {
  const tokens = tokenize(source).slice(0, maxTokens);
  const words: Words = { source, tokens, ...setting };
  const found: Sorted = {
    texts: [],
    files: [],
    addresses: [],
    places: [],
    people: [],
    times: [],
    data: [],
    rest: [],
  };
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at];
    if (token === undefined || token.kind === 'mark' || token.kind === 'line') continue;
    const when = readWhen(words, at);
    if (when !== null) {
      found.times.push(wholeTime(when.value));
      at = when.next - 1;
    } else if (token.kind === 'quote') found.texts.push(token.text);
    else if (token.kind === 'data') found.data.push(token.text);
    else if (isAddress(token.text)) found.addresses.push(token.text);
    else if (isPlace(token)) found.places.push(token.text);
    else if (isFile(token)) found.files.push(token.text);
    else if (at > 0 && /^\p{Lu}\p{Ll}+$/u.test(token.text)) found.people.push(token.text);
    else if (token.value !== 'please') found.rest.push(token);
  }
  return found;
}

/** A time with nothing open, for what is offered: a day without a time of day begins at nine. */
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

/** Destructive forms are offered only if asked for, and never if a condition would be lost. */
const conditions = /^(?:not|don't|don’t|never|only|unless|until|if|before|after|except|but)$/;
function isFit({ id, spellings }: Form, { rest, files, addresses }: Sorted): boolean {
  const said = rest.map(({ value }) => value);
  const [first = ''] = spellings;
  // An address or file that nobody named is made up only where a text goes into a new file.
  if (first.includes(':address}') && addresses.length === 0) return false;
  if (first.includes(':file}') && files.length === 0 && id !== 'write') return false;
  if (id !== 'delete' && id !== 'delete folder' && id !== 'move') return true;
  if (said.some((word) => conditions.test(word))) return false;
  if (id === 'delete folder')
    return (
      /^(?:delete|remove)$/.test(said[0] ?? '') && /^(?:folder|directory)$/.test(said.at(-2) ?? '')
    );
  return files.length > 0 && /^(?:delete|remove|move|rename|archive)$/.test(said[0] ?? '');
}

/** How well a form fits the words. */
function rate({ spellings, near, id }: Form, words: Sorted): number {
  const [spelling = ''] = spellings;
  const elements = compile(spelling);
  const literal = new Set(
    spellings
      .flatMap((one) => compile(one))
      .flatMap((one) => (one.kind === 'words' ? one.words : [])),
  );
  const others = new Set(near.split(' '));
  const said = words.rest.filter(({ value }) => !small.has(value));
  const first = said[0]?.value ?? '';
  const slots = elements.flatMap((one) => (one.kind === 'slot' ? [one.type] : []));
  const wants = (type: string) => slots.some((slot) => slot === type);
  const has = (type: string, list: string[]) =>
    wants(type) ? (list.length > 0 ? 2 : -1) : list.length > 0 ? -1 : 0;
  return (
    (literal.has(first) ? 6 : others.has(first) ? 4 : 0) +
    said.filter(({ value }) => literal.has(value)).length * 2 +
    said.filter(({ value }) => others.has(value)).length +
    has('file', words.files) +
    has('address', words.addresses) +
    (wants('place') && words.places.length > 0 ? 2 : 0) +
    (wants('person') && words.people.length > 0 ? 2 : 0) +
    (id === 'remind' && words.times.length > 0 ? 2 : 0)
  );
}

/** The example's own words for each kind of slot. */
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

function fill(form: Form, words: Sorted): string {
  const spelling = form.spellings.find((one) => {
    const types = compile(one).flatMap((element) =>
      element.kind === 'slot' ? [element.type] : [],
    );
    return (
      !types.includes('rest') &&
      (!form.id.startsWith('post') || types.includes('place') === words.places.length > 0) &&
      !one.includes('?')
    );
  });
  const elements = compile(spelling ?? form.spellings[0] ?? '');
  const literal = new Set(elements.flatMap((one) => (one.kind === 'words' ? one.words : [])));
  const left = { ...words, files: [...words.files], texts: [...words.texts] };
  const said = words.rest.filter(
    ({ value }, at) =>
      !(at === 0 && (literal.has(value) || form.near.split(' ').includes(value))) &&
      !literal.has(value),
  );
  const plain = said
    .map(({ text }) => text)
    .join(' ')
    .replace(/^(?:to|that) /i, '')
    .slice(0, maxText);
  const take: Record<string, () => string | undefined> = {
    text: () => quote(left.texts.shift() ?? (plain === '' ? 'hello' : plain)),
    file: () => left.files.shift(),
    folder: () => left.files.shift()?.replace(/\/$/, '') ?? said.at(-1)?.text,
    address: () => words.addresses[0],
    place: () => words.places[0],
    person: () => words.people[0],
    data: () => words.data[0] ?? (left.texts[0] === undefined ? undefined : quote(left.texts[0])),
    time: () => words.times[0],
  };
  const parts = elements.flatMap((element) => {
    if (element.kind === 'words')
      return element.optional && element.words[0] !== 'the' ? [] : [element.words[0] ?? ''];
    if (element.kind !== 'slot') return [];
    const own = take[element.type]?.();
    return [own ?? (element.name === 'to' ? 'archive/' : (otherwise[element.type] ?? 'x'))];
  });
  const time =
    form.id === 'remind'
      ? (words.times[0] ?? 'tomorrow at 9:00')
      : form.operation !== null && form.looks !== true && form.id !== 'add event'
        ? words.times[0]
        : undefined;
  return [...parts, ...(time === undefined ? [] : [time])].join(' ');
}

/**
 * Up to two forms that are nearest to `part`, with its words filled in.
 * @param reads whether the program plans or answers such a text as it stands
 */
export function suggestForms(
  part: string,
  setting: Pick<Words, 'now' | 'timezone'>,
  reads: (text: string) => boolean,
): string[] {
  const words = sortWords(part.slice(0, 2000), setting);
  const ranked = forms
    .filter((form) => form.id !== 'call' && isFit(form, words))
    .map((form) => ({ form, rating: rate(form, words) }))
    .toSorted((a, b) => b.rating - a.rating);
  const found: string[] = [];
  for (const { form } of ranked) {
    const text = shorten(fill(form, words), 1000);
    if (!found.includes(text) && reads(text)) found.push(text);
    if (found.length === 2) break;
  }
  return found;
}
