// From clauses to steps: each command is bound to an operation of the manifest, files of a set are looked up, and everything is
// put in order. What no operation can do is reported.
import { errorMessage } from '#domain/errors.ts';
import { referencesOf } from '#domain/plan/arguments.ts';
import type { StepCondition } from '#domain/plan/condition.ts';
import { isConfirmation } from '#domain/plan/yes-no.ts';
import { isSliceOver, nextTurn } from '#domain/slices.ts';
import { type Json, type JsonObject, objectIn } from '#domain/text.ts';
import type { OperationSpec } from '#domain/tool.ts';
import { shorten } from '#domain/words.ts';
import type { PlannerTools } from '../ports.ts';
import { type Coverage, isPartial, listPages, newCoverage, tellPart } from '../reads/list-pages.ts';
import { isYes } from './abilities.ts';
import type { Clause, Command, Edit, FileSet, Files, Gate, Question, Text } from './command.ts';
import { bindFamily, type Family, familyOf, wantedWords } from './families.ts';
import {
  baseName,
  describeSet,
  folderOf,
  isNamed,
  matchesPattern,
  pathsOverlap,
  tidyPath,
} from './files.ts';
import { placeFor } from './forms.ts';
import { type Entry, readEntries } from './look-up.ts';
import { findTouched, orderSteps, stepsConflict } from './order.ts';
import { fillRoles, type Role, readFields, simplifyName } from './schema-fields.ts';
import type { Step } from './step.ts';
import { printRule } from './times.ts';

export type Setting = {
  tools: PlannerTools;
  timezone: string;
  answers: ReadonlyMap<string, string>;
  signal: AbortSignal;
};

/** What could go wrong beyond what the calls themselves show. */
export type RiskNote = { text: string; sign?: string };

export type Outcome =
  | { kind: 'steps'; steps: Step[]; cautions: RiskNote[] }
  | { kind: 'questions'; questions: Question[] }
  | { kind: 'nothing'; text: string }
  | { kind: 'cannot'; wanted: string[] };

const noHour = 'No time of day was named: 09:00 is assumed.';
const listedNow: RiskNote = {
  text: 'The files were listed when this was planned; files that come later are not included.',
  sign: 'A file like these was added after this plan was made.',
};

const onceOnly = (what: string) =>
  `${what} is read once, at planning, so this step can't repeat. Ask for it once.`;

class Stop extends Error {
  readonly outcome: Outcome;
  constructor(outcome: Outcome) {
    super('stopped');
    this.outcome = outcome;
  }
}
const stop = (text: string): Stop => new Stop({ kind: 'nothing', text });

/** What changes the text of a file, however long it is. */
const editor = 'workspace_edit';

/** @param firstId the number of the first step, where others are there already */
export async function buildSteps(
  clauses: Clause[],
  setting: Setting,
  firstId = 1,
): Promise<Outcome> {
  const builder = new Builder(setting, firstId);
  try {
    for (const [index, clause] of clauses.entries()) await builder.add(clause, index);
    return await builder.finish();
  } catch (error) {
    if (error instanceof Stop) return error.outcome;
    throw error;
  }
}

class Builder {
  readonly #setting: Setting;
  readonly #firstId: number;
  readonly #manifest: OperationSpec[];
  readonly #bound = new Map<string, OperationSpec | null>();
  readonly #steps: Step[] = [];
  readonly #missing = new Set<string>();
  readonly #cautions: RiskNote[] = [];
  readonly #folders = new Map<string, string>();
  #clause = 0;
  #now: Clause | null = null;
  #group = 0;
  #when: StepCondition[] = [];
  #waitsFor: string[] = [];
  readonly #gates = new Map<Gate, string[]>();
  readonly #clauses: Clause[] = [];
  #asked: string[] = [];
  #output: { id: string; path: string } | null = null;

  constructor(setting: Setting, firstId: number) {
    this.#setting = setting;
    this.#firstId = firstId;
    this.#manifest = setting.tools.manifest();
  }

  async add(clause: Clause, index: number): Promise<void> {
    if (clause.follows && this.#steps.length > 0) this.#group += 1;
    this.#clause = index;
    this.#now = clause;
    this.#clauses.push(clause);
    this.#when = [];
    this.#waitsFor = [];
    if (clause.start?.assumedHour === true || clause.rule?.assumedHour === true)
      this.#caution(noHour);
    if (clause.gate !== null) this.#addGate(clause.gate, clause.words);
    if (clause.if !== null) this.#when = this.#asked.map((step) => needs(step, clause.if ?? 'Yes'));
    await this.#addCommand(clause.command);
  }

  async finish(): Promise<Outcome> {
    if (this.#missing.size > 0) return { kind: 'cannot', wanted: [...this.#missing] };
    await orderSteps(this.#steps);
    this.#checkRecurring();
    this.#checkTimes();
    return { kind: 'steps', steps: this.#steps, cautions: this.#cautions };
  }

  /** Nothing may wait for a repeated command, nor it for anything else; two rules may run side by side. */
  #checkRecurring(): void {
    const byId = new Map(this.#steps.map((step) => [step.id, step]));
    const recurs = ({ rule, command }: Clause) => rule !== null && command.do !== 'remind';
    for (const step of this.#steps)
      for (const id of step.after) {
        const other = byId.get(id);
        const [before, next] = [this.#clauses[other?.clause ?? -1], this.#clauses[step.clause]];
        if (other === undefined || before === undefined || next === undefined) continue;
        const count = [before, next].filter(recurs).length;
        if (before === next || count === 0 || (count === 2 && !needsOther(step, other))) continue;
        throw stop(
          `A repeated command has to be a request of its own. Send "${shorten(before.words, 80)}" and "${shorten(next.words, 80)}" separately.`,
        );
      }
  }

  /** What comes behind a step with a time has no earlier time of its own. */
  #checkTimes(): void {
    const starts = new Map<string, number>();
    for (const { id, after, start, clause } of this.#steps) {
      const before = Math.max(0, ...[...after].map((other) => starts.get(other) ?? 0));
      const own = start === null ? before : Date.parse(start);
      if (own < before) {
        const words = shorten(this.#clauses[clause]?.words ?? '', 80);
        const text = `"${words}" follows something with a later time. When should it be done? Say it all again, or send it by itself.`;
        throw new Stop({ kind: 'questions', questions: [{ id: 'request', text }] });
      }
      starts.set(id, own);
    }
  }

  #caution(text: string): void {
    if (!this.#cautions.some((one) => one.text === text)) this.#cautions.push({ text });
  }

  #find(family: Family, tool = this.#now?.tool ?? undefined): OperationSpec | null {
    const key = `${family} ${tool ?? ''}`;
    const known = this.#bound.get(key);
    if (known !== undefined) return known;
    const spec = bindFamily(family, this.#manifest, tool);
    this.#bound.set(key, spec);
    return spec;
  }

  #bind(family: Family): OperationSpec | null {
    const tool = this.#now?.tool ?? undefined;
    const spec = this.#find(family);
    if (spec === null)
      this.#missing.add(wantedWords(family) + (tool === undefined ? '' : ` with ${tool}`));
    return spec;
  }

  #push(spec: OperationSpec, args: JsonObject): Step {
    const step: Step = {
      id: String(this.#steps.length + this.#firstId),
      spec,
      args,
      after: new Set(this.#waitsFor),
      group: this.#group,
      start: this.#now?.start?.iso ?? null,
      when: this.#when,
      clause: this.#clause,
    };
    this.#steps.push(step);
    const path = textPointer(spec);
    if (path !== null) this.#output = { id: step.id, path };
    return step;
  }

  #addByRoles(family: Family, values: Partial<Record<Role, Json | null>>): Step | null {
    const spec = this.#bind(family);
    return spec === null ? null : this.#push(spec, fillRoles(spec, values));
  }

  #addGate(gate: Gate, words: string): void {
    const { people, needs: needed } = gate;
    const said = gate.words ?? words;
    const plain = said.replace(/^(\p{Lu})(?=\p{Ll})/u, (letter) => letter.toLowerCase());
    const yesNo = needed === 'yes';
    const asked = this.#gates.get(gate);
    const question = yesNo
      ? `May I ${plain}?`
      : `Please reply, so that this can be done: ${plain}.`;
    const ids =
      asked ?? people.flatMap((assignee) => this.#askOne(question, assignee, yesNo)?.id ?? []);
    this.#gates.set(gate, ids);
    if (yesNo) this.#when = ids.map((step) => needs(step, 'Yes'));
    this.#waitsFor = ids;
    if (asked === undefined) this.#group += 1;
  }

  #askOne(question: string, assignee: string | null, yesNo: boolean): Step | null {
    const spec = yesNo ? this.#manifest.find((one) => isConfirmation(one)) : this.#bind('ask');
    if (spec === undefined) this.#missing.add('ask a person for a yes or a no');
    return spec == null ? null : this.#push(spec, fillRoles(spec, { question, assignee }));
  }

  async #addCommand(command: Command): Promise<void> {
    const { timezone } = this.#setting;
    switch (command.do) {
      case 'write':
        for (const [k, path] of command.paths.entries()) {
          const { text } = command;
          const own: Text =
            text.kind === 'each' ? { kind: 'literal', text: text.texts[k] ?? '' } : text;
          this.#addWrite(tidyPath(path), own);
        }
        return;
      case 'edit':
        await this.#addEdit(command.path, command.edit);
        return;
      case 'move':
      case 'copy':
        for (const file of await this.#list(command.files, command.to)) {
          for (const to of command.to)
            this.#addMove(command.do, file.path, placeFor(file.path, to));
          if (isSliceOver()) await nextTurn();
        }
        return;
      case 'delete':
        for (const { path, folder } of await this.#list(command.files)) {
          this.#addByRoles('delete', { path, recursive: folder || null });
          if (isSliceOver()) await nextTurn();
        }
        return;
      case 'make folder':
        this.#makeFolder(command.path);
        return;
      case 'list':
      case 'read':
        this.#addByRoles(command.do, { path: command.path });
        return;
      case 'find':
        throw stop(
          'Which files there are is answered on its own. Ask for it without other commands.',
        );
      case 'fetch':
      case 'check':
        this.#addByRoles('fetch', { url: command.url });
        return;
      case 'request': {
        const { url, method, body: content } = command;
        this.#addByRoles('request', { url, method, content });
        return;
      }
      case 'post': {
        const text = this.#resolve(command.text, 'the message');
        this.#addByRoles('post', { text, conversation: command.channel });
        return;
      }
      case 'ask':
        this.#asked = command.people.flatMap(
          (person) =>
            this.#askOne(command.question, person, command.answer === 'yes or no')?.id ?? [],
        );
        return;
      case 'remind':
        this.#addReminder(command);
        return;
      case 'event':
        if (command.assumedHour) this.#caution(noHour);
        this.#addByRoles('calendar_add', {
          title: command.title,
          at: command.start,
          end: command.end,
          timezone,
        });
        return;
      case 'agenda': {
        const spec = this.#bind('calendar_read');
        const names = readFields(spec?.input ?? {}).map(({ name }) => name);
        const both = names.includes('from') && names.includes('to');
        if (spec !== null) this.#push(spec, both ? { from: command.from, to: command.to } : {});
        return;
      }
      case 'wait':
        this.#addByRoles('wait', { seconds: command.seconds });
        return;
      case 'call':
        this.#push(command.spec, command.args);
        return;
      case 'rows':
        // Rows become a group of steps (build-rows.ts), and never one step among others.
        throw stop('Rows of a table need a request of their own.');
      default:
        command satisfies never;
    }
  }

  /** "Every" is meant literally: what was not listed is left out only if a person says so. */
  #askAboutRest(place: string, coverage: Coverage): void {
    const id = `incomplete ${this.#clause}`;
    const choice = `Plan these ${coverage.listed.toLocaleString('en-US')} only`;
    const incomplete = `Only ${tellPart(coverage)} entries of ${place} could be listed.`;
    const answer = this.#setting.answers.get(id);
    if (answer?.trim() === choice) {
      this.#cautions.unshift({ text: `${incomplete} What was not listed has no step.` });
      return;
    }
    if (answer !== undefined)
      throw stop(`${incomplete} Name a folder inside ${place}, or say which files you mean.`);
    const text = `${incomplete} Should I plan only these?`;
    throw new Stop({
      kind: 'questions',
      questions: [{ id, text, options: [choice, narrow, 'Cancel'] }],
    });
  }

  #addReminder({ text, at, rule, assumedHour }: Extract<Command, { do: 'remind' }>): void {
    const { timezone } = this.#setting;
    const rrule = rule && printRule(rule, timezone);
    if (rule !== null && rrule === null)
      throw stop(
        'A reminder that repeats ends with a day, not at a time of day. Say it again with a day, such as until 1 December.',
      );
    if (assumedHour) this.#caution(noHour);
    this.#addByRoles('remind', { text, at, rrule, timezone });
  }

  #reference(): Json | null {
    return this.#output === null ? null : { $from: this.#output.id, path: this.#output.path };
  }

  #resolve(text: Text, path: string): Json | null {
    switch (text.kind) {
      case 'literal':
        return text.text;
      case 'own name':
        return baseName(path);
      case 'each':
        return null;
      case 'output':
        return this.#reference();
      case 'content':
        return this.#addByRoles('read', { path: text.path }) && this.#reference();
      default:
        return text satisfies never;
    }
  }

  #addWrite(path: string, text: Text): void {
    if (text.kind === 'content' && this.#addCopy(text.path, path)) return;
    const spec = this.#bind('write');
    if (spec === null) return;
    const content = this.#resolve(text, path);
    this.#makeFolderFor(path, spec);
    this.#push(spec, fillRoles(spec, { path, content }));
  }

  /** @returns false: nothing can copy */
  #addCopy(from: string, to: string): boolean {
    const spec = this.#find('copy');
    if (spec === null) return false;
    this.#makeFolderFor(to, spec);
    this.#push(spec, fillRoles(spec, { from, to, overwrite: true }));
    return true;
  }

  #addMove(what: 'move' | 'copy', from: string, to: string): void {
    if (what === 'copy') {
      if (!this.#addCopy(from, to)) this.#bind('copy');
      return;
    }
    const spec = this.#bind('move');
    if (spec === null) return;
    this.#makeFolderFor(to, spec);
    this.#push(spec, fillRoles(spec, { from, to }));
  }

  #makeFolder(path: string): void {
    if (this.#folders.has(path)) return;
    const step = this.#addByRoles('make_folder', { path });
    if (step !== null) this.#folders.set(path, step.id);
  }

  /** Built-in operations make folders as they need them; those of MCP servers mostly don't. */
  #makeFolderFor(path: string, spec: OperationSpec): void {
    const folder = folderOf(path);
    if (spec.source === 'builtin' || folder === '' || folder === '.' || this.#folders.has(folder))
      return;
    const maker = this.#find('make_folder', spec.tool);
    if (maker !== null)
      this.#folders.set(folder, this.#push(maker, fillRoles(maker, { path: folder })).id);
  }

  async #addEdit(path: string, edit: Edit): Promise<void> {
    const named = this.#now?.tool ?? undefined;
    const spec = this.#manifest.find(
      ({ name, tool }) => name === editor && tool === (named ?? tool),
    );
    if (spec === undefined) {
      this.#missing.add(`change what files say${named === undefined ? '' : ` with ${named}`}`);
      return;
    }
    if (edit.action === 'replace' && (await this.#lacks(path, edit.find)))
      throw stop(`${path} does not contain the words to replace, so there is nothing to do.`);
    this.#push(spec, { path, ...edit });
  }

  /** Whether it is certain that a file that no earlier step touches does not hold `words`. */
  async #lacks(path: string, words: string): Promise<boolean> {
    const { tools, signal } = this.#setting;
    const spec = tools.readable().find(({ name }) => name === 'workspace_read');
    const isTouched = this.#steps.some((step) => {
      const { writes } = findTouched(step);
      return writes.some((other) => pathsOverlap(other, path));
    });
    if (spec === undefined || isTouched || this.#now?.rule != null) return false;
    try {
      const { data } = await tools.call(spec.name, { path }, signal);
      const { text, truncated } = objectIn(data) ?? {};
      return typeof text === 'string' && truncated !== true && !text.includes(words);
    } catch (error) {
      signal.throwIfAborted();
      throw stop(`I cannot read ${path}. ${errorMessage(error)}`);
    }
  }

  async #list(files: Files, to: string[] = []): Promise<Entry[]> {
    if (files.kind === 'paths')
      return files.paths.map((path) => ({ path: tidyPath(path), folder: files.folder }));
    if (this.#now?.rule != null) throw stop(onceOnly('Which files there are'));
    const entries = await this.#findFiles(files.set);
    if (this.#now?.start != null) this.#cautions.push(listedNow);
    const into = to.map((one) => tidyPath(one));
    const chosen = entries.filter(
      ({ path }) => !into.some((folder) => folderOf(path) === folder || path === folder),
    );
    const names = new Set(chosen.map(({ path }) => baseName(path)));
    if (to.length > 0 && names.size < chosen.length)
      throw stop('Two of the files have the same name. Name them one by one.');
    return chosen;
  }

  async #findFiles(set: FileSet): Promise<Entry[]> {
    const found = await findSet(set, this.#setting, this.#now?.tool ?? undefined);
    if (typeof found === 'string') throw stop(found);
    const { entries, below, place, missed, coverage } = found;
    if (isPartial(coverage)) this.#askAboutRest(place, coverage);
    if (missed !== null)
      throw stop(
        `There is no ${missed} in ${place} to leave out, so I stop before doing more than you want.`,
      );
    const around = entries.find(
      (entry) => entry.folder && set.except.some((left) => left.startsWith(`${entry.path}/`)),
    );
    if (around !== undefined)
      throw stop(`${around.path} would be taken as a whole. Name the files one by one.`);
    if (below.length > 0 && entries.length > 0) {
      const id = `depth ${this.#clause}`;
      const answer = this.#setting.answers.get(id);
      const question = `Further down in ${place} I find ${below.length} more of the ${describeSet(set)}. Do you mean those too, or only the ones directly in ${place}?`;
      const all = isYes(answer ?? '') || /^\s*(?:all|those too|both)[.!\s]*$/i.test(answer ?? '');
      if (all) return [...entries, ...below];
      if (/^\s*(?:no[.!\s]*|only (?:those|these|the ones)\b[^,;]*)$/i.test(answer ?? ''))
        return entries;
      throw new Stop({ kind: 'questions', questions: [{ id, text: question }] });
    }
    const all = entries.length > 0 ? entries : below;
    const except = set.except.length > 0 ? ` except ${set.except.join(' and ')}` : '';
    if (all.length === 0)
      throw stop(
        `There are no ${describeSet(set)}${except} in ${place}, so there is nothing to do.`,
      );
    return all;
  }
}

const narrow = "I'll narrow it down";

/** A step takes something of the other, or meets it on a path. */
const needsOther = (step: Step, other: Step): boolean =>
  referencesOf(step.args).some(({ $from }) => $from === other.id) ||
  step.when.some((condition) => condition.step === other.id) ||
  stepsConflict(findTouched(step), findTouched(other));

const needs = (step: string, value: 'Yes' | 'No'): StepCondition => ({
  step,
  path: '/answer',
  is: 'equals',
  value,
});

type Found = {
  entries: Entry[];
  below: Entry[];
  place: string;
  missed: string | null;
  coverage: Coverage;
};

/** What a set means now: directly in its folder, and in the folders below. A sentence says why it cannot be told. */
export async function findSet(
  set: FileSet,
  { tools, signal }: Pick<Setting, 'tools' | 'signal'>,
  tool?: string,
): Promise<Found | string> {
  const spec = bindFamily('list', tools.readable(), tool);
  if (spec === null)
    return 'I cannot see which files there are: no tool I may use while planning lists them.';
  const folder = tidyPath(set.folder);
  const place = folder === '' ? 'the workspace' : folder;
  const coverage = newCoverage();
  try {
    const path = folder === '' ? '.' : folder;
    const args = fillRoles(spec, { path, recursive: set.folders ? null : true });
    const entries: Entry[] = [];
    const setting = { tools, signal };
    for await (const data of listPages({ operation: spec.name, args }, setting, coverage)) {
      const page = readEntries(data);
      if (page === null) return `I cannot read the listing of ${place} that ${spec.name} gave.`;
      coverage.listed += page.length;
      for (const entry of page) entries.push(entry);
    }
    const prefix = folder === '' ? '' : `${folder}/`;
    const named = entries.map((entry) => ({
      ...entry,
      path: entry.path.startsWith(prefix) ? entry.path : prefix + entry.path,
    }));
    const chosen = named.filter(
      (entry) =>
        (set.folders || !entry.folder) &&
        matchesPattern(entry.path, set.pattern) &&
        !set.except.some((left) => isNamed(entry.path, left) || entry.path.startsWith(`${left}/`)),
    );
    const isBelow = (entry: Entry) => entry.path.slice(prefix.length).includes('/');
    const missed =
      set.except.find(
        (left) =>
          !named.some(
            (entry) =>
              isNamed(entry.path, left) || (entry.folder && left.startsWith(`${entry.path}/`)),
          ),
      ) ?? null;
    return {
      entries: chosen.filter((entry) => !isBelow(entry)),
      below: chosen.filter(isBelow),
      place,
      missed,
      coverage,
    };
  } catch (error) {
    signal.throwIfAborted();
    return `I cannot see which files are in ${place}. ${errorMessage(error)}`;
  }
}

/** Where an operation's output holds its text; null when it holds none that is known. */
function textPointer(spec: OperationSpec): string | null {
  const family = familyOf(spec);
  if (family !== null && !['read', 'fetch', 'request', 'ask'].includes(family)) return null;
  const properties = spec.output?.properties;
  if (typeof properties === 'object' && properties !== null) {
    for (const name of ['text', 'content', 'contents', 'body', 'result', 'message', 'answer']) {
      const field: unknown = Object.entries(properties).find(
        ([key]) => simplifyName(key) === name,
      )?.[1];
      if (typeof field === 'object' && field !== null && 'type' in field && field.type === 'string')
        return `/${name}`;
    }
    return null;
  }
  if (spec.source === 'mcp') return '/text';
  return family === null || family === 'ask' ? null : '/text';
}
