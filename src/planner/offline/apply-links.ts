// Puts read order into an outline: new edges into `after`, changed ones in place, and a line for each about what moved.
import type { z } from 'zod';
import type { Dependency, StepDraft } from '#contracts/plan.ts';
import type { OutlineNode, PlanOutline } from '#contracts/planning/outline.ts';
import type { IntroducedBy } from '#contracts/planning/pattern.ts';
import type { Adaptation } from '#contracts/planning/trace.ts';
import { dependenciesOf } from '../roadmap/collect-edges.ts';
import type { OrderChange } from './read-order-change.ts';
import type { Link } from './read-timing.ts';

type By = z.infer<typeof IntroducedBy>;

/** Edits of an outline's order. Nodes are copied when they change, so that what was passed in stays as it was. */
export class OrderEditor {
  readonly #outline: PlanOutline;
  readonly #nodes: Map<string, OutlineNode>;
  /** Owner of each step that has an id. */
  readonly #owners: Map<string, string>;
  /** Whose word the next changes follow. */
  by: By = 'system';
  readonly adaptations: Adaptation[] = [];

  constructor(outline: PlanOutline) {
    this.#outline = outline;
    this.#nodes = new Map(outline.nodes.map((node) => [node.id, node]));
    this.#owners = new Map(
      outline.nodes.flatMap((node) =>
        node.steps.flatMap(({ id }): [string, string][] =>
          id === undefined ? [] : [[id, node.id]],
        ),
      ),
    );
  }

  /** The same object as before where nothing has changed. */
  get outline(): PlanOutline {
    const same = this.#outline.nodes.every((node) => this.#nodes.get(node.id) === node);
    if (same) return this.#outline;
    return { ...this.#outline, nodes: this.#outline.nodes.map(({ id }) => this.node(id)) };
  }

  node(id: string): OutlineNode {
    const node = this.#nodes.get(id);
    if (node === undefined) throw new RangeError(`The outline has no node ${id}.`);
    return node;
  }

  change(id: string, changes: Partial<OutlineNode>): void {
    this.#nodes.set(id, { ...this.node(id), ...changes });
  }

  replace(node: OutlineNode): void {
    this.#nodes.set(node.id, node);
  }

  #note(what: Adaptation['what'], node: string, why: string): void {
    this.adaptations.push({
      what,
      node: node.slice(0, 500),
      introduced_by: this.by,
      why: why.slice(0, 1000),
    });
  }

  /** Of two edges with the same ends and type the longer lag holds; one that is said anew replaces the other. */
  link({ from, to, type, lag_minutes }: Link, why: string, anew = false): void {
    const { after } = this.node(to);
    const old = after.find((one) => one.id === from && one.type === type);
    if (
      old !== undefined &&
      (anew ? old.lag_minutes === lag_minutes : old.lag_minutes >= lag_minutes)
    )
      return;
    const next: Dependency = { id: from, type, lag_minutes };
    this.change(to, {
      after: old === undefined ? [...after, next] : after.map((one) => (one === old ? next : one)),
    });
    this.#note(old === undefined ? 'linked' : 'changed', `${from} → ${to}`, why);
  }

  /** `to` waits for `from` no more, nor do its steps for those of `from`. What a step takes from another stays. */
  unlink(from: string, to: string, why: string): void {
    const node = this.node(to);
    const after = node.after.filter(({ id }) => id !== from);
    const steps = node.steps.map((step) => this.#freeStep(step, from));
    const changed =
      after.length < node.after.length || steps.some((step, at) => step !== node.steps[at]);
    if (!changed) return;
    this.change(to, { after, steps });
    this.#note('unlinked', `${from} → ${to}`, why);
  }

  #freeStep(step: StepDraft, from: string): StepDraft {
    const kept = dependenciesOf(step).filter(({ id }) => this.#owners.get(id) !== from);
    if (kept.length === (step.after?.length ?? 0)) return step;
    const ids = new Set(kept.map(({ id }) => id));
    const { after = [], ...rest } = step;
    const left = after.filter((entry) => ids.has(typeof entry === 'string' ? entry : entry.id));
    return left.length === 0 ? rest : { ...rest, after: left };
  }

  /** Each takes the other's place in the order. */
  #swap([a, b]: [string, string], why: string): void {
    const other = new Map([
      [a, b],
      [b, a],
    ]);
    // Order between steps of different nodes is said of the nodes, so that it can change places with them.
    this.#liftSteps();
    const [left, right] = [this.node(a), this.node(b)];
    for (const { id } of this.#outline.nodes) {
      const node = this.node(id);
      const source = id === a ? right : id === b ? left : node;
      const touched = source !== node || node.after.some((one) => other.has(one.id));
      if (!touched) continue;
      const after = source.after.map((one) => ({ ...one, id: other.get(one.id) ?? one.id }));
      this.#nodes.set(id, { ...node, after });
    }
    this.#note('moved', `${a} ↔ ${b}`, why);
  }

  #liftSteps(): void {
    for (const { id } of this.#outline.nodes) {
      const node = this.node(id);
      for (const step of node.steps) {
        for (const { id: before, type, lag_minutes } of dependenciesOf(step)) {
          const from = this.#owners.get(before);
          if (from === undefined || from === id) continue;
          const known = this.node(id).after.some((one) => one.id === from && one.type === type);
          if (!known)
            this.change(id, { after: [...this.node(id).after, { id: from, type, lag_minutes }] });
        }
      }
      const steps = node.steps.map((step) => this.#keepInside(step, id));
      if (steps.some((step, at) => step !== node.steps[at])) this.change(id, { steps });
    }
  }

  #keepInside(step: StepDraft, owner: string): StepDraft {
    const { after, ...rest } = step;
    if (after === undefined) return step;
    const kept = after.filter((entry) => {
      const from = this.#owners.get(typeof entry === 'string' ? entry : entry.id);
      return from === undefined || from === owner;
    });
    if (kept.length === after.length) return step;
    return kept.length === 0 ? rest : { ...rest, after: kept };
  }

  apply(change: OrderChange, why: string): void {
    switch (change.kind) {
      case 'link':
        for (const link of change.links) {
          this.unlink(link.to, link.from, why);
          this.link(link, why, true);
        }
        return;
      case 'unlink':
        for (const from of change.nodes)
          for (const to of change.nodes) if (from !== to) this.unlink(from, to, why);
        return;
      case 'free':
        for (const from of change.from) this.unlink(from, change.node, why);
        return;
      case 'swap':
        this.#swap(change.nodes, why);
        return;
      default:
        change satisfies never;
    }
  }
}
