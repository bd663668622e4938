// From a request to clauses: where one command ends and the next begins, when it runs, and who has to agree. A
// command counts only where every word of it is accounted for; anything else is a question about the words that are left.
import type { OperationSpec } from '#domain/tool.ts';
import { listOf, shorten, trimTail } from '#domain/words.ts';
import { isCourtesy, isYes } from './abilities.ts';
import { callOperation, findByWords, nameOperation } from './call.ts';
import { applyModifiers, emptyClause, moveFocus } from './clause.ts';
import type { Clause, Command, Question, Request } from './command.ts';
import { readSet } from './files.ts';
import { type Built, exampleFor, formsFor, isLead } from './forms.ts';
import { readHeader, readPartLine } from './header.ts';
import { definePattern, matchPattern, matchStart, type Reach, type Reading } from './match.ts';
import {
  type Answer,
  type Modifiers,
  noModifiers,
  readAnswer,
  readModifiers,
  readPrefix,
} from './modifiers.ts';
import { readRows, readSummary, speaksOfRows } from './rows.ts';
import { type Segment, skipOpening, splitSegments, trimEnd, trimLines } from './segments.ts';
import { describeProblem, holdsDate, type TextProblem } from './texts.ts';
import { type Rule, readUntil } from './times.ts';
import { type Token, tokenize, value } from './tokens.ts';

export type Setting = {
  manifest: OperationSpec[];
  now: Date;
  timezone: string;
  answers: ReadonlyMap<string, string>;
  paths: string[];
};

export type Parsed =
  | { kind: 'request'; request: Request }
  | { kind: 'questions'; questions: Question[] }
  /** Something that is asked for and that no tool does. */
  | { kind: 'cannot'; wanted: string }
  | { kind: 'declined' };

/** Characters outside quotation marks; longer instructions are text that belongs between them. */
const instructionsAtMost = 4000;
const splitsAtMost = 40;

type One = { clauses: Clause[] } | { questions: Question[] } | { cannot: string };

/** The answer stands in for the words of the clause. */
const askAgain = (id: string, text: string): One => ({
  questions: [{ id: `command ${id}`, text }],
});

export function parseRequest(text: string, setting: Setting): Parsed {
  const source = text.normalize('NFC');
  const tokens = tokenize(source);
  const outside = tokens.reduce(
    (sum, { kind, start, end }) =>
      sum + (kind === 'quote' || kind === 'json' ? 1 : end - start + 1),
    0,
  );
  if (outside > instructionsAtMost || tokens.length > instructionsAtMost) {
    const text = `That is too long to read as instructions: I read ${instructionsAtMost.toLocaleString('en-US')} characters at most. What should I do, with long texts in quotation marks?`;
    return { kind: 'questions', questions: [{ id: 'long', text }] };
  }
  return new Parser(source, tokens, setting).parse();
}

const deadline = definePattern('everything|all|all_of_it must be done');

class Parser {
  readonly #source: string;
  readonly #tokens: Token[];
  readonly #setting: Setting;
  readonly #questions: Question[] = [];
  readonly #request: Request;
  #focus: Reading['focus'];
  /** The questions to people before this, from which an answer can decide. */
  #asked: Extract<Command, { do: 'ask' }>[] = [];
  /** The condition said last on an answer to the last of them. */
  #decided: Answer | null = null;
  /** "each file in logs", as it was said. */
  #each = '';
  #part: number | null = null;
  #cannot: string | null = null;

  constructor(source: string, tokens: Token[], setting: Setting) {
    this.#source = source;
    this.#tokens = tokens;
    this.#setting = setting;
    this.#focus = { paths: setting.paths, output: false };
    this.#request = {
      clauses: [],
      title: null,
      parts: [],
      deadline: null,
      outline: false,
      pattern: null,
    };
  }

  parse(): Parsed {
    const header = readHeader(this.#source, this.#tokens);
    Object.assign(this.#request, header.said);
    const segments = splitSegments(this.#tokens, header.next);
    const again = this.#saidAgain(segments.length);
    if (again !== null) return again;
    segments.forEach((segment, index) => {
      this.#addSegment(segment, String(index));
    });
    this.#questions.push(...this.#findOpen(segments));
    if (this.#questions.length > 0) return { kind: 'questions', questions: this.#questions };
    if (this.#cannot !== null && this.#request.clauses.length === 0)
      return { kind: 'cannot', wanted: this.#cannot };
    if (this.#cannot !== null) {
      const answer = this.#setting.answers.get('without');
      const question = `No connected tool can ${this.#cannot}. Shall I plan the rest without it?`;
      if (answer === undefined)
        return { kind: 'questions', questions: [{ id: 'without', text: question }] };
      if (!isYes(answer)) return { kind: 'declined' };
    }
    return { kind: 'request', request: this.#request };
  }

  /** Questions that only the request as a whole raises. */
  #findOpen(segments: Segment[]): Question[] {
    const { clauses } = this.#request;
    const open: string[] = [];
    const [first] = clauses;
    if (first !== undefined && first.lag !== null)
      open.push(`What should come before "${shorten(first.words, 80)}"?`);
    if (clauses.length > 1 && clauses.some(({ command }) => command.do === 'check'))
      open.push(
        'Is the rest to be done whether the address is up or not? I can only check it by itself.',
      );
    const asked: (string | undefined)[] = [];
    const firstName = (person: string | null) => person?.toLowerCase().split(' ')[0];
    for (const { command, gate, words } of clauses) {
      const twice = gate?.people.find((person) => asked.includes(firstName(person)));
      if (twice !== undefined)
        open.push(
          `Should "${shorten(words, 80)}" wait for the answer ${twice ?? 'you'} gave before, or for a new question?`,
        );
      if (command.do === 'ask') asked.push(...command.people.map(firstName));
    }
    const depths = segments
      .filter(({ from }) => !/^(?:phase|milestone)$/.test(value(this.#tokens[from])))
      .map(({ from }) => this.#tokens[from - 1])
      .flatMap((token) => (token?.kind === 'item' ? [token.text.search(/\S/)] : []));
    if (depths.some((depth, k) => depth > (depths[k - 1] ?? depth)))
      open.push('In which order should the commands of the inner list run?');
    return open.map((text) => ({ id: 'request', text: `${text} Say it all again.` }));
  }

  /** An answer that is as many commands as the request was is the request, said again. */
  #saidAgain(segments: number): Parsed | null {
    if (segments < 2) return null;
    for (const [id, answer] of this.#setting.answers) {
      if (!id.startsWith('command ')) continue;
      const answers = new Map([...this.#setting.answers].filter(([key]) => key !== id));
      const parsed = parseRequest(answer, { ...this.#setting, answers });
      if (parsed.kind === 'request' && parsed.request.clauses.length >= segments) return parsed;
    }
    return null;
  }

  #reading(to: number): Reading {
    const { now, timezone } = this.#setting;
    return {
      source: this.#source,
      tokens: this.#tokens,
      now,
      timezone,
      focus: this.#focus,
      end: to,
    };
  }

  #addSegment({ from, to, follows, block = false }: Segment, id: string): void {
    const end = block ? trimLines(this.#tokens, from, to) : trimEnd(this.#tokens, from, to);
    if (isCourtesy(this.#words(from, end), this.#request.clauses.length === 0)) return;
    const part = readPartLine(this.#reading(to), from, this.#request.parts);
    if (part !== null) {
      this.#request.parts.push(part.part);
      if (part.part.structure === 'phase') this.#part = this.#request.parts.length - 1;
      if (part.next < to) this.#addSegment({ from: part.next, to, follows: true }, id);
      return;
    }
    const all = readDeadline(this.#reading(to), from);
    if (all !== null) {
      this.#request.deadline = all;
      return;
    }
    const opening = skipOpening(this.#tokens, from, end, true);
    const read = this.#readSentence(opening.at, end, {
      follows: opening.ordered || (follows && this.#request.clauses.length > 0),
      id,
      depth: 0,
    });
    const before = this.#request.clauses.at(-1);
    const next = 'clauses' in read ? read.clauses[0] : undefined;
    const decided = before !== undefined && (before.if !== null || before.gate?.needs === 'yes');
    // What follows a step that may be skipped would be skipped with it.
    if (decided && next?.follows === true && next.if === null && next.gate === null)
      this.#questions.push({
        id: `command ${id}`,
        text: `Is "${shorten(next.words, 80)}" to be done in any case, or only if the answer before is yes? Say it as a request of its own, or with its own condition.`,
      });
    else if ('questions' in read) this.#questions.push(...read.questions);
    else if ('cannot' in read) this.#cannot ??= read.cannot;
    else this.#request.clauses.push(...read.clauses);
  }

  /** A sentence: one command, or several joined by "and" and commas. What is said in front counts for all of them. */
  #readSentence(
    from: number,
    to: number,
    { follows, id, depth }: { follows: boolean; id: string; depth: number },
  ): One {
    const answer = this.#setting.answers.get(`command ${id}`);
    if (answer !== undefined) return this.#replace(answer, id, follows);
    const rows = this.#readRows(from, to, id) ?? this.#readEach(from, to, id, depth);
    if (rows !== null) return rows;
    let { at, ordered } = skipOpening(this.#tokens, from, to);
    const reading = this.#reading(to);
    const whom = this.#asked.map(({ people }) => people);
    const about = readAnswer(reading, at, whom, this.#decided);
    if (about !== null) this.#decided = about.isOther ? 'any' : about.value;
    if (about?.value === 'No of several')
      return askAgain(
        id,
        `After a question to several people I can wait for a Yes of all, and not for a No. What should I do instead of "${shorten(this.#words(from, to), 80)}"?`,
      );
    if (about !== null) at = about.next;
    const prefix = readPrefix(reading, at, follows || ordered);
    // "Tomorrow and …" names a second time, or answers a question.
    if (prefix.next > at && value(this.#tokens[prefix.next]) === 'and')
      return this.#unclear(from, to, prefix.next, id);
    if (prefix.next > at) at = skipOpening(this.#tokens, prefix.next, to).at;
    // Steps that an answer decides wait for that answer, and not for each other.
    const decided = about !== null && about.value !== 'any';
    const starts = !decided && (follows || ordered || about !== null);
    // "Otherwise" behind it would be about this condition, not about the last question.
    if (prefix.value.gate !== null) this.#decided = 'any';
    const problem = prefix.value.problem;
    if (problem !== null) return this.#problem(problem, from, to, id);
    const [last, rule] = this.#endsUntil(prefix.value.rule, at, to);
    const asked = this.#asked.at(-1);
    const commands = this.#readCommands(at, last, id, depth);
    if (!('clauses' in commands)) return commands;
    // Several commands that wait for the same person are one question.
    const words = listOf(commands.clauses.map((clause) => clause.words));
    const gate = prefix.value.gate && { ...prefix.value.gate, words };
    const said = { ...prefix.value, rule, gate };
    const named = about === null || about.value === 'any' ? null : about.value;
    if (named !== null && !letAnswer(asked)) return this.#unclear(from, to, from, id);
    const clauses = commands.clauses.map((clause, index) => {
      const merged = applyModifiers(clause, said);
      if (merged === null) return null;
      return {
        ...merged,
        follows: clause.follows || (index === 0 && starts),
        if: clause.if ?? named,
        part: this.#part,
      };
    });
    const whole = clauses.filter((clause) => clause !== null);
    for (const clause of whole) {
      const open = this.#lacksTime(clause, id);
      if (open !== null) return { questions: [open] };
    }
    if (whole.length < clauses.length) return this.#unclear(from, to, from, id);
    const [first] = whole;
    this.#focus = { ...this.#focus, ...dayOf(first) };
    // "then in 5 minutes": that long after what comes before it.
    if (prefix.value.wait !== null && first !== undefined) {
      const command: Command = { do: 'wait', seconds: prefix.value.wait };
      const pause = { ...first, command, words: '', start: null, lag: null };
      return { clauses: [pause, { ...first, follows: true }, ...whole.slice(1)] };
    }
    return { clauses: whole };
  }

  /** "Every Monday … until 1 June": the end stands behind the command. */
  #endsUntil(rule: Rule | null, from: number, to: number): [to: number, rule: Rule | null] {
    for (let at = to - 1; rule !== null && rule.until === null && at > from; at -= 1) {
      const until = readUntil(this.#reading(to), at);
      if (until?.next === to && until.value.problem === null)
        return [at, { ...rule, until: until.value.iso }];
    }
    return [to, rule];
  }

  /** A file for each row of a table, or the summary of those that were asked for just before. */
  #readRows(from: number, to: number, id: string): One | null {
    const reading = this.#reading(to);
    const start = skipOpening(this.#tokens, from, to).at;
    const before = this.#request.clauses.at(-1)?.command;
    if (before?.do === 'rows' && before.summary === null) {
      const summary = readSummary(reading, start);
      if (summary === null) return null;
      before.summary = summary;
      return { clauses: [] };
    }
    const read = readRows(reading, start);
    if (read === null && speaksOfRows(reading, start))
      return this.#unclear(from, to, from, id, rowsExample);
    if (read === null) return null;
    const { value: command, next } = read;
    if (next < to) command.summary = readSummary(reading, next);
    if (next < to && command.summary === null)
      return this.#unclear(from, to, next, id, rowsExample);
    const clause = { ...emptyClause, command, tool: null, words: this.#words(from, to) };
    return { clauses: [{ ...clause, part: this.#part }] };
  }

  /** "For each file in inbox, move it to archive/": the same command for all files of a set. */
  #readEach(from: number, end: number, id: string, depth: number): One | null {
    const start = skipOpening(this.#tokens, from, end).at;
    if (value(this.#tokens[start]) !== 'for') return null;
    const reading = this.#reading(end);
    const set = readSet(reading, start + 1);
    if (set === null) return null;
    const begin = set.next + (/^[,:]$/.test(value(this.#tokens[set.next])) ? 1 : 0);
    if (begin === set.next && !isLead(value(this.#tokens[begin]))) return null;
    this.#focus = { paths: [eachFile], output: false };
    this.#each = this.#words(start + 1, set.next);
    const read = this.#readSentence(begin, end, { follows: false, id, depth });
    this.#focus = { paths: [], output: false };
    if (!('clauses' in read)) return read;
    const clauses = read.clauses.map((clause): Clause | null => {
      const { command } = clause;
      const isAbout =
        (command.do === 'move' || command.do === 'copy' || command.do === 'delete') &&
        command.files.kind === 'paths' &&
        command.files.paths.every((path) => path === eachFile);
      return isAbout
        ? { ...clause, command: { ...command, files: { kind: 'set', set: set.value } } }
        : null;
    });
    const all = clauses.filter((clause) => clause !== null);
    const [only] = all;
    const moved = only?.command;
    const to = moved?.do === 'move' || moved?.do === 'copy' ? moved.to : [];
    const into = to.every((one) => one.endsWith('/'));
    return all.length === 1 && clauses.length === 1 && into
      ? { clauses: all }
      : this.#unclear(from, end, set.next + 1, id);
  }

  /** A reminder or an event without a time; the answer is put in where there is one. */
  #lacksTime(clause: Clause, id: string): Question | null {
    const { command } = clause;
    if (command.do === 'event' && command.start === '')
      return {
        id: `command ${id}`,
        text: `When is "${command.title}"? Say it again with the day and the time.`,
      };
    if (command.do !== 'remind' || command.at !== null || command.rule !== null) return null;
    const answer = this.#setting.answers.get(`when ${id}`);
    const words = { ...this.#reading(0), source: answer ?? '', tokens: tokenize(answer ?? '') };
    const modifiers = readModifiers({ ...words, end: words.tokens.length }, 0);
    const merged =
      modifiers === null || modifiers.problem !== null ? null : applyModifiers(clause, modifiers);
    if (
      merged === null ||
      merged.command.do !== 'remind' ||
      (merged.command.at === null && merged.command.rule === null)
    )
      return { id: `when ${id}`, text: `When should I remind you of "${command.text}"?` };
    clause.command = merged.command;
    return null;
  }

  #readCommands(from: number, to: number, id: string, depth: number): One {
    const before = { focus: this.#focus, asked: this.#asked };
    const whole = this.#readClause(from, to, id);
    const after = { focus: this.#focus, asked: this.#asked };
    const splits: number[] = [];
    for (let at = from + 1; at < to - 1; at += 1) if (this.#mayDivide(at, to)) splits.push(at);
    if (splits.length > splitsAtMost || depth > splitsAtMost)
      return this.#unclear(from, to, from, id);
    for (const at of splits) {
      this.#focus = before.focus;
      this.#asked = before.asked;
      const left = this.#readClause(from, at, id);
      const rightId = `${id}.${depth + 1}`;
      if (!('clauses' in left)) {
        // "saying see you soon and post hello": what is open by itself is no clearer with a command in it.
        const { at: next } = skipOpening(this.#tokens, at + 1, to);
        if (!('clauses' in whole) || !('clauses' in this.#readClause(next, to, rightId))) continue;
        return this.#problem({ kind: 'exact', words: this.#words(from, to) }, from, to, id);
      }
      const implied = this.#namesFile(at + 1, to) ? value(this.#tokens[from]) : null;
      const right =
        implied === null
          ? this.#readSentence(at + 1, to, { follows: false, id: rightId, depth: depth + 1 })
          : this.#readClause(at + 1, to, rightId, implied);
      if ('cannot' in right) {
        this.#cannot ??= right.cannot;
        return left;
      }
      if (!('clauses' in right)) {
        if (!('clauses' in whole)) return right;
        return this.#problem({ kind: 'exact', words: this.#words(from, to) }, from, to, id);
      }
      // "Ask Ana to delete a.txt and post …": whose the second is cannot be told.
      const dictated = left.clauses.some(
        ({ command }) => command.do === 'ask' || command.do === 'remind',
      );
      const [next] = right.clauses;
      const apart =
        this.#tokens[at - 1]?.kind === 'quote' ||
        value(this.#tokens[at - 1]) === ',' ||
        (next?.if != null && /^whether\b/i.test(this.#asked.at(-1)?.question ?? '')) ||
        (value(this.#tokens[at]) === ',' &&
          (value(this.#tokens[at + 1]) === 'and' || next?.follows === true || next?.if != null));
      if (dictated && !apart) {
        return this.#problem({ kind: 'exact', words: this.#words(from, to) }, from, to, id);
      }
      if (this.#mayMeanBoth(left.clauses, right.clauses, at, to)) {
        const said = shorten(this.#words(from, to), 120);
        const text = `Is the time or condition in "${said}" meant for all of it? Say it again as separate commands, each with its own.`;
        return askAgain(id, text);
      }
      return { clauses: [...left.clauses, ...right.clauses] };
    }
    this.#focus = after.focus;
    this.#asked = after.asked;
    return whole;
  }

  /** A time or a condition on one side of "and" may be meant for the other side too. */
  #mayMeanBoth(left: Clause[], right: Clause[], at: number, to: number): boolean {
    const last = right.at(-1);
    if (last === undefined || isTimed(last.command)) return false;
    const isSaid = ({ start, gate, rule, deadline }: Clause) =>
      [start, gate, rule, deadline].some((one) => one !== null);
    return (
      isSaid(last) !== left.some(isSaid) &&
      value(this.#tokens[at]) === 'and' &&
      !this.#startsWithTime(at + 1, to)
    );
  }

  /** "… and b.txt saying bye": the verb before counts here too. */
  #namesFile(at: number, to: number): boolean {
    const [file, marker] = [this.#tokens[at], this.#tokens[at + 1]];
    return (
      at + 2 < to && file?.kind === 'path' && /^(?:saying|containing|with)$/.test(value(marker))
    );
  }

  #startsWithTime(at: number, to: number): boolean {
    const start = skipOpening(this.#tokens, at, to).at;
    return readPrefix(this.#reading(to), start, false).next > start;
  }

  /** Whether what stands behind "and" or a comma may be a command of its own. */
  #mayDivide(at: number, to: number): boolean {
    if (!['and', ','].includes(value(this.#tokens[at]))) return false;
    if (this.#namesFile(at + 1, to)) return true;
    const { at: next } = skipOpening(this.#tokens, at + 1, to);
    const token = this.#tokens[next];
    if (token === undefined || token.kind !== 'word' || next >= to) return false;
    return (
      isLead(token.value) ||
      actions.has(token.value) ||
      this.#startsWithTime(at + 1, to) ||
      /^(?:if|otherwise|once|after)$/.test(token.value)
    );
  }

  #readClause(from: number, to: number, id: string, implied: string | null = null): One {
    const reach: Reach = { at: from + 1 };
    const whole = this.#readCommand(from, to, id, reach, implied);
    // Every word has its place, and none of them is free text.
    const spans = whole !== null && 'command' in whole ? (whole.spans ?? []) : null;
    if (whole !== null && spans?.length === 0)
      return this.#finish(whole, noModifiers, from, to, to, id);
    for (let at = from + 1; at < to; at += 1) {
      const modifiers = readModifiers(this.#reading(to), at);
      if (modifiers === null) continue;
      const short = this.#readCommand(from, at, id, { at: 0 }, implied);
      if (short === null || !('command' in short)) continue;
      const timed = isTimed(short.command);
      // Only a time of day stays text: "saying Standup at 9:30".
      if (whole !== null && spans !== null && !timed)
        return this.#finish(whole, noModifiers, from, to, to, id);
      if (modifiers.problem !== null) return this.#problem(modifiers.problem, from, to, id);
      // "… to ask Ana tomorrow about the train at 9": which of the two is meant cannot be told.
      if (timed && (short.spans ?? []).some((span) => holdsDate(this.#reading(at), span)))
        return this.#problem({ kind: 'time', words: this.#words(at, to) }, from, to, id);
      const beside = (short.spans ?? []).some((span) => span.to === at);
      if (beside && !timed && value(this.#tokens[at]) !== '(' && value(this.#tokens[at]) !== ',') {
        return this.#problem({ kind: 'time', words: this.#words(at, to) }, from, to, id);
      }
      return this.#finish(short, modifiers, from, at, to, id);
    }
    if (whole === null) return this.#refuse(from, to, reach, id);
    return this.#finish(whole, noModifiers, from, to, to, id);
  }

  #readCommand(
    from: number,
    to: number,
    id: string,
    reach: Reach,
    implied: string | null,
  ): Built | null {
    const hint = this.#toolHint(from, to);
    const end = hint?.from ?? to;
    const reading = this.#reading(end);
    const { manifest, answers } = this.#setting;
    const named = nameOperation(reading, from, manifest);
    if (named !== null) return callOperation(reading, named, answers, id);
    for (const form of formsFor(implied ?? value(this.#tokens[from]))) {
      const found = matchPattern(form, reading, from, reach, implied !== null);
      const built = found === null ? null : form.build(found, reading);
      if (built === null) continue;
      if (!('missing' in built)) return built;
      const given = built.missing.map(({ kind, read }) => {
        const answer = answers.get(`${kind} ${id}`);
        return answer === undefined ? undefined : (read(answer) ?? undefined);
      });
      const all = given.filter((answer) => answer !== undefined);
      if (all.length === given.length) return { command: built.fill(all) };
      return { ...built, missing: built.missing.filter((_, k) => given[k] === undefined) };
    }
    const byWords = findByWords(reading, from, manifest);
    return byWords === null ? null : callOperation(reading, byWords, answers, id);
  }

  /** "… using fs": the words at the end that name a tool. */
  #toolHint(from: number, to: number): { from: number; tool: string } | null {
    const before = value(this.#tokens[to - 2]);
    if (to - from < 3 || !/^(?:using|via|through)$/.test(before)) return null;
    const tool = this.#setting.manifest.find(
      ({ tool: name }) => name === value(this.#tokens[to - 1]),
    )?.tool;
    return tool === undefined ? null : { from: to - 2, tool };
  }

  #finish(
    built: Built,
    modifiers: Modifiers,
    from: number,
    to: number,
    end: number,
    id: string,
  ): One {
    if ('problem' in built) return this.#problem(built.problem, from, end, id);
    if ('missing' in built)
      return {
        questions: built.missing.map(({ kind, ask: text }) => ({ id: `${kind} ${id}`, text })),
      };
    const command: Command = built.command;
    const tool = this.#toolHint(from, to)?.tool ?? null;
    const { follows = false } = built;
    const words = this.#nameFiles(command, from, to);
    const clause = { ...emptyClause, command, tool, follows, words };
    const merged = applyModifiers(clause, modifiers);
    if (merged === null) return this.#unclear(from, end, to, id);
    this.#move(command, merged);
    return { clauses: [merged] };
  }

  #move(command: Command, timed?: Clause): void {
    this.#focus = { ...this.#focus, ...moveFocus(this.#focus, command), ...dayOf(timed) };
    if (command.do !== 'ask') return;
    this.#asked = [...this.#asked, command];
    this.#decided = null;
  }

  /** "delete a.txt" for "delete it": people who are asked do not see the request. */
  #nameFiles({ do: what }: Command, from: number, to: number): string {
    const { paths } = this.#focus;
    const isAbout = what === 'move' || what === 'copy' || what === 'delete';
    if (!isAbout || !/^(?:it|them|both)$/.test(value(this.#tokens[from + 1])))
      return this.#words(from, to);
    const names = listOf(paths.map((path) => (path === eachFile ? this.#each : path)));
    const rest = from + 2 < to ? ` ${this.#words(from + 2, to)}` : '';
    return `${this.#words(from, from + 1)} ${names}${rest}`;
  }

  #replace(answer: string, id: string, follows: boolean): One {
    const answers = new Map([...this.#setting.answers].filter(([key]) => !key.endsWith(` ${id}`)));
    const parsed = parseRequest(answer, { ...this.#setting, answers, paths: this.#focus.paths });
    if (parsed.kind === 'cannot') return { cannot: parsed.wanted };
    if (parsed.kind === 'declined') return { clauses: [] };
    if (parsed.kind === 'questions') {
      const [first] = parsed.questions;
      return askAgain(id, first?.text ?? answer);
    }
    for (const { command } of parsed.request.clauses) this.#move(command);
    return {
      clauses: parsed.request.clauses.map((clause, k) =>
        k === 0 ? { ...clause, follows } : clause,
      ),
    };
  }

  #words(from: number, to: number): string {
    return this.#source.slice(this.#tokens[from]?.start ?? 0, this.#tokens[to - 1]?.end ?? 0);
  }

  #problem(problem: TextProblem, from: number, to: number, id: string): One {
    return askAgain(id, describeProblem(problem, this.#words(from, to), this.#setting.timezone));
  }

  #refuse(from: number, to: number, reach: Reach, id: string): One {
    const token = this.#tokens[from];
    const lead = value(token);
    if (actions.has(lead) && !isLead(lead))
      return { cannot: describeWanted(this.#words(from, to)) };
    return this.#unclear(from, to, isLead(lead) ? Math.min(reach.at, to - 1) : from, id);
  }

  /** Quotes the words that nothing was made of, and shows the command that is nearest. */
  #unclear(from: number, to: number, at: number, id: string, example?: string): One {
    const [clause, left] = [this.#words(from, to), this.#words(at, to)];
    const lead = example ?? exampleFor(value(this.#tokens[skipOpening(this.#tokens, from, to).at]));
    const word = value(this.#tokens[at]);
    const known = (example ?? (lead === null || isLead(word))) ? lead : (exampleFor(word) ?? lead);
    const help =
      known === null
        ? 'I can create, move or delete files, post, or remind you.'
        : `A command I know is: ${known}.`;
    const where =
      left === clause || known === null
        ? `"${shorten(clause, 80)}"`
        : `"${shorten(left, 80)}" in "${shorten(clause, 80)}"`;
    return askAgain(id, `I didn't understand ${where}. ${help} What should I do?`);
  }
}

const rowsExample = 'for every row in orders.csv, write a letter to letters/<id>.md';

/** Stands for each file of a set while its command is read. */
const eachFile = '\u0000each';

/** Whether somebody was asked, so that their answer can decide; from now on they say Yes or No. */
function letAnswer(asked: Extract<Command, { do: 'ask' }> | undefined): boolean {
  if (asked === undefined) return false;
  asked.answer = 'yes or no';
  if (!asked.question.endsWith('?')) asked.question = `${trimTail(asked.question, /[.!]/)}?`;
  return true;
}

function dayOf({ command, start }: Partial<Clause> = {}): { day: string } | null {
  const own = command?.do === 'remind' ? command.at : command?.do === 'event' && command.start;
  const iso = own || start?.iso;
  return iso ? { day: iso.slice(0, 10) } : null;
}

const isTimed = (command: Command): boolean => command.do === 'remind' || command.do === 'event';

/** Verbs of what people ask for and no command does. */
const actions = new Set(
  'analyse analyze answer approve arrange block book build buy calculate call cancel clean close combine compile compose convert count deploy describe draft edit email encrypt explain export extract fix forward generate google import install invite launch mail merge order organise organize pay phone plan print publish push query reply reserve restart restore review rewrite run schedule search sell share sort start stop summarise summarize swap sync test text translate trigger undo unzip update upload zip'.split(
    ' ',
  ),
);

/** What was asked for, as it follows "can" and as it is counted: "Book me a flight" → "book flights". */
function describeWanted(words: string): string {
  const [first = '', ...rest] = trimTail(words, /[.!?]/).split(/\s+/);
  const verb = first.toLowerCase();
  const text = rest.join(' ').replace(/^(?:me|us)\s+/i, '');
  const noun = /^an?\s+([\p{L}-]+)(?=\s+(?:to|for|on|in|at|and|with|from|about)\b|$)/iu
    .exec(text)?.[1]
    ?.toLowerCase();
  if (noun === undefined) return `${verb} ${shorten(text, 80)}`.trim();
  return `${verb} ${noun.replace(/(?<=s|x|z|ch|sh)$/, 'e').replace(/(?<![aeiou])y$/, 'ie')}s`;
}

/** "Everything must be done by tomorrow 17:00." */
function readDeadline(reading: Reading, from: number): string | null {
  const starts = matchStart(deadline, reading, from);
  if (starts === null) return null;
  const modifiers = readModifiers(
    { ...reading, end: trimEnd(reading.tokens, from, reading.end) },
    starts.next,
  );
  return modifiers?.problem === null && modifiers.moment === null && modifiers.rule === null
    ? modifiers.deadline
    : null;
}
