// for_each: a step per listed item, in named partitions.
import type { z } from 'zod';
import { partitionSizeOf } from '#domain/plan/modes.ts';
import type { StepDraft } from '#domain/plan/step-content.ts';
import type { OutlineGap, PlanOutline } from '#domain/planning/outline.ts';
import { quoteWords } from '#domain/shown-text.ts';
import { isSliceOver, nextTurn } from '#domain/slices.ts';
import { type Json, JsonObject, toJson } from '#domain/text.ts';
import { type OperationSpec, operationName } from '#domain/tool.ts';
import { countOf, listOf, shorten } from '#domain/words.ts';
import { defineTool, readerOf } from '../define-tool.ts';
import { checkStep } from '../draft/check-draft.ts';
import { addGroup, type Edited, withGaps } from '../draft/edit-draft.ts';
import { partitionSteps } from '../draft/partition-steps.ts';
import { isInSummary, summariseGroup, summaryOperations } from '../draft/summarise-group.ts';
import { createStepReader } from '../outline/written-steps.ts';
import { type Coverage, isPartial, maxItems, newCoverage, tellPart } from '../reads/list-pages.ts';
import { fail, succeed, type ToolContext, type ToolOutcome } from '../tool.ts';
import { draftDefaults, keepEdit, openDraft } from './draft-tool.ts';
import { escapeText, fill, valueAt, writeValue } from './fill-template.ts';
import { ForEach, ForEachInput, mergeGroup, Shown, WideShown } from './for-each-input.ts';
import { holds, lackingFields, listItems } from './list-items.ts';
import { Groups, maxListedGroups, Tally } from './tally-items.ts';

const maxProblems = 5;
const maxCharacters = 16_000_000;

type Expanded = StepDraft & { id: string };

/** Steps of one kind share no target. */
function targetOf({ args = {} }: StepDraft, spec: OperationSpec | undefined): string | null {
  if (spec === undefined || spec.effect === 'read') return null;
  const targets = ['path', 'to', 'destination'].map((name) => args[name]);
  return targets.find((value) => typeof value === 'string') ?? null;
}

class Expansion {
  readonly steps: Expanded[] = [];
  readonly problems: string[] = [];
  readonly values: string[] = [];
  readonly #given: ForEach;
  readonly #template: JsonObject;
  readonly #read: ReturnType<typeof createStepReader>['readNew'];
  readonly #check: ReturnType<typeof checkStep>;
  readonly #specs: Map<string, OperationSpec>;
  readonly #targets = new Map<string, number>();
  #length = 0;

  constructor(given: ForEach, { tools, state }: ToolContext) {
    this.#given = given;
    this.#template = given.step === undefined ? {} : JsonObject.parse(given.step);
    this.#read = createStepReader(tools.manifest(), state.timezone).readNew;
    this.#check = checkStep(tools);
    this.#specs = new Map(tools.manifest().map((spec) => [spec.name, spec]));
  }

  get isStopped(): boolean {
    return this.problems.length >= maxProblems;
  }

  add(item: Json, nth: number): void {
    const { id: group, partition_by } = this.#given;
    if (this.#length >= maxCharacters) {
      const long = 'The steps are too long together. Take fewer items, or a shorter template.';
      if (!this.problems.includes(long)) this.problems.unshift(long);
      return;
    }
    const lacking = new Set<string>();
    const { description, args, ...rest } = this.#template;
    const raw = {
      ...rest,
      id: `${group}-${this.steps.length + 1}`,
      description: shorten(String(fill(description ?? '', item, lacking, (text) => text)), 3000),
      args: fill(args ?? {}, item, lacking, escapeText),
      tags: [...(Array.isArray(rest.tags) ? rest.tags : []), group],
    };
    const part = partition_by === undefined ? null : valueAt(item, partition_by);
    if (part === undefined) lacking.add(partition_by ?? '');
    this.#length += JSON.stringify(raw).length;
    if (lacking.size > 0) {
      this.problems.push(
        `Item ${nth} has nothing at ${[...lacking].join(', ')}: ${shorten(JSON.stringify(item), 200)}. Take another path, or leave such items out: "where" with "is":"exists".`,
      );
      return;
    }
    const one = this.#read(JsonObject.parse(raw));
    const wrong = 'problems' in one ? one.problems : this.#check(one.step, one.step.id);
    if ('problems' in one || wrong.length > 0) {
      this.problems.push(...wrong);
      return;
    }
    const { step } = one;
    const target = targetOf(step, this.#specs.get(operationName(step.tool, step.operation)));
    const other = target === null ? undefined : this.#targets.get(target);
    if (target !== null && other !== undefined)
      this.problems.push(
        `Items ${other} and ${nth} are both for ${shorten(target, 200)}. Make it unique by a value that differs, or combine them by "group_by".`,
      );
    if (target !== null) this.#targets.set(target, nth);
    this.steps.push(step);
    if (part != null) this.values.push(writeValue(part));
  }
}

function addAll(
  given: ForEach,
  { title, totals }: { title: string; totals: string[] },
  steps: Expanded[],
  partitions: string[],
  toolContext: ToolContext,
): Edited {
  const { id, then_summarise: task, summary_path: path, phase = null, items, ...rest } = given;
  const draft = openDraft(toolContext);
  const nodes = draft.nodes.filter(
    (node) => node.steps.length === 0 || !node.steps.every((one) => isInSummary(id, one.id)),
  );
  const record = { ...rest, id, then_summarise: task, summary_path: path, phase: given.phase };
  const each = items === undefined ? { each: JsonObject.parse(toJson(record)) } : {};
  const group = addGroup(
    { ...draft, nodes },
    { id, title: shorten(title, 3000), steps, ...each },
    phase,
  );
  if (task === undefined || 'problems' in group) return group;
  const known = new Set(toolContext.tools.manifest().map(({ name }) => name));
  const missing = summaryOperations.filter((name) => !known.has(name));
  if (missing.length > 0)
    return {
      problems: [`There is no operation ${missing.join(', ')} for then_summarise. Leave that out.`],
    };
  const summary = {
    id: `${id}-summary`,
    title: `Summary of ${shorten(given.title, 2000)}`,
    steps: summariseGroup(id, partitions, { task, path, totals }),
  };
  return addGroup(group.outline, summary, phase);
}

/** Items left out, by missing field. */
type Lacking = Map<string, number>;

const gapsShown = 5;

/** Opens the plan's risks. */
function findGaps(
  node: string,
  given: ForEach,
  { coverage, lacking, steps }: { coverage: Coverage; lacking: Lacking; steps: number },
): OutlineGap[] {
  const { operation = 'the artifact' } = given;
  const title = shorten(given.title, 150);
  const gaps: OutlineGap[] = [];
  if (isPartial(coverage))
    gaps.push({
      node,
      text: `${quoteWords(title, 200)} is incomplete: ${operation} listed ${tellPart(coverage)} items. What was not listed has no step.`,
      choice: `Plan these ${steps.toLocaleString('en-US')} only`,
    });
  const { skipped } = coverage;
  if (skipped.length > 0) {
    const more = skipped.length - gapsShown;
    const rest = more > 0 ? `; and ${countOf(more, 'other')}` : '';
    gaps.push({
      node,
      text: shorten(
        `${countOf(skipped.length, 'line')} of the source of ${quoteWords(title, 200)} to look at: ${skipped.slice(0, gapsShown).join('; ')}${rest}. What could not be read has no step here; correct it and ask again.`,
        1000,
      ),
      choice: null,
    });
  }
  for (const [path, count] of lacking)
    gaps.push({
      node,
      text: `${quoteWords(title, 200)} leaves out ${countOf(count, 'item')} without ${shorten(path, 200)}, which its conditions ask for.`,
      choice: null,
    });
  return gaps;
}

const nodeOf = ({ nodes }: PlanOutline, [first]: Expanded[]): string =>
  nodes.find(({ steps }) => steps[0]?.id === first?.id)?.id ?? '';

/** `300 found`, `300 found, 12 taken`, `5,000 of at least 5,001 found` */
function tellFound(coverage: Coverage, taken: number, what: 'taken' | 'groups'): string {
  const { listed } = coverage;
  const found = isPartial(coverage) ? tellPart(coverage) : listed.toLocaleString('en-US');
  return `${found} found${taken === listed ? '' : `, ${taken.toLocaleString('en-US')} ${what}`}`;
}

/** Without a step, only answers a question. */
function tellCounts(
  given: ForEach,
  coverage: Coverage,
  counted: { totals: string[]; grouped: JsonObject[]; sample: Json[]; lacking: Lacking },
): ToolOutcome {
  const { totals, grouped, sample, lacking } = counted;
  const data = {
    found: isPartial(coverage) ? tellPart(coverage) : coverage.listed,
    totals,
    ...(given.group_by === undefined ? { first: sample } : listGroups(grouped)),
    ...(lacking.size === 0 ? {} : { lacking: Object.fromEntries(lacking) }),
    ...(coverage.skipped.length === 0 ? {} : { unread: coverage.skipped.slice(0, gapsShown) }),
  };
  const { operation, args = {} } = given;
  return {
    result: succeed(toJson(data)),
    ...(operation === undefined ? {} : { read: { operation, args, data: toJson(data) } }),
  };
}

const maxGroupsShown = 20;
const withoutItems = ({ items: _, ...group }: JsonObject): JsonObject => group;
const listGroups = (grouped: JsonObject[]) => ({
  groups: grouped.slice(0, maxGroupsShown).map(withoutItems),
  of: grouped.length,
});

async function addForEach(given: ForEach, toolContext: ToolContext): Promise<ToolOutcome> {
  const counts = given.step === undefined;
  const expansion = new Expansion(given, toolContext);
  const coverage = newCoverage();
  const lacking: Lacking = new Map();
  const tally = new Tally(given.group_by);
  const groups = given.group_by === undefined ? null : new Groups();
  const sample: Json[] = [];
  let [found, pages] = [0, 0];
  let first: Json | undefined;
  for await (const items of listItems(given, toolContext, coverage)) {
    pages += 1;
    for (const item of items) {
      found += 1;
      first ??= item;
      if (expansion.isStopped) continue;
      for (const path of lackingFields(item, given))
        lacking.set(path, (lacking.get(path) ?? 0) + 1);
      if (!holds(item, given)) continue;
      if (sample.length < 5) sample.push(item);
      tally.add(item);
      if (groups === null && !counts) expansion.add(item, found);
      else groups?.add(valueAt(item, given.group_by ?? '') ?? null, item);
      if (isSliceOver()) await nextTurn();
    }
  }
  const grouped = groups?.list((group) => holds(group, { where: given.having })) ?? [];
  if (counts)
    return tellCounts(given, coverage, {
      totals: tally.describe(maxListedGroups),
      grouped,
      sample,
      lacking,
    });
  for (const [nth, group] of grouped.entries()) {
    expansion.add(group, nth + 1);
    if (isSliceOver()) await nextTurn();
  }
  if (isSliceOver()) await nextTurn();
  const { steps, problems, values } = expansion;
  if (problems.length > 0) return { result: fail(...problems.slice(0, maxProblems)) };
  const absent = [...lacking].filter(([, count]) => count === found).map(([path]) => path);
  if (steps.length === 0)
    return {
      result: fail(
        `Found ${countOf(found, 'item')}, and none that ${given.where === undefined ? 'is there' : 'meets the conditions'}.`,
        ...(absent.length === 0 ? [] : [`None of them has ${listOf(absent)}.`]),
        ...(first === undefined ? [] : [`The first: ${shorten(JSON.stringify(first), 300)}`]),
        ...coverage.skipped.slice(0, maxProblems),
      ),
    };
  if (steps.length > maxItems)
    return {
      result: fail(
        `There are ${steps.length} items; a plan takes ${maxItems} of one kind. Narrow them down with "where".`,
      ),
    };
  const { modes } = toolContext;
  const parted = partitionSteps(given.id, steps, given.partition_by === undefined ? null : values, {
    size: partitionSizeOf(modes.reasoning_level),
    always: modes.planning_mode === 'extensive',
  });
  if ('problem' in parted) return { result: fail(parted.problem) };
  const { partitions } = parted;
  const title = `${given.title} (${tellFound(coverage, steps.length, groups === null ? 'taken' : 'groups')})`;
  const totals = tally.describe();
  const added = addAll(given, { title, totals }, steps, partitions, toolContext);
  const gaps =
    'problems' in added
      ? []
      : findGaps(nodeOf(added.outline, steps), given, { coverage, lacking, steps: steps.length });
  const edited =
    'problems' in added
      ? added
      : { outline: withGaps(added.outline, [...(added.outline.gaps ?? []), ...gaps]) };
  const where =
    partitions.length === 0
      ? ''
      : ` in ${countOf(partitions.length, 'partition')}, ${partitions[0]} to ${partitions.at(-1)}`;
  const taken = steps.length === found ? 'all of them' : steps.length.toLocaleString('en-US');
  const sentence = `Found ${countOf(found, 'item')}${pages > 1 ? ` on ${countOf(pages, 'page')}` : ''}, ${taken} taken: steps ${given.id}-1 to ${given.id}-${steps.length}${where}. First: ${shorten(steps[0]?.description ?? '', 200)}. Last: ${shorten(steps.at(-1)?.description ?? '', 200)}.${given.then_summarise === undefined ? '' : ` The summary follows in ${given.id}-summary, with the totals that code counted above it.`}`;
  const advice = isPartial(coverage)
    ? [
        'Narrow it down so that everything is listed (a folder, a filter, "paging"); otherwise the person is asked when you submit.',
      ]
    : [];
  const sentences = [sentence, ...gaps.map(({ text }) => text), ...advice].join(' ');
  const outcome = await keepEdit(edited, toolContext, sentences);
  const shown = groups === null ? sample : grouped.slice(0, 5).map(withoutItems);
  const listed = tally.describe(maxListedGroups);
  const data = { found, taken: steps.length, first: shown, totals: listed };
  // The request for the artifact has read it.
  const { operation, args: asked = {} } = given;
  return operation === undefined ? outcome : { ...outcome, read: { operation, args: asked, data } };
}

const whole = readerOf(ForEach);

async function changeOrAdd(
  input: z.infer<typeof ForEachInput>,
  toolContext: ToolContext,
): Promise<ToolOutcome> {
  const change = JsonObject.parse(input);
  const { each } = toolContext.state.outline?.nodes.find(({ id }) => id === input.id) ?? {};
  const read = whole(each === undefined ? change : mergeGroup(each, change));
  if ('problems' in read) return { result: fail(...read.problems) };
  const outcome = await addForEach(read.input, toolContext);
  const kept = Object.keys(each ?? {}).filter((key) => !Object.hasOwn(change, key));
  if (!outcome.result.ok || kept.length === 0) return outcome;
  const explanations = [...outcome.result.explanations, `Kept of the group: ${listOf(kept)}.`];
  return { ...outcome, result: { ...outcome.result, explanations } };
}

export const forEach = defineTool({
  ...draftDefaults,
  name: 'for_each',
  description:
    'Adds a step for each item that a read lists; code pages, filters and sums. Without "step" it only counts and sums. Of a group that is there: its id and what changes, null removes.',
  prerequisites: [],
  input: ForEachInput,
  shown: Shown,
  wide: WideShown,
  quotes: true,
  execute: changeOrAdd,
});
