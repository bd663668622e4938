// Turns intents into steps: binds each to an operation of the manifest, fills its arguments, and orders the whole.
import type { StepCondition } from '#contracts/condition.ts';
import type { Json, JsonObject } from '#contracts/text.ts';
import type { OperationSpec } from '#contracts/tool.ts';
import type { Content } from './content.ts';
import { bindFamily, type Family, familyOf } from './families.ts';
import { orderSteps } from './order-steps.ts';
import { baseName, folderOf } from './paths.ts';
import type { PlannedStep } from './planned-step.ts';
import { questions } from './questions.ts';
import type { Intent, Start } from './reading.ts';
import { fillRoles, type Role, readFields, simplifyName } from './schema-fields.ts';
import { printClock, printDate } from './times.ts';

export type Built = {
  steps: PlannedStep[];
  missing: string[];
  questions: string[];
  assumptions: string[];
};

export type Unit = {
  intents: Intent[];
  sequence: boolean;
  tool: string | undefined;
  start: Start | null;
  needs?: 'Yes' | 'No' | undefined;
  part?: number | undefined;
};

export type BuildOptions = {
  manifest: OperationSpec[];
  now: Date;
  timezone: string;
  answers: ReadonlyMap<string, string>;
};

const wantedWords: Record<Family, string> = {
  write: 'write files',
  move: 'move files',
  copy: 'copy files',
  delete: 'delete files',
  make_folder: 'create empty folders',
  list: 'list files',
  read: 'read files',
  fetch: 'fetch web addresses',
  request: 'call web addresses',
  post: 'post messages',
  ask: 'ask people',
  remind: 'set reminders',
  calendar_read: 'read calendars',
  calendar_add: 'add to calendars',
  compose: 'write text',
  summarize: 'summarise text',
  wait: 'wait',
  nothing: 'run a step that does nothing',
};

const noHour = 'No time of day was named: 09:00 is assumed.';

/** Builds steps from units in the order in which they were said. Nothing is looked up here. */
export function buildSteps(units: Unit[], options: BuildOptions): Built {
  const builder = new Builder(options);
  for (const unit of units) builder.addUnit(unit);
  return builder.finish();
}

class Builder {
  readonly #options: BuildOptions;
  readonly #steps: PlannedStep[] = [];
  readonly #missing = new Set<string>();
  readonly #questions = new Set<string>();
  readonly #assumptions = new Set<string>();
  readonly #folders = new Map<string, string>();
  #group = 0;
  #tool: string | undefined;
  #start: Start | null = null;
  #part: number | undefined;
  #needs: 'Yes' | 'No' | undefined;
  /** Ids of the steps with which people say Yes or No to what comes next. */
  #gates: string[] = [];
  /** The step whose text "it" stands for. */
  #output: { id: string; path: string } | null = null;

  constructor(options: BuildOptions) {
    this.#options = options;
  }

  addUnit(unit: Unit): void {
    if (unit.sequence && this.#steps.length > 0) this.#group += 1;
    this.#tool = unit.tool;
    this.#start = unit.start;
    this.#part = unit.part;
    this.#needs = unit.needs;
    if (unit.intents.some((intent) => intent.act === 'ask' && intent.gate === true))
      this.#gates = [];
    if (unit.start?.assumedHour) this.#assumptions.add(noHour);
    const outputBefore = this.#output;
    const [stepsBefore, missingBefore] = [this.#steps.length, this.#missing.size];
    for (const intent of unit.intents) this.#addIntent(intent);
    // What prepares for something that no tool can do is of no use.
    if (this.#missing.size === missingBefore) return;
    const dropped = new Set(this.#steps.splice(stepsBefore).map((step) => step.id));
    for (const [folder, id] of this.#folders) if (dropped.has(id)) this.#folders.delete(folder);
    this.#output = outputBefore;
  }

  finish(): Built {
    orderSteps(this.#steps);
    return {
      steps: this.#steps,
      missing: [...this.#missing],
      questions: [...this.#questions],
      assumptions: [...this.#assumptions],
    };
  }

  #bind(family: Family): OperationSpec | null {
    const spec = bindFamily(family, this.#options.manifest, this.#tool);
    if (!spec) this.#missing.add(wantedWords[family] + (this.#tool ? ` with ${this.#tool}` : ''));
    return spec;
  }

  #add(spec: OperationSpec, args: JsonObject): PlannedStep {
    const step = {
      id: String(this.#steps.length + 1),
      spec,
      args,
      after: new Set<string>(),
      group: this.#group,
      start: this.#start?.at ?? null,
      ...(this.#part === undefined ? {} : { part: this.#part }),
      ...(this.#needs === undefined ? {} : { when: this.#conditions(this.#needs) }),
    };
    this.#steps.push(step);
    const pointer = textPointer(spec);
    if (pointer !== null) this.#output = { id: step.id, path: pointer };
    return step;
  }

  #conditions(value: 'Yes' | 'No'): StepCondition[] {
    return this.#gates.map((step) => ({ step, path: '/fields/answer', is: 'equals', value }));
  }

  /** A question that is answered with Yes or No. Only an operation that takes a form can ask it. */
  #addGate(question: string, assignee: string | null): void {
    const spec = this.#bind('ask');
    if (!spec) return;
    if (!readFields(spec.input).some(({ name }) => name === 'form')) {
      this.#missing.add('ask a person for a yes or a no');
      return;
    }
    const form = [
      {
        name: 'answer',
        label: 'Yes or no?',
        type: 'choice',
        required: true,
        options: ['Yes', 'No'],
      },
    ];
    const step = this.#add(spec, { ...fillRoles(spec, { question, assignee }), form });
    this.#gates.push(step.id);
  }

  #addByRoles(family: Family, values: Partial<Record<Role, Json | null>>): PlannedStep | null {
    const spec = this.#bind(family);
    if (!spec) return null;
    return this.#add(spec, fillRoles(spec, values));
  }

  #addIntent(intent: Intent): void {
    switch (intent.act) {
      case 'write':
        this.#addWrite(intent.path, intent.content, intent.overwrite);
        return;
      case 'edit':
        throw new Error('edits are turned into writes before steps are built');
      case 'move': {
        const spec = this.#bind('move');
        if (!spec) return;
        this.#makeFolderFor(intent.to, spec);
        this.#add(
          spec,
          fillRoles(spec, { from: intent.from, to: intent.to, overwrite: intent.overwrite }),
        );
        return;
      }
      case 'copy':
        this.#addCopy(intent.from, intent.to);
        return;
      case 'delete':
        this.#addByRoles('delete', { path: intent.path, recursive: intent.recursive || null });
        return;
      case 'make_folder':
        this.#addFolder(intent.path);
        return;
      case 'list':
        this.#addByRoles('list', { path: intent.path, recursive: intent.recursive || null });
        return;
      case 'read':
        this.#addByRoles('read', { path: intent.path });
        return;
      case 'fetch':
        this.#addByRoles('fetch', { url: intent.url });
        return;
      case 'request':
        this.#addByRoles('request', {
          url: intent.url,
          method: intent.method,
          content: readBody(intent.body),
        });
        return;
      case 'post':
        this.#addPost(intent.text, intent.conversation);
        return;
      case 'ask':
        if (intent.gate === true) {
          this.#addGate(intent.question, intent.assignee);
          return;
        }
        this.#addByRoles('ask', { question: intent.question, assignee: intent.assignee });
        return;
      case 'remind':
        if (intent.assumedHour) this.#assumptions.add(noHour);
        this.#addByRoles('remind', {
          text: intent.text,
          at: intent.at,
          rrule: intent.rrule,
          timezone: this.#options.timezone,
        });
        return;
      case 'calendar_read':
        this.#addCalendarRead(intent.from, intent.to);
        return;
      case 'calendar_add':
        if (intent.assumedHour) this.#assumptions.add(noHour);
        this.#addByRoles('calendar_add', {
          title: intent.title,
          at: intent.start,
          end: intent.end,
          rrule: intent.rrule,
          timezone: this.#options.timezone,
        });
        return;
      case 'summarize':
        if (intent.path !== null) this.#addByRoles('read', { path: intent.path });
        this.#addByRoles('summarize', { content: this.#readOutput() });
        return;
      case 'wait':
        this.#addByRoles('wait', { seconds: intent.seconds });
        return;
      case 'nothing':
        this.#addByRoles('nothing', {});
        return;
      case 'call':
        this.#add(intent.spec, intent.args);
        return;
      default:
        intent satisfies never;
    }
  }

  #readOutput(): Json | null {
    return this.#output === null ? null : { $from: this.#output.id, path: this.#output.path };
  }

  #addWrite(path: string, content: Content, overwrite: boolean | null): void {
    const spec = this.#bind('write');
    if (!spec) return;
    const text = this.#resolveContent(content, path);
    if (text === null) return;
    this.#makeFolderFor(path, spec);
    this.#add(spec, fillRoles(spec, { path, content: text, overwrite }));
  }

  #resolveContent(content: Content, path: string): Json | null {
    switch (content.kind) {
      case 'text':
        return content.text;
      case 'own_name':
        return baseName(path);
      case 'today': {
        const { now, timezone } = this.#options;
        return content.what === 'date' ? printDate(now, timezone) : printClock(now, timezone);
      }
      case 'copy_of':
        return this.#addByRoles('read', { path: content.path }) && this.#readOutput();
      case 'previous':
        if (this.#output === null) return this.#askContent(path);
        return this.#readOutput();
      case 'unclear':
        return this.#askContent(path);
      case 'compose': {
        const spec = bindFamily('compose', this.#options.manifest);
        const answer = this.#options.answers.get(questions.content(path));
        if (answer !== undefined) return answer.trim();
        if (!spec) this.#questions.add(questions.content(path));
        if (!spec) return null;
        this.#add(spec, fillRoles(spec, { instruction: `Write ${content.instruction}.` }));
        return this.#readOutput();
      }
      default:
        return content satisfies never;
    }
  }

  #askContent(path: string): string | null {
    const answer = this.#options.answers.get(questions.content(path));
    if (answer === undefined) this.#questions.add(questions.content(path));
    return answer?.trim() ?? null;
  }

  #addCopy(from: string, to: string): void {
    const copy = bindFamily('copy', this.#options.manifest, this.#tool);
    if (copy) {
      this.#makeFolderFor(to, copy);
      this.#add(copy, fillRoles(copy, { from, to }));
      return;
    }
    this.#addWrite(to, { kind: 'copy_of', path: from }, null);
  }

  #addPost(content: Content, conversation: string | null): void {
    if (!this.#bind('post')) return;
    const previous = content.kind === 'previous' && this.#output === null;
    const text = previous
      ? null
      : this.#resolveContent(
          content.kind === 'own_name' ? { kind: 'text', text: 'its own name' } : content,
          'the message',
        );
    if (previous) this.#questions.add(questions.post());
    if (text === null) return;
    this.#addByRoles('post', { text, conversation });
  }

  #addCalendarRead(from: string | null, to: string | null): void {
    const spec = this.#bind('calendar_read');
    if (!spec) return;
    const names = readFields(spec.input).map((field) => field.name);
    const args: JsonObject = {};
    if (from !== null && to !== null && names.includes('from') && names.includes('to'))
      Object.assign(args, { from, to });
    this.#add(spec, args);
  }

  #addFolder(path: string): void {
    if (this.#folders.has(path)) return;
    const step = this.#addByRoles('make_folder', { path });
    if (step) this.#folders.set(path, step.id);
  }

  /** Built-in operations make folders as they need them; those of MCP servers mostly don't. */
  #makeFolderFor(path: string, spec: OperationSpec): void {
    const folder = folderOf(path);
    if (spec.source === 'builtin' || folder === '' || folder === '.' || this.#folders.has(folder))
      return;
    const maker = bindFamily('make_folder', this.#options.manifest, spec.tool);
    if (!maker) return;
    const step = this.#add(maker, fillRoles(maker, { path: folder }));
    this.#folders.set(folder, step.id);
  }
}

function readBody(body: string | null): Json | null {
  if (body === null || !/^\s*[{[]/.test(body)) return body;
  try {
    return JSON.parse(body) as Json; // JSON.parse of text gives JSON
  } catch {
    return body; // text that only begins like JSON is sent as it is
  }
}

/** Where an operation's output holds its text; null when it holds none that is known. */
function textPointer(spec: OperationSpec): string | null {
  const family = familyOf(spec);
  const speaks =
    family === null || ['read', 'fetch', 'request', 'compose', 'summarize', 'ask'].includes(family);
  if (!speaks) return null;
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
