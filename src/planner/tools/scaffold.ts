// scaffold: parts named by the model, planned one by one, assembled.
import { z } from 'zod';
import { passCrashPoint } from '#domain/crash-points.ts';
import { askedQuestion } from '#domain/planning/asked-question.ts';
import { limitOf } from '#domain/planning/outline.ts';
import { isPartRun, ScaffoldPart } from '#domain/planning/part.ts';
import type { SessionRead } from '#domain/planning/state.ts';
import { quoteWords } from '#domain/shown-text.ts';
import { toJson } from '#domain/text.ts';
import { countOf, shorten } from '#domain/words.ts';
import { digraphOf, findCycle } from '#graph/digraph.ts';
import { defineTool } from '../define-tool.ts';
import { type Assembled, assembleParts } from '../parts/assemble-parts.ts';
import type { EndedPart } from '../ports.ts';
import { fail, type ToolContext, type ToolOutcome } from '../tool.ts';
import { describeBudgetStop } from './describe-progress.ts';
import { draftDefaults, keepEdit, openDraft } from './draft-tool.ts';

export const scaffoldTool = 'scaffold';

const names = z.array(z.string());
const Scaffold = z.strictObject({
  parts: z.array(
    z.strictObject({
      id: z.string().describe('short and unique: letters, digits, - and _'),
      title: z.string(),
      goal: z.string().describe('what its planner has to know, and what is true once it is done'),
      inputs: names.optional().describe('what it takes from other parts, such as files'),
      outputs: names.optional().describe('what other parts take from it'),
      after: names.optional().describe('ids of parts that come before it'),
    }),
  ),
});
const ScaffoldInput = z.looseObject({
  parts: z.array(
    z.looseObject({
      id: z.union([z.string(), z.number()]),
      title: z.string(),
      goal: z.string(),
      inputs: names.nullish(),
      outputs: names.nullish(),
      after: names.nullish(),
    }),
  ),
});

const maxParts = 500;
const maxProblems = 20;

/** @param groups IDs that parts may come after */
function checkScaffold(parts: ScaffoldPart[], groups: ReadonlySet<string>): string[] {
  if (parts.length === 0) return ['The scaffold has no parts.'];
  if (parts.length > maxParts)
    return [`The scaffold has ${parts.length} parts; ${maxParts} are the most. Make larger parts.`];
  const places = new Map(parts.map(({ id }, place) => [id, place]));
  const problems: string[] = [];
  const seen = new Set<string>();
  for (const { id, after } of parts) {
    // Step IDs begin with it, in texts as {{id/path}}.
    if (!/^[\p{L}\p{N}_.-]+$/u.test(id))
      problems.push(`Part ${quoteWords(id, 200)}: an id has letters, digits, - and _ only.`);
    if (seen.size === seen.add(id).size) problems.push(`Two parts have the id ${id}.`);
    for (const before of after) {
      if (before === id) problems.push(`Part ${id} comes after itself.`);
      else if (!places.has(before) && !groups.has(before))
        problems.push(`Part ${id} comes after ${before}, which does not exist.`);
    }
  }
  if (problems.length > 0) return problems.slice(0, maxProblems);
  const arrows = parts.flatMap(({ after }, to) =>
    after.flatMap((id) => {
      const from = places.get(id);
      return from === undefined ? [] : [{ from, to }];
    }),
  );
  const circle = findCycle(digraphOf(parts.length, arrows));
  if (circle === null) return [];
  const names = circle.slice(0, 10).flatMap((place) => parts[place]?.id ?? []);
  return [`The parts ${names.join(', ')} wait for each other.`];
}

function readParts(given: z.infer<typeof ScaffoldInput>): ScaffoldPart[] | { problems: string[] } {
  const parts = given.parts.map(({ id, title, goal, inputs, outputs, after }) => ({
    id: String(id).trim(),
    title: title.trim(),
    goal,
    inputs: inputs ?? [],
    outputs: outputs ?? [],
    after: [...new Set(after)],
  }));
  const read = z.array(ScaffoldPart).safeParse(parts);
  if (read.success) return read.data;
  const problems = read.error.issues.map(
    ({ path: [at, ...rest], message }) =>
      `Part ${parts[Number(at)]?.id ?? String(at)}: ${rest.join('.')}: ${message}.`,
  );
  return { problems: problems.slice(0, 20) };
}

/** A person decides on calls beyond the ceiling. */
function holdForBudget(
  { state, policy }: ToolContext,
  progress: string,
  ended: EndedPart[],
): Partial<ToolOutcome> {
  const partsUsd = ended.reduce((sum, { cost_usd }) => sum + cost_usd, 0);
  const spent = { ...state, cost_usd: state.cost_usd + partsUsd };
  // Only the plan's own limit is named.
  const isOwn = ended.some(({ status, message }) => status === 'held' && message !== null);
  const limit = isOwn && state.outline !== null ? limitOf(state.outline) : undefined;
  const text = `${progress} ${describeBudgetStop(spent, policy, limit)}`;
  return {
    changes: {
      result: { kind: 'question', text, questions: [askedQuestion(text)] },
      pause: { kind: 'budget', resume: state.stage, gate: null, digest: null },
      reason: 'the soft ceiling of a turn would be passed while planning parts',
    },
    ends: 'needs_clarification',
  };
}

/** Later turns can plan these. */
function rememberMissing({ now }: ToolContext, missing: Assembled['missing']): SessionRead {
  const parts = missing.map(({ part, why }) => ({ ...part, why: shorten(why, 300) }));
  const data = toJson({ not_in_the_draft: parts });
  return { operation: scaffoldTool, args: {}, data, at: now.toISOString() };
}

async function conclude(toolContext: ToolContext, ended: EndedPart[]): Promise<ToolOutcome> {
  const { edited, missing } = assembleParts(openDraft(toolContext), ended);
  const count = ended.length - missing.length;
  const sentence = `${count} of ${countOf(ended.length, 'part')} planned.`;
  const lost = missing.map(
    ({ part, why }) => `Part ${part.id} is not in the draft: ${shorten(why, 500)}`,
  );
  const outcome: ToolOutcome = {
    ...(count === 0
      ? { result: fail('No part could be planned.', ...lost.slice(0, 20)) }
      : await keepEdit(edited, toolContext, sentence, lost)),
    ...(missing.length === 0 ? {} : { read: rememberMissing(toolContext, missing) }),
  };
  if (!ended.some(({ status }) => status === 'held')) return outcome;
  const held = holdForBudget(toolContext, sentence, ended);
  return { ...outcome, ...held, changes: { ...outcome.changes, ...held.changes } };
}

async function planParts(
  given: z.infer<typeof ScaffoldInput>,
  toolContext: ToolContext,
): Promise<ToolOutcome> {
  const { state, tools, user, report, signal } = toolContext;
  const { run_id: runId, turn } = state;
  if (tools.parts === null || isPartRun(runId))
    return { result: fail('There are no further planners here. Write the steps with add_steps.') };
  const parts = readParts(given);
  if ('problems' in parts) return { result: fail(...parts.problems) };
  const groups = new Set(state.outline?.nodes.map(({ id }) => id));
  const problems = checkScaffold(parts, groups);
  if (problems.length > 0) return { result: fail(...problems) };
  const ended = await tools.parts.plan({ runId, turn, user }, parts, report, signal);
  const outcome = conclude(toolContext, ended);
  passCrashPoint('parts_assembled');
  return outcome;
}

export const scaffold = defineTool({
  ...draftDefaults,
  name: scaffoldTool,
  description:
    'Plans in two layers: name the parts, and a planner of its own plans each of them into steps. Returns when all are planned. A part that is there already is planned again.',
  prerequisites: [],
  input: ScaffoldInput,
  shown: Scaffold,
  waits: true,
  isOffered: (_, { planning_mode }) => planning_mode === 'extensive',
  execute: planParts,
});
