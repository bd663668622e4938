// An outline under repair; removals are spliced at once.
import { type Dependency, toDependency } from '#domain/plan/dependency.ts';
import { joinTypes } from '#domain/plan/edge-ends.ts';
import type { OutlineNode } from '#domain/planning/outline.ts';

const maxEdges = 1000;
const maxLag = 525_600;

/** The longest lag per type and node; none to itself. */
function foldEdges(edges: Dependency[], self: string): Dependency[] {
  const folded = new Map<string, Dependency>();
  for (const edge of edges) {
    if (edge.id === self) continue;
    const key = `${edge.type} ${edge.id}`;
    const known = folded.get(key);
    if (known === undefined || known.lag_minutes < edge.lag_minutes) folded.set(key, edge);
  }
  return [...folded.values()].slice(0, maxEdges);
}

function chain(first: Dependency, second: Dependency): Dependency {
  const lag = first.lag_minutes + second.lag_minutes;
  return {
    id: first.id,
    type: joinTypes(first.type, second.type),
    lag_minutes: Math.max(-maxLag, Math.min(maxLag, lag)),
  };
}

/** Dependents wait for the predecessors. @param gone dependencies of removed nodes */
export function bridgeRemoved(
  gone: ReadonlyMap<string, readonly Dependency[]>,
): (id: string, after: Dependency[]) => Dependency[] {
  const known = new Map<string, Dependency[]>();
  const before = (id: string): Dependency[] => {
    const found = known.get(id);
    if (found !== undefined) return found;
    known.set(id, []); // removed nodes in a cycle wait for nothing
    const folded = foldEdges((gone.get(id) ?? []).flatMap(through), id);
    known.set(id, folded);
    return folded;
  };
  const through = (edge: Dependency): Dependency[] =>
    gone.has(edge.id) ? before(edge.id).map((first) => chain(first, edge)) : [edge];
  return (id, after) =>
    after.some((edge) => gone.has(edge.id)) ? foldEdges(after.flatMap(through), id) : after;
}

export class OutlineEditor {
  #order: string[] = [];
  #nodes = new Map<string, OutlineNode>();
  /** Later nodes with a duplicate ID. */
  #twins = new Map<string, { node: OutlineNode; at: number }[]>();
  #twinAt = new Map<number, { node: OutlineNode }>();
  #parts = new Map<string, Set<string>>();
  #removed = new Set<string>();
  /** Keyed by the node before; '' is the front. */
  #inserted = new Map<string, string[]>();

  constructor(nodes: OutlineNode[]) {
    nodes.forEach((node, at) => {
      this.#order.push(this.#nodes.has(node.id) ? '' : node.id);
      if (this.#nodes.has(node.id)) {
        const twins = this.#twins.get(node.id) ?? [];
        const twin = { node, at };
        twins.push(twin);
        this.#twinAt.set(at, twin);
        this.#twins.set(node.id, twins);
      } else {
        this.#nodes.set(node.id, node);
        this.#hold(node);
      }
    });
  }

  #hold({ id, parent }: OutlineNode): void {
    if (parent === null) return;
    const parts = this.#parts.get(parent) ?? new Set();
    this.#parts.set(parent, parts.add(id));
  }

  get(id: string): OutlineNode | undefined {
    return this.#removed.has(id) ? undefined : this.#nodes.get(id);
  }

  change(id: string, changes: Partial<OutlineNode>): boolean {
    const node = this.get(id);
    if (node === undefined) return false;
    const changed = { ...node, ...changes };
    this.#nodes.set(id, changed);
    if (changed.parent !== node.parent) {
      if (node.parent !== null) this.#parts.get(node.parent)?.delete(id);
      this.#hold(changed);
    }
    return true;
  }

  partsOf(id: string): string[] {
    return [...(this.#parts.get(id) ?? [])].filter((part) => this.get(part) !== undefined);
  }

  insert(node: OutlineNode, behind: string | null): boolean {
    if (this.#nodes.has(node.id)) return false;
    this.#nodes.set(node.id, node);
    this.#hold(node);
    const key = behind ?? '';
    this.#inserted.set(key, [...(this.#inserted.get(key) ?? []), node.id]);
    return true;
  }

  rename(id: string, to: string): boolean {
    const twin = this.#twins.get(id)?.shift();
    if (twin === undefined || this.#nodes.has(to)) return false;
    const node = { ...twin.node, id: to };
    this.#order[twin.at] = to;
    this.#nodes.set(to, node);
    this.#hold(node);
    return true;
  }

  /** Later steps with a duplicate ID take new IDs in turn. */
  renameSteps(names: Map<string, string[]>): void {
    const seen = new Set<string>();
    const rename = (node: OutlineNode): OutlineNode => {
      if (!node.steps.some(({ id }) => id !== undefined && names.has(id))) return node;
      const steps = node.steps.map((step) => {
        if (step.id === undefined || !names.has(step.id)) return step;
        const first = !seen.has(step.id);
        seen.add(step.id);
        const next = first ? undefined : names.get(step.id)?.shift();
        return next === undefined ? step : { ...step, id: next };
      });
      return { ...node, steps };
    };
    this.#order.forEach((id, at) => {
      const node = this.#nodes.get(id);
      if (node !== undefined) this.#nodes.set(id, rename(node));
      const twin = this.#twinAt.get(at);
      if (twin !== undefined) twin.node = rename(twin.node);
    });
  }

  remove(id: string): boolean {
    const node = this.get(id);
    if (node === undefined || node.steps.length > 0) return false;
    for (const part of this.partsOf(id)) this.change(part, { parent: node.parent });
    if (node.parent !== null) this.#parts.get(node.parent)?.delete(id);
    this.#removed.add(id);
    return true;
  }

  /** Connects dependents of removed nodes to their predecessors. */
  flush(): void {
    if (this.#removed.size === 0) return;
    const gone = new Map(
      [...this.#removed].map((id) => [id, this.#nodes.get(id)?.after ?? []] as const),
    );
    const bridge = bridgeRemoved(gone);
    for (const [id, node] of this.#nodes) {
      const after = gone.has(id) ? node.after : bridge(id, node.after);
      if (after !== node.after) this.#nodes.set(id, { ...node, after });
    }
    for (const id of gone.keys()) this.#nodes.delete(id);
    this.#removed = new Set();
  }

  unlink(id: string, step: string | null, on: string, type: Dependency['type']): boolean {
    const node = this.get(id);
    if (node === undefined) return false;
    const stays = (edge: string | Dependency) => {
      const dependency = toDependency(edge);
      return dependency.id !== on || dependency.type !== type;
    };
    if (step === null) return this.change(id, { after: node.after.filter(stays) });
    const steps = node.steps.map((own) => {
      if (own.id !== step || own.after === undefined) return own;
      const { after, ...rest } = own;
      const left = after.filter(stays);
      return left.length === 0 ? rest : { ...rest, after: left };
    });
    return this.change(id, { steps });
  }

  flatten(id: string): boolean {
    const home = this.get(id)?.parent;
    if (home === undefined || home === null) return false;
    const groups = [id];
    // Grows while iterating: a group's limits reach its parts first.
    for (const group of groups) {
      const node = this.get(group);
      if (node === undefined) continue;
      const parts = this.partsOf(group);
      for (const part of parts) {
        this.#inherit(part, node);
        if (this.partsOf(part).length > 0) groups.push(part);
      }
      const ends = parts.map(toDependency);
      this.change(group, {
        after: foldEdges([...node.after, ...ends], group),
        ...(node.recurs === null ? {} : { recurs: null, rhythm: 'one_off' }),
        duration_minutes: node.steps.length === 0 ? null : node.duration_minutes,
      });
    }
    for (const group of groups) {
      for (const part of this.partsOf(group)) this.change(part, { parent: home });
    }
    const over = this.get(home)?.structure;
    for (const group of groups) {
      if (this.get(group)?.steps.length !== 0) continue;
      if (over === 'goal' || over === 'phase') this.change(group, { structure: 'milestone' });
      else this.remove(group);
    }
    return true;
  }

  /** Copies a group's constraints to a part. */
  #inherit(part: string, group: OutlineNode): void {
    const node = this.get(part);
    if (node === undefined) return;
    const starts = group.after.filter(({ type }) => type === 'FS' || type === 'SS');
    const { not_before, deadline, recurs } = group;
    const later = (one: string | null, other: string | null) =>
      one !== null && (other === null || Date.parse(one) > Date.parse(other)) ? one : other;
    const earlier = (one: string | null, other: string | null) =>
      one !== null && (other === null || Date.parse(one) < Date.parse(other)) ? one : other;
    this.change(part, {
      after: foldEdges([...node.after, ...starts], part),
      not_before: later(node.not_before, not_before),
      deadline: earlier(node.deadline, deadline),
      ...(recurs !== null && node.recurs === null ? { recurs, rhythm: 'recurring' } : {}),
    });
  }

  finish(): OutlineNode[] {
    this.flush();
    const nodes: OutlineNode[] = [];
    const put = (id: string) => {
      const node = this.#nodes.get(id);
      if (node !== undefined) nodes.push(node);
      for (const next of this.#inserted.get(id) ?? []) put(next);
    };
    for (const id of this.#inserted.get('') ?? []) put(id);
    for (const [at, id] of this.#order.entries()) {
      // Renamed twins have an ID of their own.
      const twin = id === '' ? this.#twinAt.get(at) : undefined;
      if (twin !== undefined) nodes.push(twin.node);
      else put(id);
    }
    return nodes;
  }
}
