// Narrowing changes on random plans, judged by an oracle that runs plans on labels
// instead of data and knows nothing of how changes are classified.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Edge } from '#db/steps/steps.ts';
import type { Dependency } from '#domain/plan/dependency.ts';
import type { Step } from '#domain/plan/plan.ts';
import type { Json, JsonObject } from '#domain/text.ts';
import { classifyPatch } from '#plans/change/classify.ts';
import type { Near } from '#plans/change/flows.ts';
import type { PatchEffect, VersionStep } from '#plans/change/patch-effect.ts';
import { following, makeStep } from '../../fixtures/plans.ts';

const files = ['public.txt', 'payroll.txt', 'ledger.txt'];
const groups = ['letters', 'files'];
const isHuman = ({ tool }: Step) => tool === 'human';
const isSink = ({ tool, operation }: Step) => operation === 'write' || tool === 'chat';

type Ran = { labels: Set<string>; asked: Set<string> };

function sourceOf(value: Json | undefined): string | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && '$from' in value
    ? String(value.$from)
    : null;
}

/** Transitive. */
function askedBefore(step: Step, byId: ReadonlyMap<string, Step>): Set<string> {
  const asked = new Set(step.ask_before ? [`before ${step.id}`] : []);
  const met = new Set<string>();
  const open = [...step.after];
  for (let edge = open.pop(); edge !== undefined; edge = open.pop()) {
    const before = byId.get(edge.id);
    if (before === undefined || met.has(before.id)) continue;
    met.add(before.id);
    if (isHuman(before)) asked.add(before.id);
    open.push(...before.after);
  }
  return asked;
}

/** Runs one step at a time, the most urgent that may begin first. @param holds whether conditions hold */
function run(plan: Step[], holds: boolean): Map<string, Ran> {
  const byId = new Map(plan.map((step) => [step.id, step]));
  const world = new Map(files.map((path) => [path, new Set(path === 'public.txt' ? [] : [path])]));
  const outputs = new Map<string, Set<string>>();
  const endedAt = new Map<string, number>();
  const ran = new Map<string, Ran>();
  const startOf = (step: Step): number => {
    const ends = step.after
      .filter(({ id }) => byId.has(id))
      .map(({ id, lag_minutes }) => (endedAt.get(id) ?? Number.POSITIVE_INFINITY) + lag_minutes);
    const earliest = Number(step.not_before ?? 0);
    return Math.max(0, earliest, ...ends) + (step.ask_before ? 50 : 0);
  };
  const left = new Set(plan);
  while (left.size > 0) {
    const [step] = [...left].sort(
      (a, b) => startOf(a) - startOf(b) || b.priority - a.priority || a.position - b.position,
    );
    if (step === undefined) break;
    left.delete(step);
    const { id, args, after } = step;
    const content = args.content ?? args.text;
    const source = sourceOf(content);
    const isSkipped = (step.when.length > 0 && !holds) || (source !== null && !outputs.has(source));
    endedAt.set(id, startOf(step));
    if (isSkipped) continue;
    const decided = JSON.stringify(args).includes('$decide');
    const taken = after
      .filter(({ id: one }) => decided || byId.get(one)?.partition === args.partition)
      .map(({ id: one }) => outputs.get(one));
    const path = String(args.path);
    const data = new Set<string>();
    const takes =
      step.tool === 'draft' || decided
        ? taken
        : step.operation === 'read'
          ? [world.get(path)]
          : [source === null ? undefined : outputs.get(source)];
    for (const labels of takes) for (const label of labels ?? []) data.add(label);
    outputs.set(id, data);
    if (step.operation === 'write') world.set(path, data);
    if (isSink(step) || isHuman(step))
      ran.set(id, { labels: data, asked: askedBefore(step, byId) });
  }
  return ran;
}

function findUnapproved(approved: Step[], now: Step[]): string[] {
  return [true, false].flatMap((holds) => {
    const [was, is] = [run(approved, holds), run(now, holds)];
    const people = approved.filter(isHuman).filter(({ id }) => was.has(id) && !is.has(id));
    return [
      ...people.map(({ id }) => `${id} is not asked`),
      ...[...is].flatMap(([id, { labels, asked }]) => {
        const before = was.get(id);
        if (before === undefined) return [`${id} runs`];
        return [
          ...[...labels].filter((one) => !before.labels.has(one)).map((one) => `${one} → ${id}`),
          ...[...before.asked]
            .filter((one) => !asked.has(one))
            .map((one) => `${id} without ${one}`),
        ];
      }),
    ];
  });
}

const index = fc.nat({ max: 20 });
const Kind = fc.constantFrom(
  ...([
    'read',
    'read',
    'write',
    'copy',
    'gather',
    'gather',
    'decide',
    'post',
    'post',
    'confirm',
  ] as const),
);
const Made = fc.record({
  kind: Kind,
  path: fc.constantFrom(...files),
  after: fc.array(index, { maxLength: 3 }),
  source: index,
  partition: fc.constantFrom(null, ...groups),
  priority: fc.nat({ max: 2 }),
  not_before: fc.constantFrom(null, '1', '2'),
});
const Change = fc.record({
  field: fc.constantFrom(
    'partition',
    'partition',
    'partition',
    'priority',
    'not_before',
    'after',
    'lag',
    'remove',
    'when',
    'ask_before',
    'fewer',
  ),
  step: index,
  other: index,
  partition: fc.constantFrom('letters', ...groups, null),
  number: fc.nat({ max: 9 }),
});
type Change = typeof Change extends fc.Arbitrary<infer T> ? T : never;

function makePlan(made: (typeof Made extends fc.Arbitrary<infer T> ? T : never)[]): Step[] {
  const plan: Step[] = [];
  for (const [n, { kind, path, after, source, ...rest }] of made.entries()) {
    const earlier = (at: number) => (n === 0 ? [] : [`s${n - 1 - (at % Math.min(n, 3))}`]);
    const [from] = earlier(source);
    const waits = new Set(after.flatMap(earlier));
    const reference = from === undefined ? 'text' : { $from: from, path: '' };
    const taking = (args: JsonObject) => {
      if (from !== undefined) waits.add(from);
      return args;
    };
    const calls: Record<typeof kind, () => Partial<Step>> = {
      read: () => ({ operation: 'read', effect: 'read', args: { path } }),
      write: () => ({ args: { path, content: 'text' } }),
      copy: () => ({ args: taking({ path, content: reference }) }),
      gather: () => ({ tool: 'draft', operation: 'gather', args: { partition: 'letters' } }),
      decide: () => ({ args: { path, content: { $decide: 'it' } } }),
      post: () => ({ tool: 'chat', operation: 'post', args: taking({ text: reference }) }),
      confirm: () => ({ tool: 'human', operation: 'confirm', args: { question: '?' } }),
    };
    const id = `s${n}`;
    const call = calls[kind]();
    plan.push(makeStep(id, { ...rest, position: n + 1, ...call, after: following(...waits) }));
  }
  return plan;
}

const edgesOf = (plan: Step[]): Edge[] =>
  plan.flatMap(({ position, after }) =>
    after.flatMap(({ id, type, lag_minutes }) => {
      const predecessor = plan.find((step) => step.id === id)?.position;
      return predecessor === undefined
        ? []
        : [{ predecessor, successor: position, type, lag_minutes }];
    }),
  );

function nearOf(plan: Step[]): Near {
  const steps = plan.map((step) => ({
    ...step,
    open: JSON.stringify(step.args).includes('"$'),
    conditional: step.when.length > 0,
  }));
  const readers = plan.flatMap(({ id, args: { partition } }) =>
    typeof partition === 'string' ? [{ name: id, partition, tag: null }] : [],
  );
  return { steps, edges: edgesOf(plan), readers, held: [], cut: false };
}

function changeOf(plan: Step[], { field, step: at, other, partition, number }: Change) {
  const step = plan[at % plan.length];
  const second = plan[other % plan.length];
  if (step === undefined || second === undefined) return null;
  const earlier = second.position < step.position && second !== step;
  const edge: Dependency = { id: second.id, type: 'FS', lag_minutes: 0 };
  const [first, ...fewer] = step.after;
  const condition = { step: second.id, path: '', is: 'exists' as const };
  switch (field) {
    case 'partition':
      return { step, now: { ...step, partition } };
    case 'priority':
      return { step, now: { ...step, priority: number } };
    case 'not_before':
      return { step, now: { ...step, not_before: `${number}` } };
    case 'after':
      if (!earlier || step.after.some(({ id }) => id === second.id)) return null;
      return { step, now: { ...step, after: [...step.after, edge] } };
    case 'lag':
      if (first === undefined) return null;
      return { step, now: { ...step, after: [{ ...first, lag_minutes: number }, ...fewer] } };
    case 'fewer':
      return first === undefined ? null : { step, now: { ...step, after: fewer } };
    case 'when':
      if (!step.after.some(({ id }) => id === second.id)) return null;
      return { step, now: { ...step, when: [...step.when, condition] } };
    case 'ask_before':
      return { step, now: { ...step, ask_before: true } };
    case 'remove':
      return plan.some(({ after }) => after.some(({ id }) => id === step.id))
        ? null
        : { step, now: null };
    default:
      return field satisfies never;
  }
}

/** Null if the change waits for an approval. */
function narrow(plan: Step[], change: Change): Step[] | null {
  const found = changeOf(plan, change);
  if (found === null) return null;
  const { step, now } = found;
  const final: VersionStep | null = now;
  const effect: PatchEffect = {
    added: [],
    changed:
      final === null ? [] : [{ position: step.position, before: step, now: final, args_by: null }],
    removed: final === null ? [step] : [],
    replaced: new Map(),
    names: new Map(),
    edgesAdded: [],
    edgesRemoved: [],
    rerun: [],
    invalidated: [],
    series: [],
    expanded: new Set(),
  };
  if (classifyPatch(effect, new Set(), nearOf(plan)).length > 0) return null;
  return plan.flatMap((one) => (one === step ? (now ?? []) : one));
}

const plans = fc.array(Made, { minLength: 3, maxLength: 7 }).map(makePlan);

test('no number of changes that narrow lets through what was not approved', () => {
  let applied = 0;
  fc.assert(
    fc.property(plans, fc.array(Change, { minLength: 1, maxLength: 6 }), (approved, changes) => {
      let plan = approved;
      for (const change of changes) {
        const next = narrow(plan, change);
        if (next === null) continue;
        plan = next;
        applied += 1;
      }
      expect(findUnapproved(approved, plan)).toEqual([]);
    }),
    { numRuns: 5000 },
  );
  expect(applied).toBeGreaterThan(2000);
});

test('the oracle sees a secret that comes into a gatherer, an order that was turned, and a gate that was lost', () => {
  const read = makeStep('r', { operation: 'read', effect: 'read', args: { path: 'payroll.txt' } });
  const gather = makeStep('g', {
    tool: 'draft',
    args: { partition: 'letters' },
    after: following('r'),
  });
  const post = makeStep('p', {
    tool: 'chat',
    operation: 'post',
    args: { text: { $from: 'g', path: '' } },
    after: following('g', 'h'),
  });
  const ask = makeStep('h', { tool: 'human', operation: 'confirm', args: {} });
  const plan = [read, gather, ask, post];
  expect(findUnapproved(plan, plan)).toEqual([]);
  const regrouped = [{ ...read, partition: 'letters' }, gather, ask, post];
  expect(findUnapproved(plan, regrouped)).toContain('payroll.txt → p');
  const alone = [read, gather, { ...post, after: following('g') }];
  expect(findUnapproved(plan, alone)).toContain('p without h');
});
