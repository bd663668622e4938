// Tools that edit and submit the draft (B4); valid parts are kept.
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { parseRequestJson } from '#domain/json.ts';
import type { PlanOutline } from '#domain/planning/outline.ts';
import { quoteWords } from '#domain/shown-text.ts';
import { isObject, type Json, JsonValue, toJson } from '#domain/text.ts';
import { countOf } from '#domain/words.ts';
import { defineTool } from '../define-tool.ts';
import { checkPosts, checkStep } from '../draft/check-draft.ts';
import { draftPlan } from '../draft/draft-plan.ts';
import { dateDraft } from '../draft/draft-times.ts';
import { addSteps, editSteps, placeSteps, removeSteps, stepsNamed } from '../draft/edit-draft.ts';
import { pageSteps } from '../draft/show-draft.ts';
import {
  capacityShape,
  createStepReader,
  type NewStep,
  ofMany,
  writtenStepShape,
} from '../outline/written-steps.ts';
import { fail, succeed, type Tool, type ToolContext } from '../tool.ts';
import { draftDefaults, keepEdit, openDraft } from './draft-tool.ts';
import { forEach } from './for-each.ts';
import { scaffold } from './scaffold.ts';
import { setSchedule } from './set-schedule.ts';
import { submitPlan } from './submit-plan.ts';

const maxProblems = 20;

const before = z.string().optional().describe('id of the step after them');
const AddSteps = z.strictObject({ steps: z.array(z.strictObject(writtenStepShape)), before });
const WideAddSteps = z.strictObject({
  steps: z.array(z.strictObject({ ...writtenStepShape, ...capacityShape })),
  before,
});
const StepsInput = z.looseObject({
  steps: z.union([z.array(JsonValue), z.string()]),
  before: z.string().nullish(),
});

function listSteps(steps: z.infer<typeof StepsInput>['steps']): Json[] {
  if (typeof steps !== 'string') return steps;
  try {
    const parsed = JsonValue.parse(parseRequestJson(steps));
    return Array.isArray(parsed) ? parsed : [parsed];
  } catch {
    return [steps]; // the reader reports it
  }
}

/** Steps without an ID get the next free number. */
function nameSteps(list: Json[], draft: PlanOutline): Json[] {
  const ids = list.flatMap((step) => (isObject(step) ? String(step.id) : []));
  const taken = new Set([...placeSteps(draft).keys(), ...ids]);
  let next = 1;
  return list.map((step) => {
    if (!isObject(step) || (step.id !== undefined && step.id !== null)) return step;
    while (taken.has(String(next))) next += 1;
    taken.add(String(next));
    return { ...step, id: String(next) };
  });
}

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

const add = defineTool({
  ...draftDefaults,
  name: 'add_steps',
  description: 'Adds steps to the draft; long plans in several calls.',
  prerequisites: [],
  input: StepsInput,
  shown: AddSteps,
  wide: WideAddSteps,
  async execute({ steps, before }, toolContext) {
    const draft = openDraft(toolContext);
    const list = nameSteps(listSteps(steps), draft);
    const { found: read, problems } = readSteps(list, readerOf(toolContext).readNew);
    const places = placeSteps(draft);
    // Resent along with refused ones.
    const found = read.filter(({ step }) => !isDeepStrictEqual(places.get(step.id)?.step, step));
    const sound: NewStep[] = [];
    const seen = new Set<string>();
    const check = checkStep(toolContext.tools);
    const unreachable = await checkPosts(
      found.map(({ step }) => step),
      toolContext,
    );
    for (const one of found) {
      const { step } = one;
      const wrong = check(step, step.id);
      const nowhere = unreachable.get(step.id);
      if (nowhere !== undefined) wrong.push(nowhere);
      if (seen.has(step.id)) wrong.push(`Two steps have the id ${step.id}. Give each its own.`);
      seen.add(step.id);
      if (wrong.length > 0) problems.push(...wrong);
      else sound.push(one);
    }
    if (sound.length === 0 && problems.length === 0 && read.length > 0)
      return { result: succeed(null, 'They are in the draft already.') };
    if (sound.length === 0)
      return {
        result: fail(
          ...(problems.length > 0 ? problems.slice(0, maxProblems) : ['No steps were given.']),
        ),
      };
    const sentence =
      problems.length === 0
        ? `Added ${countOf(sound.length, 'step')}.`
        : `Added ${sound.length} of ${countOf(list.length, 'step')}: all but those below. Add only those again.`;
    return keepEdit(addSteps(draft, sound, before ?? null), toolContext, sentence, problems);
  },
});

const EditSteps = z.strictObject({
  steps: z
    .array(z.looseObject({ id: z.string().describe('of a step, group or phase') }))
    .describe('what changes; args are merged, null removes'),
});

/** Group, phase or partition edits apply to each step. */
function spreadEdits(list: Json[], draft: PlanOutline): { edits: Json[]; problems: string[] } {
  const places = placeSteps(draft);
  const problems: string[] = [];
  const edits = list.flatMap((edit): Json[] => {
    if (!isObject(edit) || typeof edit.id !== 'string' || places.has(edit.id)) return [edit];
    const { id: name, ...changes } = edit;
    const ids = stepsNamed(draft, [name]).filter((one) => places.has(one));
    if (ids.length === 0) return [edit];
    const own = Object.keys(changes).filter((key) => !ofMany.includes(key));
    if (own.length > 0)
      problems.push(
        `${quoteWords(name, 200)} is ${countOf(ids.length, 'step')}, and ${own.join(', ')} can be set for one step only. For many: ${ofMany.join(', ')}.`,
      );
    return ids.map((one) => JsonValue.parse({ ...changes, id: one }));
  });
  return { edits, problems };
}

const edit = defineTool({
  ...draftDefaults,
  name: 'edit_steps',
  description: 'Changes steps; what is not named stays.',
  input: StepsInput,
  shown: EditSteps,
  async execute({ steps }, toolContext) {
    const draft = openDraft(toolContext);
    const spread = spreadEdits(listSteps(steps), draft);
    const read = readSteps(spread.edits, readerOf(toolContext).readChange);
    const { found } = read;
    const problems = [...spread.problems, ...read.problems];
    if (problems.length > 0)
      return { result: fail('Nothing was changed.', ...problems.slice(0, maxProblems)) };
    const edited = editSteps(draft, found);
    if ('problems' in edited)
      return { result: fail('Nothing was changed.', ...edited.problems.slice(0, maxProblems)) };
    const places = placeSteps(edited.outline);
    const check = checkStep(toolContext.tools);
    const wrong = found.flatMap(({ step }) => {
      const place = places.get(step.id);
      return place === undefined ? [] : check(place.step, step.id);
    });
    if (wrong.length > 0)
      return { result: fail('Nothing was changed.', ...wrong.slice(0, maxProblems)) };
    return keepEdit(edited, toolContext, `Changed ${countOf(found.length, 'step')}.`);
  },
});

const RemoveSteps = z.strictObject({
  ids: z.array(z.string()).min(1).describe('of steps, for_each or phases'),
});

const remove = defineTool({
  ...draftDefaults,
  name: 'remove_steps',
  description: 'Removes steps of the draft.',
  input: RemoveSteps,
  async execute(given, toolContext) {
    const draft = openDraft(toolContext);
    const ids = stepsNamed(draft, given.ids);
    return keepEdit(
      removeSteps(draft, ids),
      toolContext,
      `Removed ${countOf(ids.length, 'step')}.`,
    );
  },
});

const ShowSteps = z.strictObject({
  ids: z.array(z.string()).optional(),
  query: z.string().optional(),
  from: z.number().int().min(1).optional(),
});

const show = defineTool({
  name: 'show_steps',
  description: 'Reads steps of a long draft whole.',
  prerequisites: ['draft'],
  input: ShowSteps,
  reads: true,
  hidden: true,
  async execute({ ids, query, from }, toolContext) {
    const { state, now } = toolContext;
    const { outline, timezone } = state;
    if (outline === null) return { result: fail('There is no draft yet.') };
    const plan = draftPlan(outline, state.roadmap, state.schedule);
    const dates = { places: dateDraft(outline, toolContext), timezone, now };
    const page = pageSteps(outline, plan, dates, {
      ...(ids === undefined ? {} : { ids }),
      ...(query === undefined ? {} : { query }),
      ...(from === undefined ? {} : { from }),
    });
    return { result: succeed(toJson(page)) };
  },
});

export const draftTools: Tool[] = [
  add,
  edit,
  remove,
  setSchedule,
  show,
  forEach,
  scaffold,
  submitPlan,
];
