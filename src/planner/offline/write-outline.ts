// The parts of a request and their steps, written down as `generate_nodes` takes them.
import { OutlineNode } from '#contracts/planning/outline.ts';
import type { PlanningRequest } from '#contracts/run.ts';
import { type OperationSpec, operationName } from '#contracts/tool.ts';
import { shorten } from '#contracts/words.ts';
import { writeConditions } from '../grammar/read-step.ts';
import type { WrittenOutline } from '../grammar/written-outline.ts';
import { indexOutline } from '../roadmap/outline-index.ts';
import {
  describeOutcome,
  describeRisks,
  describeStep,
  describeTitle,
  describeWait,
  type RiskNote,
  readTarget,
} from './describe.ts';
import { createNodeFinder } from './find-node.ts';
import type { PlannedStep } from './planned-step.ts';
import type { Work } from './prepare.ts';
import { questions } from './questions.ts';
import { type Duration, readSaidTimes, type SaidTimes } from './said-times.ts';
import type { Scheme, SchemePart } from './scheme.ts';
import type { Statement } from './statements.ts';

/** `timing`: order in words, which becomes edges before generate_nodes is called. */
export type WrittenNode = WrittenOutline['nodes'][number] & { timing: string | null };
export type TimedOutline = Omit<WrittenOutline, 'nodes'> & { nodes: WrittenNode[] };

const goalId = 'goal';

export function emptyNode(
  node: Pick<WrittenNode, 'id' | 'parent' | 'title' | 'structure'>,
): WrittenNode {
  return {
    rhythm: 'one_off',
    after: [],
    timing: null,
    duration_minutes: null,
    not_before: null,
    deadline: null,
    recurs: null,
    target: null,
    steps: [],
    ...node,
  };
}

/** @param doneBy who does the node's steps */
function withTimes(
  node: WrittenNode,
  times: SaidTimes,
  { previous, doneBy }: { previous: string | null; doneBy: keyof Duration },
): WrittenNode {
  const { timing, deadline, not_before, duration, recurs } = times;
  // Words that point back mean the part before; where that lies in another part, it is named.
  const words = timing.map((one) =>
    previous === null
      ? one
      : one.replace(/\b(?:later|afterwards|after (?:that|this|it))$/i, `after ${previous}`),
  );
  return {
    ...node,
    timing: words.length === 0 ? node.timing : words.join(' and '),
    deadline: deadline ?? node.deadline,
    not_before: not_before ?? node.not_before,
    duration_minutes: duration?.[doneBy] ?? node.duration_minutes,
    ...(recurs === null ? {} : { recurs, rhythm: 'recurring' }),
  };
}

/** A person where any of the work is theirs. */
function findDoer(specs: readonly Pick<OperationSpec, 'human'>[]): keyof Duration {
  return specs.some(({ human }) => human === true) ? 'person' : 'machine';
}

/** Gathers nodes while the tree of parts is walked. */
class Writer {
  readonly nodes: WrittenNode[] = [];
  readonly #byPart: Map<number | undefined, PlannedStep[]>;
  readonly #timezone: string;
  /** Which node each step stands in. */
  readonly owners = new Map<string, string>();
  #place = -1;
  #wholes = 0;
  /** The last node with steps. */
  #last: string | null = null;

  constructor(steps: PlannedStep[], timezone: string) {
    this.#byPart = Map.groupBy(steps, (step) => step.part);
    this.#timezone = timezone;
  }

  addParts(parts: SchemePart[], parent: string): void {
    let before: string[] = [];
    let together: string[] = [];
    for (const part of parts) {
      if (part.waits) {
        before = together.length > 0 ? together : before;
        together = [];
      }
      const isFirst = together.length === 0 && before.length === 0;
      const previous = isFirst ? this.#last : null;
      const added = this.#addPart(part, parent, before, previous);
      // Nothing waits for what comes again by a rule of its own.
      if (part.times.recurs === null) together.push(...added);
    }
  }

  #addPart(part: SchemePart, parent: string, before: string[], previous: string | null): string[] {
    const after = part.times.recurs === null ? before : [];
    if (part.parts.length > 0) {
      this.#wholes += 1;
      const id = `part-${this.#wholes}`;
      const { structure, title } = part;
      const node = { ...emptyNode({ id, parent, title: title ?? 'Part', structure }), after };
      const [at, from] = [this.nodes.push(node) - 1, this.#place];
      this.addParts(part.parts, id);
      const doneBy = findDoer(this.#specsBetween(from, this.#place));
      this.nodes[at] = withTimes(node, part.times, { previous, doneBy });
      return [id];
    }
    this.#place += 1;
    const steps = this.#byPart.get(this.#place) ?? [];
    if (steps.length > 0) return this.#addWork(part, steps, { parent, after, previous });
    if (part.title === null) return [];
    this.#wholes += 1;
    const id = `part-${this.#wholes}`;
    const { structure, title } = part;
    const node = { ...emptyNode({ id, parent, title, structure }), after };
    // Nobody works on it: it is a time that passes.
    this.nodes.push(withTimes(node, part.times, { previous, doneBy: 'machine' }));
    return [id];
  }

  /** What the steps call of the parts after the one at `from`, up to the one at `to`. */
  #specsBetween(from: number, to: number): OperationSpec[] {
    const places = Array.from({ length: to - from }, (_, n) => from + 1 + n);
    return places.flatMap((place) => this.#byPart.get(place) ?? []).map(({ spec }) => spec);
  }

  /** Steps that begin at different moments have a node each, since a moment belongs to a node. */
  #addWork(
    part: SchemePart,
    steps: PlannedStep[],
    { parent, after, previous }: { parent: string; after: string[]; previous: string | null },
  ): string[] {
    const starts = new Set(steps.map(({ start }) => start));
    const groups = starts.size > 1 ? steps.map((step) => [step]) : [steps];
    return groups.map((group) => {
      const [first] = group;
      const single = group.length === 1;
      const id = single ? (first?.id ?? '') : `task-${first?.id ?? ''}`;
      for (const step of group) this.owners.set(step.id, id);
      const words = part.text.replace(/\s+/g, ' ').trim();
      const title =
        single && first !== undefined
          ? describeStep(first, this.#timezone)
          : `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
      const node = emptyNode({ id, parent, title: shorten(title, 300), structure: 'task' });
      const written: WrittenNode = {
        ...node,
        not_before: first?.start ?? null,
        after,
        steps: group.map((step) => this.#writeStep(step, group)),
      };
      const doneBy = findDoer(group.map(({ spec }) => spec));
      this.nodes.push(withTimes(written, part.times, { previous, doneBy }));
      this.#last = id;
      return id;
    });
  }

  #writeStep(step: PlannedStep, group: PlannedStep[]): WrittenNode['steps'][number] {
    const beside = new Set(group.map(({ id }) => id));
    return {
      id: step.id,
      description: describeStep(step, this.#timezone) + describeWait(step.start, this.#timezone),
      tool: step.spec.tool,
      operation: step.spec.operation,
      args: JSON.stringify(step.args),
      after: [...step.after].filter((id) => beside.has(id)),
      target: readTarget(step)?.slice(0, 2000) ?? null,
      notes: null,
      when: writeConditions(step.when),
      ask_before: null,
    };
  }

  /** What steps of different parts need of each other, as edges between the nodes. */
  linkAcross(steps: PlannedStep[]): void {
    const byId = new Map(this.nodes.map((node) => [node.id, node]));
    const recurring = (id: string): boolean => {
      const node = byId.get(id);
      return node !== undefined && (node.recurs !== null || recurring(node.parent ?? ''));
    };
    for (const step of steps) {
      const own = this.owners.get(step.id);
      const node = own === undefined ? undefined : byId.get(own);
      if (node === undefined || own === undefined || recurring(own)) continue;
      for (const id of step.after) {
        const other = this.owners.get(id);
        if (other === undefined || other === own || recurring(other)) continue;
        if (!node.after.includes(other)) node.after.push(other);
      }
    }
  }
}

export function writeOutline(
  scheme: Scheme,
  steps: PlannedStep[],
  { cautions, notes }: { cautions: RiskNote[]; notes: string[] },
  { timezone }: Pick<PlanningRequest, 'timezone'>,
): TimedOutline {
  const title = shorten(scheme.title ?? describeTitle(steps, timezone), 300);
  const writer = new Writer(steps, timezone);
  const goal = withTimes(
    emptyNode({ id: goalId, parent: null, title, structure: 'goal' }),
    scheme.times,
    { previous: null, doneBy: findDoer(steps.map(({ spec }) => spec)) },
  );
  writer.addParts(scheme.parts, goalId);
  writer.linkAcross(steps);
  return {
    title,
    summary: shorten(describeOutcome(steps, timezone), 1000),
    nodes: [goal, ...writer.nodes],
    risks: describeRisks(steps, cautions).map(({ text, sign }) => ({ text, sign: sign ?? null })),
    assumptions: notes,
    confidence: 0.9,
  };
}

/** Puts what was said of parts by name where it belongs. `unknown`: words that name none. */
export function addStatements(
  outline: TimedOutline,
  statements: Statement[],
  { request: { now, timezone }, answers, tools }: Pick<Work, 'request' | 'answers' | 'tools'>,
): { outline: TimedOutline; unknown: string[] } {
  if (statements.length === 0) return { outline, unknown: [] };
  const nodes = outline.nodes.map((node) =>
    OutlineNode.parse({
      id: node.id,
      parent: node.parent,
      // The whole is named after its parts; words that name one of them do not mean it.
      title: node.parent === null ? 'Whole plan' : node.title,
      structure: node.structure,
      level: 1,
      steps: node.steps.map(({ id, description, tool, operation }) => ({
        id,
        description,
        tool,
        operation,
      })),
    }),
  );
  const finder = createNodeFinder(indexOutline({ nodes }));
  const humans = new Set(
    tools
      .manifest()
      .filter(({ human }) => human)
      .map(({ name }) => name),
  );
  const unknown: string[] = [];
  const changed = outline.nodes.map((node) => node);
  for (const { subject, times, words } of statements) {
    const answer = answers.get(questions.unclear(words));
    const found = finder.find(answer ?? subject, null);
    // The answer may be the part's name, or the whole said in other words.
    const said = answer === undefined ? times : (readSaidTimes(answer, { now, timezone }) ?? times);
    const node = found.kind === 'found' ? changed[found.node] : undefined;
    if (node === undefined || found.kind !== 'found') unknown.push(words);
    else {
      const timing = [node.timing ?? [], said.timing].flat();
      const asks = node.steps.some((step) => humans.has(operationName(step.tool, step.operation)));
      const doneBy = asks ? 'person' : 'machine';
      changed[found.node] = withTimes(node, { ...said, timing }, { previous: null, doneBy });
    }
  }
  return { outline: { ...outline, nodes: changed }, unknown };
}
