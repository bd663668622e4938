// Validates a draft before a person sees it.
import { pinSteps, postTargetOf } from '#domain/chat/post-target.ts';
import { findMalformed, openArguments } from '#domain/plan/arguments.ts';
import { conditionsOf } from '#domain/plan/condition.ts';
import type { PlanDraft } from '#domain/plan/plan.ts';
import { predecessorsOf, type StepDraft } from '#domain/plan/step-content.ts';
import type { PlanOutline } from '#domain/planning/outline.ts';
import { quoteWords } from '#domain/shown-text.ts';
import { isSliceOver, mapInSlices, nextTurn } from '#domain/slices.ts';
import type { JsonObject } from '#domain/text.ts';
import type { OperationSpec } from '#domain/tool.ts';
import { digraphOf, findCycle } from '#graph/digraph.ts';
import { ReferenceChecker } from '#tools/check-reference.ts';
import type { PlannerTools, PostTarget } from '../ports.ts';
import type { ToolContext } from '../tool.ts';

const maxProblems = 20;

const idsOf = (steps: StepDraft[]) => steps.map(({ id }, index) => id ?? String(index + 1));

/** @returns problems as sentences */
export async function checkDraft(draft: PlanDraft, tools: PlannerTools): Promise<string[]> {
  if (draft.steps.length === 0 && (draft.series ?? []).length === 0)
    return ['The plan has no steps.'];
  const manifest = new Map(
    tools.manifest().map((spec) => [`${spec.tool}\n${spec.operation}`, spec]),
  );
  const ids = idsOf(draft.steps);
  const known = new Set(ids);
  const problems: string[] = [];
  const check = checkStep(tools);
  if (known.size < ids.length) {
    const seen = new Set<string>();
    const twice = ids.find((id) => seen.size === seen.add(id).size);
    problems.push(`Two steps have the id ${twice}.`);
  }
  for (const [index, step] of draft.steps.entries()) {
    if (problems.length >= maxProblems) break;
    if (isSliceOver()) await nextTurn();
    const id = ids[index] ?? String(index + 1);
    const own = check(step, id);
    problems.push(...own);
    if (own.length === 0) problems.push(...checkOrder(step, id, known));
  }
  for (const steps of [draft.steps, ...(draft.series ?? []).map((series) => series.steps)])
    if (problems.length === 0) problems.push(...(await checkReferences(steps, manifest)));
  if (problems.length === 0) {
    const circle = findCircle(draft.steps, ids);
    if (circle !== null)
      problems.push(
        `The steps ${circle.join(', ')} wait for each other. Take one of their "after" away.`,
      );
  }
  return problems.slice(0, maxProblems);
}

export function checkStep(tools: PlannerTools): (step: StepDraft, id: string) => string[] {
  const manifest = new Map(
    tools.manifest().map((spec) => [`${spec.tool}\n${spec.operation}`, spec]),
  );
  return (step, id) => {
    const spec = manifest.get(`${step.tool}\n${step.operation}`);
    if (!spec) {
      const name = step.tool === step.operation ? step.tool : `${step.tool}_${step.operation}`;
      return [
        `Step ${id}: there is no operation ${name}. Use only operations that are listed, or find one with search_operations.`,
      ];
    }
    const args = step.args ?? {};
    const malformed = findMalformed(args);
    if (malformed.length > 0) return malformed.map((reason) => `Step ${id}: ${reason}.`);
    const later = openArguments(args);
    const literal = Object.fromEntries(
      Object.entries(args).filter(([name]) => !later.includes(name)),
    );
    return [
      ...(spec.effect === 'read' ? [] : findCut(args)),
      ...tools.validate(spec.name, literal, later),
      ...findPoolProblems(step, tools.capacity?.pools ?? {}),
    ].map((problem) => `Step ${id}: ${problem}`);
  };
}

const cutMark = /\[cut: the first \d{1,12} of \d{1,12} characters\]|… \(\d{1,12} more characters\)/;

/** A change must not build on cut text; `find` may. */
function findCut({ find: _, ...args }: JsonObject): string[] {
  return cutMark.test(JSON.stringify(args))
    ? ['It writes a text that was cut when it was read. Use workspace_edit or workspace_copy.']
    : [];
}

/** Such a step would wait forever. */
function findPoolProblems({ resources = {} }: StepDraft, pools: Record<string, number>): string[] {
  const names = Object.keys(pools);
  if (names.length === 0) return [];
  return Object.entries(resources).flatMap(([name, amount]) => {
    const limit = Object.hasOwn(pools, name) ? pools[name] : undefined;
    if (limit === undefined)
      return [`There is no resource pool ${name}. There are ${names.join(', ')}.`];
    return amount > limit ? [`It needs ${amount} of ${name}, and there are ${limit}.`] : [];
  });
}

function checkOrder(step: StepDraft, id: string, known: Set<string>): string[] {
  return [...new Set(predecessorsOf(step))].flatMap((before) => {
    if (before === id) return [`Step ${id} waits for itself.`];
    return known.has(before) ? [] : [`Step ${id} refers to step ${before}, which does not exist.`];
  });
}

async function checkReferences(
  steps: StepDraft[],
  manifest: Map<string, OperationSpec>,
): Promise<string[]> {
  const ids = idsOf(steps);
  const checker = new ReferenceChecker();
  const specs = steps.map(({ tool, operation }) => manifest.get(`${tool}\n${operation}`));
  const places = new Map(ids.map((id, index) => [id, index]));
  const producerOf = (id: string) => {
    const spec = specs[places.get(id) ?? -1];
    return spec?.output === undefined ? null : { id, operation: spec.name, output: spec.output };
  };
  const found = await mapInSlices(steps, ({ args = {}, when }, index) => {
    const conditions = conditionsOf(when).flatMap(({ step, path }) => {
      const problem = checker.checkPath(path, producerOf(step));
      return problem === null ? [] : [`Step ${ids[index]}: its condition ${problem}.`];
    });
    const input = specs[index]?.input;
    if (input === undefined) return conditions;
    const references = checker
      .check(args, input, producerOf)
      .map((problem) => `Step ${ids[index]}: ${problem}.`);
    return [...conditions, ...references];
  });
  return found.flat();
}

function findCircle(steps: StepDraft[], ids: string[]): string[] | null {
  const places = new Map(ids.map((id, place) => [id, place]));
  const arrows = steps.flatMap((step, to) =>
    predecessorsOf(step).flatMap((id) => {
      const from = places.get(id);
      return from === undefined ? [] : [{ from, to }];
    }),
  );
  const circle = findCycle(digraphOf(steps.length, arrows));
  return circle?.slice(0, 10).flatMap((place) => ids[place] ?? []) ?? null;
}

const maxNamed = 5;

/** `slack-1a2b… (“Close T-305”)` */
export function nameTarget({ conversation, about }: PostTarget): string {
  return `${conversation} (${quoteWords(about, 60)})`;
}

export async function checkPosts(
  steps: StepDraft[],
  { tools, state }: Pick<ToolContext, 'tools' | 'state'>,
): Promise<Map<string, string>> {
  const { posts } = tools;
  const named = steps.flatMap((step) => {
    const target = postTargetOf(step);
    return target === null ? [] : [{ id: step.id ?? '', target }];
  });
  if (posts === null || named.length === 0) return new Map();
  const targets = [...new Set(named.map(({ target }) => target))];
  const resolved = await posts.resolve(state.run_id, targets);
  if ([...resolved.values()].every((one) => 'pinned' in one)) return new Map();
  const reachable = await posts.list(state.run_id);
  return new Map(
    named.flatMap(({ id, target }) => {
      const found = resolved.get(target);
      if (found === undefined || 'pinned' in found) return [];
      const others = reachable.slice(0, maxNamed).map(nameTarget);
      const instead =
        others.length === 0 ? '' : ` This plan can also post in ${others.join(', ')}.`;
      return [[id, `Step ${id}: ${found.refusal}${instead}`] as const];
    }),
  );
}

export async function pinPosts(
  nodes: PlanOutline['nodes'],
  { tools, state }: Pick<ToolContext, 'tools' | 'state'>,
): Promise<PlanOutline['nodes']> {
  const targets = nodes.flatMap(({ steps }) => steps.flatMap((step) => postTargetOf(step) ?? []));
  if (tools.posts === null || targets.length === 0) return nodes;
  const resolved = await tools.posts.resolve(state.run_id, targets);
  return nodes.map((node) => ({ ...node, steps: pinSteps(node.steps, resolved) }));
}
