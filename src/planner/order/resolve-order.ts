// Adds and removes edges of an outline, with a line on each.
import type { z } from 'zod';
import type { Dependency, DependencyType } from '#domain/plan/dependency.ts';
import type { IntroducedBy } from '#domain/plan/pattern.ts';
import { dependenciesOf, type StepDraft } from '#domain/plan/step-content.ts';
import type { OutlineNode, PlanOutline } from '#domain/planning/outline.ts';
import type { Adaptation } from '#domain/planning/trace.ts';
import { quoteWords } from '#domain/shown-text.ts';
import { indexOutline, type OutlineIndex } from '../outline/outline-tree.ts';
import { findEnds } from '../outline/precedence.ts';

type By = z.infer<typeof IntroducedBy>;
export type Link = { from: string; to: string; type: DependencyType; lag_minutes: number };
export type GivenEdge = Link & { remove: boolean };

export type ResolvedOrder = {
  outline: PlanOutline;
  adaptations: Adaptation[];
  refused: string[];
};

const maxWaitedFor = 1000;

/** @param by who gave the edges */
export function resolveOrder(outline: PlanOutline, edges: GivenEdge[], by: By): ResolvedOrder {
  const index = indexOutline(outline);
  const editor = new OrderEditor(outline, index);
  settleIds(editor, index);
  editor.by = by;
  const refused = linkGiven(edges, editor, index);
  const crowded = editor.outline.nodes.find(({ after }) => after.length > maxWaitedFor);
  if (crowded !== undefined)
    refused.push(
      `${quoteWords(crowded.title, 80)} would wait for ${crowded.after.length} others; ${maxWaitedFor} are the most. Let it wait for the whole they are part of.`,
    );
  return { outline: editor.outline, adaptations: editor.adaptations, refused };
}

/** `after` may name a title. Drops edges to itself, its part or its whole. */
function settleIds(editor: OrderEditor, index: OutlineIndex): void {
  for (const node of index.nodes) {
    for (const { id, type, lag_minutes } of node.after) {
      if (findEnds(index, { from: id, to: node.id }) !== null) continue;
      if (index.places.has(id)) {
        editor.unlink(id, node.id, 'nothing waits for itself, its parts or what it is part of');
        continue;
      }
      const found = findNode(index, id);
      if (typeof found !== 'string' || findEnds(index, { from: found, to: node.id }) === null)
        continue;
      editor.unlink(id, node.id, `${quoteWords(id, 200)} means ${found}`);
      editor.link(
        { from: found, to: node.id, type, lag_minutes },
        `${quoteWords(id, 200)} means ${found}`,
      );
    }
  }
}

function linkGiven(edges: GivenEdge[], editor: OrderEditor, index: OutlineIndex): string[] {
  const refused: string[] = [];
  const find = (name: string): string | null => {
    const found = findNode(index, name);
    if (typeof found === 'string') return found;
    refused.push(
      found === null
        ? `There is no node ${quoteWords(name, 200)}.`
        : `${quoteWords(name, 200)} is the title of ${found.length} nodes; give an id.`,
    );
    return null;
  };
  for (const { from: before, to: behind, type, lag_minutes, remove } of edges) {
    const [from, to] = [find(before), find(behind)];
    if (from === null || to === null) continue;
    if (findEnds(index, { from, to }) === null)
      refused.push(
        `${quoteWords(from, 200)} and ${quoteWords(to, 200)} are one, or part of each other.`,
      );
    else if (remove) editor.unlink(from, to, 'it need not wait');
    else {
      // Keeping the opposite edge would make a cycle.
      editor.unlink(to, from, 'the order of the two is turned round');
      editor.link({ from, to, type, lag_minutes }, 'it has to wait', true);
    }
  }
  return refused;
}

function findNode(index: OutlineIndex, name: string): string | string[] | null {
  if (index.places.has(name)) return name;
  const owner = index.nodes[index.steps[index.stepPlaces.get(name) ?? -1]?.node ?? -1];
  if (owner !== undefined) return owner.id;
  const wanted = foldTitle(name);
  const titled = index.nodes.filter(({ title }) => foldTitle(title) === wanted);
  if (titled.length > 1) return titled.map(({ id }) => id);
  return titled[0]?.id ?? null;
}

function foldTitle(title: string): string {
  return title.replace(/\s+/g, ' ').trim().toLowerCase();
}

class OrderEditor {
  readonly #outline: PlanOutline;
  readonly #index: OutlineIndex;
  readonly #changed = new Map<string, OutlineNode>();
  by: By = 'system';
  readonly adaptations: Adaptation[] = [];

  constructor(outline: PlanOutline, index: OutlineIndex) {
    this.#outline = outline;
    this.#index = index;
  }

  get outline(): PlanOutline {
    if (this.#changed.size === 0) return this.#outline;
    const nodes = this.#outline.nodes.map((node) => this.#changed.get(node.id) ?? node);
    return { ...this.#outline, nodes };
  }

  #node(id: string): OutlineNode {
    const node = this.#changed.get(id) ?? this.#index.nodes[this.#index.places.get(id) ?? -1];
    if (node === undefined) throw new RangeError(`The outline has no node ${id}.`);
    return node;
  }

  #note(what: Adaptation['what'], node: string, why: string): void {
    this.adaptations.push({
      what,
      node: node.slice(0, 500),
      introduced_by: this.by,
      why: why.slice(0, 1000),
    });
  }

  /** The longer lag wins unless `replaces`. */
  link({ from, to, type, lag_minutes }: Link, why: string, replaces = false): void {
    const node = this.#node(to);
    const old = node.after.find((one) => one.id === from && one.type === type);
    const kept = replaces
      ? old?.lag_minutes === lag_minutes
      : (old?.lag_minutes ?? -1e9) >= lag_minutes;
    if (old !== undefined && kept) return;
    const next: Dependency = { id: from, type, lag_minutes };
    const after =
      old === undefined
        ? [...node.after, next]
        : node.after.map((one) => (one === old ? next : one));
    this.#changed.set(to, { ...node, after });
    this.#note(old === undefined ? 'linked' : 'changed', `${from} → ${to}`, why);
  }

  /** Between their steps too; data flow stays. */
  unlink(from: string, to: string, why: string): void {
    const node = this.#node(to);
    const after = node.after.filter(({ id }) => id !== from);
    const steps = node.steps.map((step) => this.#freeStep(step, from));
    const same =
      after.length === node.after.length && steps.every((step, at) => step === node.steps[at]);
    if (same) return;
    this.#changed.set(to, { ...node, after, steps });
    this.#note('unlinked', `${from} → ${to}`, why);
  }

  #freeStep(step: StepDraft, from: string): StepDraft {
    const { steps, nodes, stepPlaces } = this.#index;
    const ownerOf = (id: string) => nodes[steps[stepPlaces.get(id) ?? -1]?.node ?? -1]?.id;
    const gone = new Set(
      dependenciesOf(step).flatMap(({ id }) => (ownerOf(id) === from ? [id] : [])),
    );
    if (gone.size === 0) return step;
    const { after = [], ...rest } = step;
    const left = after.filter((entry) => !gone.has(typeof entry === 'string' ? entry : entry.id));
    return left.length === 0 ? rest : { ...rest, after: left };
  }
}
