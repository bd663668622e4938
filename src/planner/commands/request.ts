// Parses a whole request into commands; only `please` is skipped.
import { trimTail } from '#domain/words.ts';
import { readSpan, type Span } from '#timeline/spoken-times.ts';
import { type Form, forms } from './forms.ts';
import { isAnswer, matchSpelling, type Reading, type Slots } from './match.ts';
import { type Modifiers, noModifiers, readModifiers } from './tokens.ts';

/** `summary`: path of one summary of all. */
export type Loop = { over: 'rows' | 'files'; path: string; summary: string | null };

export type Command = {
  form: Form;
  slots: Slots;
  words: string;
  verb: string;
  modifiers: Modifiers;
  isTimedAlone: boolean;
  /** Runs after everything before it; otherwise alongside the last one. */
  follows: boolean;
  /** Runs only after this answer to the previous question. */
  answer: 'Yes' | 'No' | null;
  loop: Loop | null;
  part: number | null;
};

export type Part = { structure: 'phase' | 'milestone'; title: string; lag: Span | null };

export type Request = {
  commands: Command[];
  title: string | null;
  parts: Part[];
  outline: boolean;
};

/** Text before `reached` matched a form. */
export type Unread = { from: number; to: number; reached: number };
export type ReadRequest = { kind: 'request'; request: Request } | ({ kind: 'unread' } & Unread);

export class CommandRefusal extends Error {
  readonly wanted: string | null;
  constructor(text: string, wanted: string | null = null) {
    super(text);
    this.wanted = wanted;
  }
}

const maxCommands = 500;

class Stop extends Error {
  readonly at: number;
  constructor(at: number) {
    super('not read');
    this.at = at;
  }
}

type Frame = { modifiers: Modifiers; answer: Command['answer'] };
const noFrame: Frame = { modifiers: noModifiers, answer: null };

class RequestReader {
  readonly #reading: Reading;
  readonly #request: Request = { commands: [], title: null, parts: [], outline: false };
  #at = 0;
  #frame: Frame = noFrame;
  #start = 0;
  #reached = 0;

  constructor(reading: Reading) {
    this.#reading = reading;
  }

  read(): ReadRequest {
    try {
      this.#readHead();
      let follows = false;
      for (;;) {
        const isBullet = this.#skipBreaks();
        if (this.#value() === undefined) break;
        if (isBullet && this.#request.commands.length > 0) follows = false;
        if (!this.#readPart()) this.#readCommand(follows);
        follows = this.#readJoint();
      }
    } catch (error) {
      if (!(error instanceof Stop)) throw error;
      return this.#tellUnread(error.at);
    }
    return this.#request.commands.length === 0
      ? this.#tellUnread(this.#at)
      : { kind: 'request', request: this.#request };
  }

  #value(ahead = 0): string | undefined {
    return this.#reading.tokens[this.#at + ahead]?.value;
  }

  #kind(ahead = 0): string | undefined {
    return this.#reading.tokens[this.#at + ahead]?.kind;
  }

  #take(words: string): boolean {
    const all = words.split(' ');
    if (!all.every((one, ahead) => this.#value(ahead) === one)) return false;
    this.#at += all.length;
    return true;
  }

  #skipBreaks(): boolean {
    let isBullet = false;
    while (this.#kind() === 'line' || this.#value() === ';') {
      if (this.#kind() === 'line') this.#frame = noFrame;
      this.#at += 1;
      isBullet = /^[-*•]$/.test(this.#value() ?? '');
      this.#skipMarker();
    }
    return isBullet;
  }

  #skipMarker(): void {
    const value = this.#value() ?? '';
    if (/^(?:[-*•]|\d{1,3}\))$/.test(value)) this.#at += 1;
    else if (/^\d{1,3}$/.test(value) && this.#value(1) === '.') this.#at += 2;
  }

  /** `outline first:`, `plan Launch:` */
  #readHead(): void {
    while (this.#kind() === 'line') this.#at += 1;
    this.#skipMarker();
    if (this.#take('outline first :')) this.#request.outline = true;
    if (this.#value() !== 'plan' || this.#kind(1) === undefined) return;
    const { tokens, source } = this.#reading;
    const colon = tokens.findIndex(
      ({ value, kind }, at) => at > this.#at && (value === ':' || kind === 'line'),
    );
    if (colon < this.#at + 2 || tokens[colon]?.value !== ':') return;
    this.#request.title = source.slice(tokens[this.#at + 1]?.start, tokens[colon - 1]?.end);
    this.#request.outline = true;
    this.#at = colon + 1;
  }

  /** `phase NAME:`, `phase NAME after 2 days:`, `milestone: NAME` */
  #readPart(): boolean {
    const { tokens, source } = this.#reading;
    const { parts } = this.#request;
    const isLine = this.#at === 0 || this.#kind(-1) === 'line';
    if (!isLine || (this.#value() !== 'phase' && this.#value() !== 'milestone')) return false;
    const structure = this.#value() === 'phase' ? 'phase' : 'milestone';
    let end = this.#at + 1;
    while (end < tokens.length && tokens[end]?.kind !== 'line') end += 1;
    const text = (from: number, to: number) =>
      source.slice(tokens[from]?.start, tokens[to - 1]?.end);
    if (structure === 'milestone') {
      const from = this.#at + (this.#value(1) === ':' ? 2 : 1);
      if (from >= end) throw new Stop(this.#at);
      parts.push({ structure, title: text(from, end), lag: null });
      this.#at = end;
      return true;
    }
    const colon = end - 1;
    if (tokens[colon]?.value !== ':' || colon === this.#at + 1) throw new Stop(colon);
    const lagAt = (at: number): Span | null => {
      const read = tokens[at]?.value === 'after' ? readModifiers(this.#reading, at) : null;
      return read?.next === colon ? read.value.lag : null;
    };
    let at = this.#at + 2;
    while (at < colon && lagAt(at) === null) at += 1;
    parts.push({ structure, title: text(this.#at + 1, at), lag: lagAt(at) });
    this.#at = end;
    return true;
  }

  #readCommand(follows: boolean): void {
    const first = this.#at;
    this.#start = first;
    this.#reached = first;
    while (this.#take('please') || this.#take('please ,'));
    const lag = this.#readFrame();
    const loop = this.#readLoop();
    this.#start = this.#at;
    const verb = this.#value() ?? '';
    const { form, slots } = this.#readForm();
    const own = readModifiers(this.#reading, this.#at);
    if (own !== null) this.#at = own.next;
    if (!this.#isEnd() && form.looks === true && this.#value() === '?') this.#at += 1;
    this.#reached = Math.max(this.#reached, this.#at);
    if (loop !== null) loop.summary = this.#readSummary();
    if (!this.#take('please')) this.#take(', please');
    if (!this.#isEnd()) throw new Stop(this.#at);
    const { source, tokens } = this.#reading;
    const { commands, parts } = this.#request;
    const phase = parts.findLastIndex(({ structure }) => structure === 'phase');
    if (commands.length === maxCommands) throw new Stop(this.#start);
    commands.push({
      ...{ form, slots, follows, loop, verb },
      words: source.slice(tokens[first]?.start, tokens[this.#at - 1]?.end),
      modifiers: this.#merge(slots.modifiers, own?.value ?? noModifiers, lag),
      isTimedAlone: (own?.value.start ?? slots.modifiers.start) !== null,
      answer: this.#frame.answer,
      part: phase < 0 ? null : phase,
    });
    this.#reading.it = fileOf(form, slots);
  }

  /** Duplicate modifiers are an error. */
  #merge(inside: Modifiers, behind: Modifiers, lag: Span | null): Modifiers {
    const merged: { [name: string]: unknown } = { ...this.#frame.modifiers, lag };
    for (const modifiers of [inside, behind])
      for (const [name, value] of Object.entries(modifiers)) {
        if (value === null) continue;
        if (merged[name] !== null) throw new Stop(this.#at);
        merged[name] = value;
      }
    return { ...noModifiers, ...(merged as Partial<Modifiers>) }; // same names, same kinds of value
  }

  /** @returns a wait after the previous command */
  #readFrame(): Span | null {
    const answer = this.#take('if yes') ? 'Yes' : this.#take('if no') ? 'No' : null;
    if (answer !== null) {
      this.#frame = { ...this.#frame, answer };
      if (/^[,:]$/.test(this.#value() ?? '')) this.#at += 1;
      this.#reached = this.#at;
    }
    const found = readModifiers(this.#reading, this.#at);
    if (found === null) return null;
    this.#at = found.next;
    if (/^[,:]$/.test(this.#value() ?? '')) this.#at += 1;
    this.#take('please');
    this.#reached = this.#at;
    const { lag, ...whole } = found.value;
    const given = Object.fromEntries(Object.entries(whole).filter(([, value]) => value !== null));
    this.#frame = { ...this.#frame, modifiers: { ...this.#frame.modifiers, ...given } };
    return lag;
  }

  #readLoop(): Loop | null {
    const all = ['each', 'every'].flatMap((one) => [`for ${one} % in`, `for ${one} % of`]);
    const takes = (thing: string) => all.some((words) => this.#take(words.replace('%', thing)));
    const over = takes('row') ? 'rows' : takes('file') ? 'files' : null;
    if (over === null) return null;
    const token = this.#reading.tokens[this.#at];
    const isNamed = token?.kind === 'word' || token?.kind === 'quote';
    this.#reached = this.#at + (isNamed ? 1 : 0);
    if (!isNamed) throw new Stop(this.#reached);
    this.#at += /^[:,]$/.test(this.#value(1) ?? '') ? 2 : 1;
    return { over, path: token.text, summary: null };
  }

  /** `, then summarise to FILE` after a loop. */
  #readSummary(): string | null {
    const before = this.#at;
    this.#take(',');
    if (this.#take('then summarise to') || this.#take('then summarize to')) {
      const file = this.#reading.tokens[this.#at];
      if (file?.kind !== 'word' && file?.kind !== 'quote') throw new Stop(this.#at);
      this.#at += 1;
      return file.text;
    }
    this.#at = before;
    return null;
  }

  #readForm(): { form: Form; slots: Slots } {
    let best: { form: Form; slots: Slots; next: number } | null = null;
    for (const form of forms)
      for (const spelling of form.spellings) {
        const found = matchSpelling(spelling, this.#reading, this.#at);
        this.#reached = Math.max(this.#reached, 'reached' in found ? found.reached : found.next);
        if ('reached' in found) continue;
        const isBetter =
          best === null ||
          found.next > best.next ||
          (found.next === best.next && found.slots.lacks.length < best.slots.lacks.length);
        if (isBetter) best = { form, slots: found.slots, next: found.next };
      }
    if (best === null) throw new Stop(this.#reached);
    this.#at = best.next;
    return best;
  }

  #isEnd(): boolean {
    const value = this.#value();
    if (value === undefined || this.#kind() === 'line' || value === ';' || value === '.')
      return true;
    if (value === ',') return /^(?:then|and|if)$/.test(this.#value(1) ?? '') || this.#isLater(1);
    return value === 'then' || value === 'and' || isAnswer(this.#reading.tokens, this.#at);
  }

  #isLater(ahead = 0): boolean {
    const span = readSpan(this.#reading, this.#at + ahead);
    return span !== null && this.#reading.tokens[span.next]?.value === 'later';
  }

  /** @returns whether the next command waits for this one */
  #readJoint(): boolean {
    if (this.#take('.') || this.#value() === undefined) {
      if (this.#value() !== undefined && this.#kind() !== 'line') this.#frame = noFrame;
      if (this.#take('then') && this.#value() === undefined) throw new Stop(this.#at);
      return true;
    }
    if (!this.#take(',')) this.#take(';');
    const and = this.#take('and');
    const then = this.#take('then');
    if ((and || then) && this.#take(',') === false && this.#value() === undefined)
      throw new Stop(this.#at);
    return !and || then || this.#isLater();
  }

  #tellUnread(at: number): ReadRequest {
    const { tokens, source } = this.#reading;
    const start = Math.min(this.#start, tokens.length - 1);
    let end = Math.max(at, start);
    while (end < tokens.length && tokens[end]?.kind !== 'line' && tokens[end]?.value !== ';')
      end += 1;
    return {
      kind: 'unread',
      from: tokens[start]?.start ?? 0,
      to: tokens[end - 1]?.end ?? source.length,
      reached: tokens[Math.max(at, this.#reached)]?.start ?? source.length,
    };
  }
}

function fileOf({ id }: Form, { values }: Slots): string | null {
  const [path, from, to] = [values.path, values.from, values.to];
  if (id === 'move')
    return typeof from === 'string' && typeof to === 'string' ? placeFor(from, to) : null;
  return ['write', 'append', 'replace', 'read'].includes(id) && typeof path === 'string'
    ? path
    : null;
}

export const baseName = (path: string): string => trimTail(path, /\//).split('/').at(-1) ?? path;

/** A target with a final slash is a folder. */
export const placeFor = (from: string, to: string): string =>
  to.endsWith('/') ? `${to}${baseName(from)}` : to;

export const readRequest = (reading: Reading): ReadRequest => new RequestReader(reading).read();
