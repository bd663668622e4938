// Models outline and roadmap for scheduling: work, the capacity it takes, and moments around parents.
import { isByClock } from '#domain/length.ts';
import { personKey } from '#domain/people/names.ts';
import { edgeEnds } from '#domain/plan/edge-ends.ts';
import type { OutlineNode, PlanOutline } from '#domain/planning/outline.ts';
import type { Roadmap } from '#domain/planning/roadmap.ts';
import type { JsonObject } from '#domain/text.ts';
import { operationName } from '#domain/tool.ts';
import type { TimedEdge, TimedNode } from '#timeline/forward-pass.ts';
import type { Interval } from '#timeline/working-time.ts';
import { type Operations, predecessorsOf, sortSteps } from '../order/durations.ts';
import { indexOutline, type OutlineIndex } from '../outline/outline-tree.ts';
import { findEnds } from '../outline/precedence.ts';
import type { BackendOffer, PlannerTools } from '../ports.ts';

/** Epoch milliseconds. */
export type WorkNode = {
  id: string;
  node: OutlineNode;
  /** Null if unstated. */
  minutes: number | null;
  person: string | null;
  own: number | null;
  /** The latest of its own and its parents'. */
  release: number | null;
};

export type PeopleOfWork = {
  operations: Operations;
  /** Default assignee. */
  user: string;
  sameAs?: ReadonlyMap<string, string>;
};

/** Unlimited if omitted. */
export type SharedCapacity = {
  pools?: Record<string, number> | undefined;
  /** Alive now. */
  backends?: BackendOffer[] | undefined;
};

export type TimeModel = {
  index: OutlineIndex;
  work: WorkNode[];
  /** `ownerOf` maps them to nodes. */
  nodes: TimedNode[];
  edges: TimedEdge[];
  capacity: Map<string, number>;
};

const mark = '\u0000';

export function ownerOf(id: string): string {
  return id.split(mark, 1)[0] ?? id;
}

/** Not a moment around parts. */
export const isOwnWork = (id: string): boolean => [ownerOf(id), ownWork(ownerOf(id))].includes(id);

/** Parents with steps have a separate ID for them. */
export function placeOfWork(
  places: ReadonlyMap<string, Interval>,
  id: string,
): Interval | undefined {
  return places.get(id) ?? places.get(ownWork(id));
}

export function buildTimeModel(
  outline: PlanOutline,
  roadmap: Pick<Roadmap, 'edges'>,
  options: PeopleOfWork & SharedCapacity & { buffer: number },
): TimeModel {
  const index = indexOutline(outline);
  const { nodes: all, children, parents, order } = index;
  const isWhole = (place: number) => (children[place]?.length ?? 0) > 0;
  const releases = new Map<number, number | null>();
  const work: WorkNode[] = [];
  const nodes: TimedNode[] = [];
  const edges: TimedEdge[] = [];
  for (const place of order) {
    const node = all[place];
    if (node === undefined) continue;
    const own = toMs(node.recurs?.starts_at ?? node.not_before);
    const above = releases.get(parents[place] ?? -1) ?? null;
    const release = latest(own, above);
    releases.set(place, release);
    if (isWhole(place)) addWhole(node, nodes, edges, own);
    if (isWhole(place) && node.steps.length === 0) continue;
    const person = findPerson(node, options);
    const item = { id: node.id, node, person, own, release, minutes: measure(index, place) };
    work.push(item);
    nodes.push({
      id: isWhole(place) ? ownWork(node.id) : node.id,
      minutes: (item.minutes ?? 0) * (person === null ? 1 : 1 + options.buffer),
      person,
      release: own,
      fixed: null,
      deadline: isWhole(place) ? null : toMs(node.deadline),
      ...holdPools(node),
    });
  }
  const slots = findSlots(work, options);
  for (const node of nodes) {
    const held = isOwnWork(node.id) ? slots.held.get(ownerOf(node.id)) : undefined;
    if (held !== undefined) node.demands = new Map([...(node.demands ?? []), ...held]);
  }
  edges.push(...hangParts(index, roadmap.edges, isWhole), ...joinNodes(index, roadmap, isWhole));
  const capacity = new Map([...Object.entries(options.pools ?? {}), ...slots.capacity]);
  return { index, work, nodes, edges, capacity };
}

const ownWork = (id: string) => `${id}${mark}work`;
const side = (id: string, name: 'open' | 'begun' | 'closing' | 'end') => `${id}${mark}${name}`;

function edge(from: string, to: string, type: TimedEdge['type'] = 'FS', lag = 0): TimedEdge {
  return { from, to, type, lag_minutes: lag };
}

/**
 * Nothing begins before `open`; at `begun` the first parts have begun; the last don't end before
 * `closing`; at `end` all is done.
 */
function addWhole(
  node: OutlineNode,
  nodes: TimedNode[],
  edges: TimedEdge[],
  release: number | null,
): void {
  const moment = { minutes: 0, person: null, release: null, fixed: null, deadline: null };
  nodes.push(
    { ...moment, id: side(node.id, 'open'), release },
    { ...moment, id: side(node.id, 'begun') },
    { ...moment, id: side(node.id, 'closing') },
    { ...moment, id: side(node.id, 'end'), deadline: toMs(node.deadline) },
  );
  if (node.steps.length > 0) {
    const own = ownWork(node.id);
    edges.push(edge(side(node.id, 'open'), own), edge(own, side(node.id, 'end')));
  }
}

/** Ties parts to their whole. */
function hangParts(
  index: OutlineIndex,
  joined: Roadmap['edges'],
  isWhole: (place: number) => boolean,
): TimedEdge[] {
  const { nodes, parents } = index;
  const { entries, exits } = findRims(index, joined);
  return nodes.flatMap((node, place) => {
    const whole = nodes[parents[place] ?? -1];
    if (whole === undefined) return [];
    const inner = isWhole(place);
    const first = inner ? side(node.id, 'begun') : node.id;
    const tied = [
      edge(side(whole.id, 'open'), inner ? side(node.id, 'open') : node.id),
      edge(inner ? side(node.id, 'end') : node.id, side(whole.id, 'end')),
    ];
    if (entries.has(place)) tied.push(edge(first, side(whole.id, 'begun'), 'SS'));
    if (exits.has(place))
      tied.push(edge(side(whole.id, 'closing'), inner ? side(node.id, 'closing') : node.id, 'FF'));
    return tied;
  });
}

/** Parts without predecessors, and without successors, inside the whole. */
function findRims(
  index: OutlineIndex,
  edges: Roadmap['edges'],
): { entries: Set<number>; exits: Set<number> } {
  const every = index.nodes.map((_, place) => place);
  const entries = new Set(every);
  const exits = new Set(every);
  for (const { from, to } of edges) {
    const pair = findSiblings(index, index.places.get(from) ?? -1, index.places.get(to) ?? -1);
    if (pair === null) continue;
    exits.delete(pair[0]);
    entries.delete(pair[1]);
  }
  return { entries, exits };
}

function findSiblings(index: OutlineIndex, a: number, b: number): [number, number] | null {
  if (a === -1 || b === -1) return null;
  const above = new Map<number, number>();
  for (let at = a, below = a; at !== -1; below = at, at = index.parents[at] ?? -1)
    above.set(at, below);
  for (let at = b, below = b; at !== -1; below = at, at = index.parents[at] ?? -1) {
    const other = above.get(at);
    if (other === undefined) continue;
    return other === at || below === at ? null : [other, below];
  }
  return null;
}

/** An edge between a whole and its part has no effect. */
function joinNodes(
  index: OutlineIndex,
  { edges }: Pick<Roadmap, 'edges'>,
  isWhole: (place: number) => boolean,
): TimedEdge[] {
  return edges.flatMap(({ from, to, type, lag_minutes }) => {
    const ends = findEnds(index, { from, to });
    if (ends === null) return [];
    const { fromFinish, toFinish } = edgeEnds[type];
    const source = isWhole(ends.from) ? side(from, fromFinish ? 'end' : 'begun') : from;
    const target = isWhole(ends.to) ? side(to, toFinish ? 'closing' : 'open') : to;
    return [edge(source, target, type, lag_minutes)];
  });
}

function findPerson(node: OutlineNode, { operations, user, sameAs }: PeopleOfWork): string | null {
  const asked = node.steps.find((step) => operations.asksPerson(step) && !isByClock(step.duration));
  if (asked === undefined) return null;
  const name = readAssignee(asked.args) ?? user;
  return sameAs?.get(name) ?? name;
}

/** One name per person: the requester's own, otherwise the first written. */
export async function unitePeople(
  { nodes }: PlanOutline,
  user: string,
  personsOf: PlannerTools['personsOf'],
): Promise<Map<string, string>> {
  const written = nodes.flatMap(({ steps }) =>
    steps.flatMap(({ args }) => readAssignee(args) ?? []),
  );
  const names = [...new Set([user, ...written])];
  const persons = await personsOf?.(names);
  const chosen = new Map<string, string>();
  return new Map(
    names.map((name) => {
      const person = personKey(persons?.get(name) ?? name);
      if (!chosen.has(person)) chosen.set(person, name);
      return [name, chosen.get(person) ?? name];
    }),
  );
}

/** The most any step holds of each pool. */
function holdPools({ steps }: OutlineNode): Pick<TimedNode, 'demands'> {
  const held = new Map<string, number>();
  for (const { resources = {} } of steps)
    for (const [pool, amount] of Object.entries(resources))
      held.set(pool, Math.max(held.get(pool) ?? 0, amount));
  return held.size === 0 ? {} : { demands: held };
}

/** The slots of each set of back ends that can run some step, if they may run out. */
function findSlots(
  work: WorkNode[],
  { operations, backends = [] }: PeopleOfWork & SharedCapacity,
): { capacity: Map<string, number>; held: Map<string, Map<string, number>> } {
  type Slots = { ids: Set<string>; room: number; nodes: Set<string> };
  const sets = new Map<string, Slots>();
  const ofKind = new Map<string, Slots>();
  function slotsFor({ tool, operation, capabilities = [] }: OutlineNode['steps'][number]): Slots {
    const name = operationName(tool, operation);
    const kind = JSON.stringify([name, ...capabilities]);
    const known = ofKind.get(kind);
    if (known !== undefined) return known;
    const found = backends.filter(
      (one) =>
        one.operations.includes(name) &&
        capabilities.every((needed) => one.capabilities.includes(needed)),
    );
    const key = mark + found.map(({ id }) => id).join(mark);
    const room = found.reduce((sum, { concurrency }) => sum + concurrency, 0);
    const set = sets.get(key) ?? {
      ids: new Set(found.map(({ id }) => id)),
      room,
      nodes: new Set(),
    };
    if (found.length > 0) sets.set(key, set);
    ofKind.set(kind, set);
    return set;
  }
  for (const { id, node, person, minutes } of work) {
    if (person !== null || !minutes) continue;
    // Waits take no slot.
    for (const step of node.steps)
      if (!operations.asksPerson(step) && step.tool !== 'control') slotsFor(step).nodes.add(id);
  }
  const capacity = new Map<string, number>();
  const held = new Map<string, Map<string, number>>();
  for (const [key, { ids, room }] of sets) {
    const inside = [...sets.values()].filter((one) => [...one.ids].every((id) => ids.has(id)));
    const nodes = new Set(inside.flatMap((one) => [...one.nodes]));
    if (nodes.size <= room) continue;
    capacity.set(key, room);
    for (const id of nodes) held.set(id, (held.get(id) ?? new Map()).set(key, 1));
  }
  return { capacity, held };
}

function readAssignee(args: JsonObject | undefined): string | null {
  const assignee = args?.assignee;
  return typeof assignee === 'string' && assignee.trim() !== '' ? assignee.trim() : null;
}

/** Stated, or the longest path if a step states a length. */
function measure(index: OutlineIndex, place: number): number | null {
  const node = index.nodes[place];
  if (node === undefined || node.duration_minutes !== null) return node?.duration_minutes ?? null;
  if (node.steps.every((step) => step.duration_minutes === undefined)) return null;
  const ends = new Map<number, number>();
  let longest = 0;
  for (const step of sortSteps(index, place)) {
    const begins = predecessorsOf(index, step).reduce(
      (most, before) => Math.max(most, ends.get(before) ?? 0),
      0,
    );
    const end = begins + (index.steps[step]?.draft.duration_minutes ?? 0);
    ends.set(step, end);
    longest = Math.max(longest, end);
  }
  return longest;
}

export function toMs(iso: string | null | undefined): number | null {
  return iso === null || iso === undefined ? null : Date.parse(iso);
}

function latest(a: number | null, b: number | null): number | null {
  return a === null ? b : b === null ? a : Math.max(a, b);
}
