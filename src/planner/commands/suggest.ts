// Suggests commands for an unreadable request; none may lose a word.
import { isNearly } from '#domain/words.ts';
import { type Every, settleEvery, settleWhen, type When } from '#timeline/spoken-times.ts';
import { type Form, forms, type SlotType } from './forms.ts';
import {
  compile,
  type Element,
  isAddress,
  isFile,
  isPlace,
  noSlots,
  type Reading,
  readSlot,
  startsOf,
} from './match.ts';
import { readModifiers, type Token } from './tokens.ts';

const site =
  /^[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|io|dev|app|de|eu|uk|co|edu|gov|info)(?:\/\S*)?$/i;
const setOf = (words: string) => new Set(words.split(' '));
const polite = setOf('hey hi hello dear countersign can could would you i');
const leads = setOf('a an to in into on at of for from with that it saying please');
const small = setOf(
  `${[...leads].join(' ')} the my our is this called named as file folder document`,
);
const asking = setOf('me my i do does have am is are');
/** A filled form would lose these. */
const beyond = setOf(
  'every each by until till next last before after since then once later morning afternoon evening night',
);
const otherTime = 'tomorrow at 9:00';

const fixedOf = (spelling: string) =>
  compile(spelling).flatMap((one) => (one.kind === 'words' ? one.words : []));
const vocabulary = new Map(
  forms.map((form) => {
    const words = [...form.spellings.flatMap(fixedOf), ...form.near.split(' ')];
    return [form, new Set(words.filter((one) => !small.has(one)))];
  }),
);
const verbsOf = (spelling: string) => startsOf(spelling).flatMap((start) => start.split(' ', 1));
const verbs = forms.flatMap(({ spellings }) => spellings.flatMap(verbsOf));
const isAnyVerb = (word: string) => [...vocabulary.values()].some((words) => words.has(word));
const hasStart = (spelling: string, verb: string) => verbsOf(spelling).includes(verb);
const hasPerson = ({ spellings }: Form) => spellings.some((one) => one.includes(':person}'));
const isName = (token: Token | undefined) =>
  token?.kind === 'word' && /^[\p{Lu}@<]/u.test(token.text);
const isNumber = ({ text }: Token) => /^\d+$/.test(text);
const isTyped = (token: Token) => (isFile(token) && !isNumber(token)) || isAddress(token.text);

/** `ways`: spellings. */
type Timing = { at: number; next: number; ways: string[]; isExact: boolean; repeats: boolean };
type Words = { reading: Reading; first: number; person: number; timing: Timing | null };

const isIn = (timing: Timing | null, at: number) =>
  timing !== null && at >= timing.at && at < timing.next;

/** As written, and by day if the time of day is open. */
function spellTime(one: When | Every, reading: Reading): string[] {
  const settled = 'freq' in one ? settleEvery(one) : settleWhen(one, reading);
  if (!('choices' in settled) || settled.about !== 'time') return [one.words];
  const byDay = settled.choices.find((time) => /^(?:[7-9]|1[0-8]):/.test(time)) ?? '9:00';
  const clock = /(?:\bat\s+)?\b\d{1,2}:\d\d|\bat\s+\d{1,2}\b/i;
  const timed = one.words.replace(clock, `at ${byDay.padStart(5, '0')}`);
  return [one.words, one.clock === null ? `${one.words} at ${byDay}` : timed];
}

function findTiming(reading: Reading): Timing | null {
  const { tokens, source } = reading;
  const found: Timing[] = [];
  for (let at = 0; at < tokens.length; ) {
    const read = readModifiers(reading, at);
    const next = read?.next ?? at + 1;
    if (read !== null) {
      const { start, every } = read.value;
      const isOnly = Object.values(read.value).filter((one) => one !== null).length === 1;
      const when = isOnly ? (start ?? every) : null;
      const words = source.slice(tokens[at]?.start, tokens[next - 1]?.end);
      const ways = when === null ? [words] : spellTime(when, reading);
      const isExact = every !== null || (start?.clock ?? start?.instant ?? null) !== null;
      found.push({ at, next, ways, isExact, repeats: every !== null });
    }
    at = next;
  }
  return found.length === 1 ? (found[0] ?? null) : null;
}

/** @returns null if a slot stays open or a word is lost */
function fill(form: Form, spelling: string, input: Words, when: string | null): string | null {
  const { reading, first, person, timing } = input;
  const { tokens, source } = reading;
  const own = vocabulary.get(form);
  const isFree = ({ value }: Token) =>
    small.has(value) || own?.has(value) === true || (form.looks === true && asking.has(value));
  const elements = compile(spelling);
  const used = new Set(tokens.slice(0, first + 1).keys());
  const use = (from: number, to: number): string => {
    for (let at = from; at < to; at += 1) used.add(at);
    return source.slice(tokens[from]?.start, tokens[to - 1]?.end);
  };
  const parts = elements.flatMap((one) =>
    one.kind !== 'words' || small.has(one.words[0] ?? '') || one.optional ? [] : [one.words],
  );
  if (tokens.filter(({ value }) => own?.has(value)).length < parts.length) return null;
  for (const words of parts) used.add(tokens.findIndex(({ value }) => words.includes(value)));
  const hasTime = spelling.includes(':time}');
  const canBeTimed = form.operation !== null && (form.looks !== true || timing?.repeats === true);
  const isTimed = when !== null && !hasTime && canBeTimed;
  if (timing !== null && when !== null && (isTimed || hasTime)) use(timing.at, timing.next);
  const values = new Map<string, string>();
  /** Articles aside. */
  const follows = (at: number, place: number): boolean => {
    const before = elements[place - 1];
    const isLead = (k: number) =>
      before?.kind === 'words' && before.words.includes(tokens[k]?.value ?? '');
    let k = at - 1;
    while (k > first && !isLead(k) && small.has(tokens[k]?.value ?? '')) k -= 1;
    return k > first && isLead(k);
  };
  const fillSlots = (isMeant: (type: SlotType, at: number, place: number) => boolean) => {
    for (const [place, slot] of elements.entries())
      for (const [at, token] of tokens.entries()) {
        if (slot.kind !== 'slot' || slot.type === 'time') continue;
        if (values.has(slot.name) || used.has(at) || !isMeant(slot.type, at, place)) continue;
        const isPlain = token.kind === 'word' && !small.has(token.value) && !/\W/.test(token.text);
        const next =
          (isFree(token) && slot.type !== 'person' && token.value !== reading.it) ||
          (slot.type === 'data' && token.kind === 'word') ||
          (/^(?:file|target)$/.test(slot.type) && isNumber(token)) ||
          (slot.type === 'folder' && /\.\w+$/.test(token.text))
            ? null
            : readSlot(slot, reading, at, noSlots());
        if (next !== null) values.set(slot.name, use(at, next));
        else if (slot.type === 'address' && site.test(token.text))
          values.set(slot.name, `https://${use(at, at + 1)}`);
        else if (slot.type === 'target' && isPlain && follows(at, place))
          values.set(slot.name, `${use(at, at + 1)}/`);
      }
  };
  for (const slot of elements)
    if (slot.kind === 'slot' && slot.type === 'time' && timing !== null && when !== null)
      values.set(slot.name, when);
  fillSlots((type, at, place) => type !== 'person' && follows(at, place));
  fillSlots((type, at) =>
    type === 'person' ? at === person : type !== 'folder' || tokens[at]?.kind === 'quote',
  );
  const savedTo = tokens.findIndex(
    (token, at) =>
      !used.has(at) && isFile(token) && /^(?:to|into|as)$/.test(tokens[at - 1]?.value ?? ''),
  );
  const isSaved = form.looks === true && form.operation !== null && savedTo > 0;
  const saving = isSaved ? [`, then write the result ${use(savedTo - 1, savedTo + 1)}`] : [];
  const runs: Token[][] = [[]];
  for (const [at, token] of tokens.entries())
    if (used.has(at)) runs.push([]);
    else if (token.kind !== 'mark' || runs.at(-1)?.length !== 0) runs.at(-1)?.push(token);
  const [text = [], ...more] = runs.filter(
    (run) => !run.every((token) => token.kind === 'mark' || isFree(token)),
  );
  // Only messages to a person may contain another form.
  const isForPerson = hasPerson(form) || fixedOf(spelling).includes('me');
  const isLost = (token: Token) =>
    (token.kind !== 'word' && token.kind !== 'mark') ||
    isPlace(token) ||
    (!isForPerson &&
      !isIn(timing, tokens.indexOf(token)) &&
      (isTyped(token) || (isAnyVerb(token.value) && !own?.has(token.value))));
  if (more.length > 0 || text.some(isLost) || !divide(elements, values, text, source)) return null;
  const occurs = (word: string) => tokens.some(({ value }) => value === word);
  const written = elements.flatMap((one) => {
    if (one.kind === 'slot') return values.get(one.name) ?? [];
    if (one.kind !== 'words' || (one.optional && one.words[0] !== 'the')) return [];
    const [usual = ''] = one.words;
    return small.has(usual) ? usual : (one.words.find(occurs) ?? usual);
  });
  return [...written, ...(isTimed ? [when] : [])].join(' ') + saving.join('');
}

/** Splits a text among open slots; false if one is empty or text is left. */
function divide(
  elements: readonly Element[],
  values: Map<string, string>,
  text: Token[],
  source: string,
): boolean {
  let left = text;
  const open = elements.flatMap((slot, place) =>
    slot.kind === 'slot' && !values.has(slot.name) ? [{ slot, lead: elements[place - 1] }] : [],
  );
  for (const [nth, { slot }] of open.entries()) {
    const lead = open[nth + 1]?.lead;
    const isLead = ({ value }: Token) => lead?.kind === 'words' && lead.words.includes(value);
    const end = nth + 1 < open.length ? left.findIndex(isLead) : left.length;
    const run = left.slice(0, Math.max(end, 0));
    left = left.slice(run.length);
    const from = run.findIndex(({ value }) => !leads.has(value));
    const to = run.findLastIndex(
      ({ value, kind }) => kind !== 'mark' && (value === 'this' || !small.has(value)),
    );
    const last = run[to + 1]?.value === '?' ? to + 1 : to;
    const given = from < 0 ? '' : source.slice(run[from]?.start, run[last]?.end);
    if (slot.type !== 'text' || given === '' || /^(?:and|or)\b/i.test(given)) return false;
    values.set(slot.name, given.includes('"') ? `“${given}”` : `"${given}"`);
  }
  return left.length === 0;
}

/** Quotes values; later commands are no part of them. */
function quoteArguments(call: string): string {
  const [name = '', ...given] = call.split(/(?:\s(?:with|and)|,)?\s([\w-]+)\s?[:=](?!\/)/);
  const isWhole = (text: string) => /^(?:\S*$|["“{[])|"|;|\b(?:then|and)\b/i.test(text);
  const quote = (text: string) => (isWhole(text) ? text : `"${text}"`);
  const parts = given.map((one, at) => (at % 2 === 0 ? `, ${one}: ` : quote(one.trim())));
  return `call ${given.length === 0 ? call.replace(' ', ' with ') : `${name} with ${parts.join('').slice(2)}`}`;
}

export function suggestForms(reading: Reading): string[][] {
  const { tokens, source, operations } = reading;
  const first = tokens.findIndex(
    ({ kind, value }) =>
      kind !== 'mark' && !polite.has(value) && !small.has(value) && !asking.has(value),
  );
  const { value: verb = '' } = tokens[first] ?? {};
  const named = tokens[first + (/^(?:call|use|run|invoke|execute)$/.test(verb) ? 1 : 0)];
  const call = source.slice(named?.start);
  if (operations.has(named?.value ?? '')) return [[`call ${call}`], [quoteArguments(call)]];
  const fixed = isAnyVerb(verb) ? undefined : verbs.find((one) => isNearly(verb, one));
  if (fixed !== undefined && named !== undefined) {
    const typed = tokens.with(first, { ...named, value: fixed, text: fixed });
    return suggestForms({ ...reading, tokens: typed });
  }
  const timing = findTiming(reading);
  const isBeyond = (one: Token) => beyond.has(one.value) || /^\d\d?:\d/.test(one.text);
  if (tokens.some((one, at) => (isBeyond(one) && !isIn(timing, at)) || one.kind === 'line'))
    return [];
  const fitting = forms.filter((form) => form.id !== 'call' && vocabulary.get(form)?.has(verb));
  const person = (form: Form): number =>
    tokens.findIndex(
      ({ value }, at) =>
        at > first && !small.has(value) && vocabulary.get(form)?.has(value) !== true,
    );
  const isAddressed = (form: Form) =>
    hasPerson(form) &&
    (isName(tokens[person(form)]) || (verb === 'ask' && person(form) === first + 1)) &&
    tokens[person(form)]?.value !== 'me' &&
    !tokens.some((one) => isPlace(one) && one.kind === 'word');
  const addressed = fitting.filter(isAddressed);
  const rate = (form: Form): number =>
    2 * tokens.filter(({ value }) => vocabulary.get(form)?.has(value)).length +
    Number(form.spellings.some((one) => hasStart(one, verb)));
  const slotsIn = (spelling: string) => spelling.split('{').length;
  return (addressed.length > 0 ? addressed : fitting)
    .toSorted((a, b) => rate(b) - rate(a))
    .flatMap((form) => {
      const spellings = form.spellings
        .filter((one) => hasStart(one, verb) || form.near.split(' ').includes(verb))
        .filter((one) => !/\?|:rest\}/.test(one))
        .toSorted((a, b) => slotsIn(b) - slotsIn(a));
      const input = { reading, first, person: isAddressed(form) ? person(form) : -1, timing };
      const write = (whens: (string | null)[]) =>
        spellings.flatMap((one) => whens.flatMap((when) => fill(form, one, input, when) ?? []));
      if (timing === null) return [write(form.looks === true ? [null] : [null, otherTime])];
      const both = [write(timing.ways), write([null])];
      return timing.isExact ? both : both.toReversed();
    });
}
