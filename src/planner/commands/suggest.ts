// Commands to offer: all of them while one types, and for a request that can't be read, the forms whose words were said, filled
// with the person's own. A form is left out if it would lose a word; the caller offers only what plans.
import type { CommandForm } from '#domain/planning/command-form.ts';
import { type Read, settleWhen, type When } from '#timeline/spoken-times.ts';
import { findTimes } from './answers.ts';
import { type Form, forms, frames, recurringForms } from './forms.ts';
import {
  compile,
  isAddress,
  isFile,
  isPlace,
  noSlots,
  type Reading,
  readSlot,
  startsOf,
} from './match.ts';
import type { Token } from './tokens.ts';

const maxCharacters = 1000;
const setOf = (words: string) => new Set(words.split(' '));
const polite = setOf('hey hi hello dear countersign can could would you i');
/** Not part of a text that they lead to. */
const leads = setOf('a an to in into on at of for from with that it saying please');
const small = setOf(
  `${[...leads].join(' ')} the my our is this called named as file folder document`,
);
/** They change a time, or join commands, in ways that a filled form would lose. */
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
const isAnyVerb = (word: string) => [...vocabulary.values()].some((words) => words.has(word));
const hasStart = (spelling: string, verb: string): boolean =>
  startsOf(spelling).some((start) => start.split(' ', 1)[0] === verb);
const hasPerson = ({ spellings }: Form) => spellings.some((one) => one.includes(':person}'));
const isName = (token: Token | undefined) =>
  token?.kind === 'word' && /^[\p{Lu}@<]/u.test(token.text);
const isTyped = (token: Token) =>
  (isFile(token) && !/^\d+$/.test(token.text)) || isAddress(token.text);

/** A request, where its verb is, and its only time. */
type Words = { reading: Reading; first: number; time: (Read<When> & { at: number }) | null };

/** As written, and by day if the time of day is open. */
function spellTime({ value }: Read<When>, reading: Reading): string[] {
  const settled = settleWhen(value, reading);
  if (!('choices' in settled) || settled.about !== 'time') return [value.words];
  const byDay = settled.choices.find((one) => /^(?:[7-9]|1[0-8]):/.test(one)) ?? '9:00';
  const clock = /(?:\bat\s+)?\b\d{1,2}:\d\d|\bat\s+\d{1,2}\b/i;
  const timed = value.words.replace(clock, `at ${byDay.padStart(5, '0')}`);
  return [value.words, value.clock === null ? `${value.words} at ${byDay}` : timed];
}

/** Null if the spelling lacks something, or would lose a word. */
function fill(form: Form, spelling: string, input: Words, when: string | null): string | null {
  const { reading, first, time } = input;
  const { tokens, source } = reading;
  const own = vocabulary.get(form);
  const isFree = ({ value }: Token) => small.has(value) || own?.has(value) === true;
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
  for (const words of parts) {
    const at = tokens.findIndex(({ value }) => words.includes(value));
    if (at >= 0) used.add(at);
  }
  const isTimed =
    !spelling.includes(':time}') && form.operation !== null && form.looks !== true && when !== null;
  if (time !== null && (isTimed || spelling.includes(':time}'))) use(time.at, time.next);
  const values = new Map<string, string>();
  for (const slot of elements) {
    if (slot.kind !== 'slot') continue;
    const { name, type } = slot;
    if (type === 'time' && time !== null && when !== null) values.set(name, when);
    const isMeant = (token: Token, at: number) =>
      !used.has(at) &&
      (type === 'person' ? at === first + 1 && isName(token) : !isFree(token)) &&
      (type !== 'data' || token.kind !== 'word') &&
      !(type === 'file' && /^\d+$/.test(token.text));
    for (const [at, token] of tokens.entries()) {
      if (values.has(name) || type === 'time' || !isMeant(token, at)) continue;
      const next = readSlot(slot, reading, at, noSlots());
      if (next !== null) values.set(name, use(at, next));
    }
  }
  const runs: Token[][] = [[]];
  for (const [at, token] of tokens.entries())
    if (used.has(at)) runs.push([]);
    else if (token.kind !== 'mark' || runs.at(-1)?.length !== 0) runs.at(-1)?.push(token);
  const [text, ...more] = runs
    .filter((run) => !run.every((token) => token.kind === 'mark' || isFree(token)))
    .map((run) => {
      const from = run.findIndex(({ value }) => !leads.has(value));
      const to = run.findLastIndex(({ value, kind }) => kind !== 'mark' && !small.has(value));
      return run.slice(from, to + 1);
    });
  const [open, ...others] = elements.filter((one) => one.kind === 'slot' && !values.has(one.name));
  if (more.length > 0 || others.length > 0 || (open === undefined) !== (text === undefined))
    return null;
  if (open?.kind === 'slot' && text !== undefined) {
    // Words to a person may be anything; other texts have nothing that another form takes.
    const isForPerson = hasPerson(form) || fixedOf(spelling).includes('me');
    const isLost = (token: Token) =>
      (token.kind !== 'word' && token.kind !== 'mark') ||
      isPlace(token) ||
      (!isForPerson && (isTyped(token) || (isAnyVerb(token.value) && !own?.has(token.value))));
    const words = source.slice(text[0]?.start, text.at(-1)?.end);
    if (open.type !== 'text' || text.some(isLost) || /^(?:and|or)\b/i.test(words)) return null;
    values.set(open.name, words.includes('"') ? `“${words}”` : `"${words}"`);
  }
  const occurs = (word: string) => tokens.some(({ value }) => value === word);
  const written = elements.flatMap((one) => {
    if (one.kind === 'slot') return values.get(one.name) ?? [];
    if (one.kind !== 'words' || (one.optional && one.words[0] !== 'the')) return [];
    const [usual = ''] = one.words;
    return small.has(usual) ? usual : (one.words.find(occurs) ?? usual);
  });
  return [...written, ...(isTimed ? [when] : [])].join(' ');
}

/** The nearest forms, the best first, each in the ways in which it may be written. */
export function suggestForms(reading: Reading): string[][] {
  const { tokens, source, operations } = reading;
  const first = tokens.findIndex(
    ({ kind, value }) => kind !== 'mark' && !polite.has(value) && !small.has(value),
  );
  const { value: verb = '' } = tokens[first] ?? {};
  if (source.length > maxCharacters) return [];
  const named = tokens[first + (verb === 'call' ? 1 : 0)];
  if (operations.has(named?.value ?? '')) return [[`call ${source.slice(named?.start)}`]];
  if (tokens.some(({ value, kind }) => beyond.has(value) || kind === 'line')) return [];
  const [only = null, ...more] = findTimes(reading);
  const time = more.length > 0 ? null : only;
  const times = time === null ? [null, otherTime] : spellTime(time, reading);
  const fitting = forms.filter((form) => form.id !== 'call' && vocabulary.get(form)?.has(verb));
  const isAddressed =
    isName(tokens[first + 1]) && !tokens.some((one) => isPlace(one) && one.kind === 'word');
  const addressed = fitting.filter((form) => isAddressed && hasPerson(form));
  const rate = (form: Form): number =>
    2 * tokens.filter(({ value }) => vocabulary.get(form)?.has(value)).length +
    Number(form.spellings.some((one) => hasStart(one, verb)));
  return (addressed.length > 0 ? addressed : fitting)
    .toSorted((a, b) => rate(b) - rate(a))
    .map((form) =>
      form.spellings
        .filter((one) => hasStart(one, verb) || form.near.split(' ').includes(verb))
        .filter((one) => !/\?|:rest\}/.test(one))
        .flatMap((one) =>
          times.flatMap((when) => fill(form, one, { reading, first, time }, when) ?? []),
        ),
    );
}

/** Each example, with the words that it can begin with. */
export function listCommands(): CommandForm[] {
  const whole = forms.map(({ example, effect, spellings }) => {
    return { example, effect, starts: [...new Set(spellings.flatMap(startsOf))] };
  });
  const framed = [...frames, ...recurringForms]
    .filter(({ example }) => !example.includes('\n'))
    .map((note) => ({ ...note, starts: [note.example.split(/[ :"]/, 1)[0]?.toLowerCase() ?? ''] }));
  return [...whole, ...framed];
}
