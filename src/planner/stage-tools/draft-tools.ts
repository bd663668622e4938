// The draft as an artifact that the model edits in place (B4): add, change and remove steps, set times, and submit what is there.
// Every step is checked when it is written; all problems of a call come in one answer, and what was sound is kept.
import { z } from 'zod';
import { PlanDraft } from '#domain/plan/plan.ts';
import type { PlanOutline } from '#domain/planning/outline.ts';
import type { StrategyProfile } from '#domain/planning/schedule.ts';
import type { PlanningState } from '#domain/planning/state.ts';
import { isObject, type Json, JsonValue } from '#domain/text.ts';
import { countOf } from '#domain/words.ts';
import { fail, fromSchema, succeed, toJson } from '../agent/agent-tool.ts';
import { checkDraft, checkStep } from '../draft/check-draft.ts';
import { draftPlan } from '../draft/draft-plan.ts';
import { addSteps, editSteps, placeSteps, removeSteps, stepsNamed } from '../draft/edit-draft.ts';
import { findDoubts } from '../draft/self-check.ts';
import { toToolOutputs } from '../draft/session-reads.ts';
import { pageSteps } from '../draft/show-draft.ts';
import { readPreferences, readRisks, WrittenPreferences } from '../grammar/written-outline.ts';
import { createStepReader, type NewStep, writtenStepShape } from '../grammar/written-steps.ts';
import { patternOf, readFeatures } from '../patterns/fit.ts';
import { usePattern } from '../patterns/use-pattern.ts';
import type { ToolContext } from '../tools/planning-tool.ts';
import { countSteps, draftTool, keepEdit, openDraft } from './draft-tool.ts';
import { forEach } from './for-each.ts';
import { createSetSchedule } from './set-schedule.ts';
import type { StageTool } from './stage-tool.ts';

const problemsAtMost = 20;

const AddSteps = z.strictObject({
  steps: z.array(z.strictObject(writtenStepShape)),
  before: z.string().optional().describe('id of the step they go before; left out: at the end'),
});
const HeardSteps = z.looseObject({
  steps: z.union([z.array(JsonValue), z.string()]),
  before: z.string().nullish(),
});

function listSteps(steps: z.infer<typeof HeardSteps>['steps']): Json[] {
  if (typeof steps !== 'string') return steps;
  try {
    const parsed = JsonValue.parse(JSON.parse(steps));
    return Array.isArray(parsed) ? parsed : [parsed];
  } catch {
    return [steps]; // the reader says that it is no step
  }
}

/** Steps without an id get the next free number. */
function nameSteps(list: Json[], draft: PlanOutline): Json[] {
  const said = list.flatMap((step) => (isObject(step) ? String(step.id) : []));
  const taken = new Set([...placeSteps(draft).keys(), ...said]);
  let next = 1;
  return list.map((step) => {
    if (!isObject(step) || (step.id !== undefined && step.id !== null)) return step;
    while (taken.has(String(next))) next += 1;
    taken.add(String(next));
    return { ...step, id: String(next) };
  });
}

/** Reads steps one by one: what is sound, and what is wrong with the others. */
function readSteps<T extends object>(
  list: Json[],
  read: (raw: Json) => T | { problems: string[] },
) {
  const found: T[] = [];
  const problems: string[] = [];
  for (const raw of list) {
    const one = read(raw);
    if ('problems' in one) problems.push(...one.problems);
    else found.push(one);
  }
  return { found, problems };
}

const readerOf = ({ tools, state }: ToolContext) =>
  createStepReader(tools.manifest(), state.timezone);

const add = draftTool(
  'add_steps',
  'Adds steps to the draft. A long plan comes in several calls.',
  AddSteps,
  async (args, toolContext) => {
    const { steps, before } = HeardSteps.parse(args);
    const draft = openDraft(toolContext);
    const { found, problems } = readSteps(
      nameSteps(listSteps(steps), draft),
      readerOf(toolContext).readNew,
    );
    const sound: NewStep[] = [];
    const seen = new Set<string>();
    const check = checkStep(toolContext.tools);
    for (const one of found) {
      const { step } = one;
      const wrong = check(step, step.id);
      if (seen.has(step.id)) wrong.push(`Two steps have the id ${step.id}.`);
      seen.add(step.id);
      if (wrong.length > 0) problems.push(...wrong);
      else sound.push(one);
    }
    if (sound.length === 0)
      return {
        result: fail(
          ...(problems.length > 0 ? problems.slice(0, problemsAtMost) : ['No steps were given.']),
        ),
      };
    const said =
      problems.length === 0
        ? `Added ${countOf(sound.length, 'step')}.`
        : `Added ${sound.length} of ${countOf(found.length, 'step')}: all but those below. Add only those again.`;
    return keepEdit(addSteps(draft, sound, before ?? null), toolContext, said, problems);
  },
  { prerequisites: [], check: fromSchema(HeardSteps).check },
);

const { id, description, operation, args, ...others } = writtenStepShape;
const EditSteps = z.strictObject({
  steps: z.array(
    z.strictObject({
      id,
      description: description.optional(),
      operation: operation.optional(),
      args: args.optional().describe('only arguments that change; null takes one away'),
      ...others,
    }),
  ),
});

const edit = draftTool(
  'edit_steps',
  'Changes steps of the draft. Give the id and only what changes; everything else stays as it is.',
  EditSteps,
  async (given, toolContext) => {
    const { steps } = HeardSteps.parse(given);
    const { found, problems } = readSteps(listSteps(steps), readerOf(toolContext).readChange);
    if (problems.length > 0)
      return { result: fail('Nothing was changed.', ...problems.slice(0, problemsAtMost)) };
    const edited = editSteps(openDraft(toolContext), found);
    if ('problems' in edited)
      return { result: fail('Nothing was changed.', ...edited.problems.slice(0, problemsAtMost)) };
    const places = placeSteps(edited.outline);
    const check = checkStep(toolContext.tools);
    const wrong = found.flatMap(({ step }) => {
      const place = places.get(step.id);
      return place === undefined ? [] : check(place.step, step.id);
    });
    if (wrong.length > 0)
      return { result: fail('Nothing was changed.', ...wrong.slice(0, problemsAtMost)) };
    return keepEdit(edited, toolContext, `Changed ${countOf(found.length, 'step')}.`);
  },
  { check: fromSchema(HeardSteps).check },
);

const RemoveSteps = z.strictObject({
  ids: z.array(z.string()).min(1).describe('of steps, of a for_each, or names of phases'),
});

const remove = draftTool(
  'remove_steps',
  'Removes steps from the draft. What waited for them waits for what they waited for.',
  RemoveSteps,
  async (given, toolContext) => {
    const draft = openDraft(toolContext);
    const ids = stepsNamed(draft, RemoveSteps.parse(given).ids);
    return keepEdit(
      removeSteps(draft, ids),
      toolContext,
      `Removed ${countOf(ids.length, 'step')}.`,
    );
  },
);

const SubmitPlan = z.strictObject({
  title: z.string().optional().describe('the gist in a few words'),
  summary: z
    .string()
    .optional()
    .describe('one sentence: what the plan will do (“Writes …”, not “Wrote …”)'),
  risks: z.array(z.string()).optional().describe('what could go wrong, and what was assumed'),
  preferences: z
    .strictObject({
      order: z
        .enum(['as said', 'one at a time', 'checked'])
        .optional()
        .describe('checked: a look before what cannot be taken back'),
      in_working_hours: z.boolean().optional().describe('ask people in working hours only'),
    })
    .optional()
    .describe('only what they said'),
  confidence: z.number().describe('0 to 1: how sure you are that this is what they want'),
  checked: z.boolean().optional(),
});
const HeardSubmission = SubmitPlan.extend({
  title: z.string().nullish(),
  summary: z.string().nullish(),
  risks: z
    .array(z.union([z.string(), z.looseObject({ text: z.string(), sign: z.string().nullish() })]))
    .nullish(),
  preferences: z.looseObject({}).nullish(),
  confidence: z.number().nullish(),
  checked: z.boolean().nullish(),
});

/** Evidence, for those who approve: what the session has read, beside what the plan had before. */
function withEvidence(
  outline: PlanOutline,
  state: Readonly<PlanningState>,
  { tools }: Pick<ToolContext, 'tools'>,
): PlanOutline {
  if (state.reads.length === 0) return outline;
  const { context } = outline;
  const specs = new Map(tools.manifest().map((spec) => [spec.name, spec]));
  const base =
    typeof context === 'object'
      ? context
      : { notes: context ?? '', artifacts: [], tool_outputs: {} };
  const outputs = toToolOutputs(state.reads, base.tool_outputs, (name) => {
    const spec = specs.get(name);
    return { tool: spec?.tool ?? name, operation: spec?.operation ?? name };
  });
  return { ...outline, context: { ...base, tool_outputs: outputs } };
}

const submit = draftTool(
  'submit_plan',
  'Submits the draft for approval. Takes no steps.',
  SubmitPlan,
  async (given, toolContext) => {
    const { state, tools } = toolContext;
    const said = HeardSubmission.parse(given);
    const { outline } = state;
    if (outline === null || countSteps(outline) === 0)
      return { result: fail('The draft has no steps. Write them with add_steps.') };
    if (state.change !== null && state.produced.includes('outline'))
      return {
        result: fail(
          'Nothing of the draft has changed, so the person would see the same plan again. Edit it as they asked, or ask them with elicit_context.',
        ),
      };
    const title = (said.title?.trim() || outline.title).slice(0, 300);
    const preferences = WrittenPreferences.safeParse(
      said.preferences == null
        ? null
        : { order: null, in_working_hours: null, ...said.preferences },
    );
    if (!preferences.success) return { result: fail('preferences: that is none of the choices.') };
    const wanted = usePattern(toolContext);
    if ('refused' in wanted) return { result: fail(wanted.refused) };
    const risks = said.risks?.map((risk) =>
      typeof risk === 'string'
        ? { text: risk, sign: null }
        : { text: risk.text, sign: risk.sign ?? null },
    );
    const written: PlanOutline = {
      ...outline,
      title,
      summary: (said.summary?.trim() || outline.summary).slice(0, 1000),
      pattern: state.pattern === null ? patternOf(readFeatures(outline)) : wanted.spec,
      nodes: outline.nodes.map((node) =>
        node.structure === 'goal' && node.title === outline.title ? { ...node, title } : node,
      ),
      ...(risks === undefined ? {} : { risks: readRisks(risks) }),
      ...readPreferences(preferences.data),
    };
    const draft = PlanDraft.safeParse(draftPlan(written, null, null));
    if (!draft.success)
      return {
        result: fail(
          ...draft.error.issues
            .slice(0, problemsAtMost)
            .map(({ path, message }) => `${path.join('.')}: ${message}.`),
        ),
      };
    const problems = checkDraft(draft.data, tools);
    if (problems.length > 0) return { result: fail(...problems) };
    const doubts = said.checked === true ? [] : findDoubts(draft.data.steps, tools.manifest());
    if (doubts.length > 0)
      return {
        result: fail(...doubts, 'Change that; or, if it is meant so, submit with "checked": true.'),
      };
    const confidence = said.confidence ?? null;
    return {
      result: succeed(null, 'The plan is checked next, and then put before the person.'),
      changes: { pattern: written.pattern, outline: withEvidence(written, state, toolContext) },
      self: confidence === null || confidence < 0 || confidence > 1 ? null : confidence,
      heuristics: 1,
      ends: state.stage === 'COLLECT_CONTEXT' ? 'sufficient_context' : 'drafted',
    };
  },
  { prerequisites: [], produces: ['pattern', 'outline'], check: fromSchema(HeardSubmission).check },
);

const ShowSteps = z.strictObject({
  ids: z.array(z.string()).optional(),
  query: z.string().optional().describe('words of the steps that are looked for'),
  from: z.number().int().min(1).optional().describe('place of the first, from 1'),
});

const show = draftTool(
  'show_steps',
  'Reads steps of the draft with their whole arguments: by id, by words, or from a place on.',
  ShowSteps,
  async (given, { state }) => {
    const { ids, query, from } = ShowSteps.parse(given);
    const { outline } = state;
    if (outline === null) return { result: fail('There is no draft yet.') };
    const plan = draftPlan(outline, state.roadmap, state.schedule);
    const page = pageSteps(outline, plan, state.timezone, {
      ...(ids === undefined ? {} : { ids }),
      ...(query === undefined ? {} : { query }),
      ...(from === undefined ? {} : { from }),
    });
    return { result: succeed(toJson(page)) };
  },
  { produces: [], reads: true },
);

export function createDraftTools(profile: StrategyProfile): StageTool[] {
  return [add, edit, remove, createSetSchedule(profile), show, forEach, submit];
}
