// Plans built by form, stored per person until proposed.
import { z } from 'zod';
import { writeEntry } from '#cards/build-view.ts';
import { headlineOf } from '#cards/calls.ts';
import type { Transaction } from '#db/database.ts';
import {
  type BuildOwner,
  deleteBuildText,
  readBuildText,
  replaceBuildText,
} from '#db/planning/builds.ts';
import { CountersignError } from '#domain/errors.ts';
import { parseAs } from '#domain/json.ts';
import type { Actor } from '#domain/people/actor.ts';
import { foldName } from '#domain/people/names.ts';
import {
  advance,
  type Build,
  type BuiltPlan,
  type BuiltStep,
  emptyBuild,
  fieldsOf,
  finishStep,
  isPlaybook,
  isRepeatRule,
  planProblem,
  playbookTool,
  toDraft,
} from '#domain/plan/build.ts';
import type { ShownStep } from '#domain/plan/call.ts';
import { readEntries, toEntries, type Zone } from '#domain/plan/form-entries.ts';
import { changesBetween } from '#domain/plan/merge.ts';
import type { OperationForm } from '#domain/plan/operation-form.ts';
import type { Plan, PlanDraft } from '#domain/plan/plan.ts';
import type { Playbook } from '#domain/plan/playbook.ts';
import { operationsOf } from '#domain/plan/step-edit.ts';
import { readDraft, readPatch, writeTemplates } from '#domain/plan/templates.ts';
import type { BuildChange, Checked, Service } from '#domain/service.ts';
import { JsonObject } from '#domain/text.ts';
import { type OperationSpec, operationName } from '#domain/tool.ts';
import type { ConversationContext } from '#messages/context.ts';
import { readWhenReply } from '#planner/commands/answers.ts';
import { draftOfPlaybook } from '#plans/playbooks/playbooks.ts';
import { localTime, momentOf, settleWhen } from '#timeline/spoken-times.ts';
import { formOf, offerOf } from '#tools/operation-form.ts';
import { answerOnce } from './answer-once.ts';

type Viewer = { user: string; timezone: string };
type Builds = Pick<
  Service,
  | 'findForms'
  | 'readBuild'
  | 'changeBuild'
  | 'readStepEdit'
  | 'changeStepEdit'
  | 'previewBuild'
  | 'proposeBuild'
>;
type Parts = Pick<
  Service,
  | 'findOperations'
  | 'getOperation'
  | 'listPlaybooks'
  | 'getPlaybook'
  | 'previewProposal'
  | 'checkProposal'
  | 'getPlan'
  | 'getSteps'
  | 'listSteps'
  | 'patch'
> & {
  commitIn(tx: Transaction, checked: Checked<Plan>): Promise<Plan>;
};

const maxStored = 400_000;
const maxUndoStored = 5;
const tries = 5;
/** In larger plans the order of a step is not edited. */
const mostChoices = 40;

const Entry = z.union([z.string(), z.boolean(), JsonObject]);
const StoredStep = z.object({
  id: z.string(),
  label: z.string().optional(),
  operation: z.string(),
  counts: z.record(z.string(), z.int()),
  entries: z.record(z.string(), Entry),
  args: JsonObject,
  after: z.array(z.string()),
  at: z.string(),
});
type StoredStep = z.infer<typeof StoredStep>;
const StoredPlan = z.object({
  title: z.string(),
  steps: z.array(StoredStep),
  repeats: z.string().refine(isRepeatRule),
  from: z.string(),
});
const Stored = z.object({
  /** IANA; missing in older texts. */
  timezone: z.string().optional(),
  plan: StoredPlan,
  before: z.array(StoredPlan),
  step: StoredStep.nullable(),
  edits: z.string().optional(),
});
type Stored = z.infer<typeof Stored>;

const keepStep = ({ form, ...step }: BuiltStep): StoredStep => ({ ...step, operation: form.name });
const keepPlan = (plan: BuiltPlan) => ({ ...plan, steps: plan.steps.map(keepStep) });

/** Forms are read again from the catalogue; problems last until the next change. */
function writeStored({ plan, before, step, edits }: Build, timezone: string): string {
  const text = JSON.stringify({
    timezone,
    edits,
    plan: keepPlan(plan),
    before: before.slice(-maxUndoStored).map(keepPlan),
    step: step === null ? null : keepStep(step),
  } satisfies Stored);
  if (text.length <= maxStored) return text;
  throw new CountersignError(
    'limit_exceeded',
    'This plan is too long to be built by form. Propose it, or put long texts into files first.',
  );
}

/** ISO or words: `tomorrow at 9:00`. */
function zoneOf(timezone: string, now: Date): Zone {
  const readWords = (text: string) => readWhenReply(text, { now, timezone });
  return {
    toLocal: (moment) => localTime(moment, timezone),
    toMoment(text) {
      const exact = momentOf(text, timezone);
      const when = exact === null ? readWords(text) : null;
      if (when === null) return exact;
      const settled = settleWhen(when, { now, timezone });
      return 'iso' in settled ? new Date(settled.iso).toISOString() : null;
    },
    toDay: (text) => readWords(text)?.date?.toString() ?? null,
  };
}

/** Into another zone's local times. */
function moveTimes(build: Build, from: string, to: string): Build {
  if (from === to) return build;
  const { plan, before, step } = build;
  const move = (local: string): string => {
    const moment = momentOf(local, from);
    return moment === null ? local : (localTime(moment, to) ?? local);
  };
  const moveStep = (one: BuiltStep): BuiltStep => {
    const times = fieldsOf(one).flatMap(({ name, holds }): [string, string][] => {
      const entry = one.entries[name];
      return holds === 'moment' && typeof entry === 'string' ? [[name, move(entry)]] : [];
    });
    return { ...one, at: move(one.at), entries: { ...one.entries, ...Object.fromEntries(times) } };
  };
  const movePlan = (one: BuiltPlan): BuiltPlan => ({
    ...one,
    from: move(one.from),
    steps: one.steps.map(moveStep),
  });
  return {
    ...build,
    plan: movePlan(plan),
    before: before.map(movePlan),
    step: step === null ? null : moveStep(step),
  };
}

const specOf = ({ name, title, params }: Playbook): OperationSpec => ({
  ...{ tool: playbookTool, operation: name, name: `${playbookTool} ${name}`, description: title },
  ...{ effect: 'write', destructive: false, source: 'builtin' },
  input: {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(
      params.map(({ name: param, text, optional }) => [
        param,
        { type: 'string', ...(optional ? { default: text } : { description: `Such as ${text}` }) },
      ]),
    ),
    required: params.filter(({ optional }) => !optional).map((param) => param.name),
  },
});

function requireWaiting({ status, revising }: Plan): void {
  if (status !== 'proposed' || revising)
    throw new CountersignError(
      'invalid_transition',
      'This plan no longer waits for its approval. Say in the conversation what to change.',
    );
}

const refuse = (message: string) => new CountersignError('invalid_request', message);

/** All words in name, title or kind. */
function matchPlaybooks(playbooks: Playbook[], words: string): Playbook[] {
  const wanted = foldName(words)
    .split(' ')
    .filter((word) => word !== '');
  const has = ({ name, title }: Playbook, word: string) =>
    foldName(`playbooks ${name} ${title}`).includes(word);
  return wanted.length === 0
    ? []
    : playbooks.filter((one) => wanted.every((word) => has(one, word)));
}

export function createBuilds(context: ConversationContext, parts: Parts): Builds {
  const { db, clock } = context;
  const zoneFor = ({ timezone }: Viewer) => zoneOf(timezone, clock.now());
  const ownerOf = ({ tenant, id }: Actor, about?: [string, string]): BuildOwner => ({
    ...{ tenant: tenant ?? null, person: id },
    ...(about === undefined ? {} : { about }),
  });

  async function findForm(name: string, actor: Actor): Promise<OperationForm> {
    const [tool, playbook] = name.split(' ');
    if (tool !== playbookTool || playbook === undefined) return parts.getOperation(name, actor);
    return formOf(specOf((await parts.getPlaybook(playbook, actor)).playbook), []);
  }

  /** In the viewer's zone, without steps of removed operations. */
  async function open(text: string | null, viewer: Viewer, actor: Actor): Promise<Build> {
    const stored = text === null ? null : parseAs(Stored, text);
    if (stored === null) return emptyBuild;
    const plans = [stored.plan, ...stored.before];
    const steps = [
      ...plans.flatMap((plan) => plan.steps),
      ...(stored.step === null ? [] : [stored.step]),
    ];
    const forms = new Map<string, OperationForm>();
    for (const name of new Set(steps.map(({ operation }) => operation))) {
      const form = await findForm(name, actor).catch((error: unknown) => {
        const gone = ['unknown_operation', 'not_found'];
        if (error instanceof CountersignError && gone.includes(error.code)) return null;
        throw error;
      });
      if (form !== null) forms.set(name, form);
    }
    const zone = zoneFor({ ...viewer, timezone: stored.timezone ?? viewer.timezone });
    const openStep = ({ operation, ...step }: StoredStep): BuiltStep[] => {
      const form = forms.get(operation);
      if (form === undefined) return [];
      // Without defaults, so that an unchanged form gives the same arguments.
      const fields =
        stored.edits === undefined ? form.fields : toEntries(form.fields, step.args, zone).fields;
      return [{ ...step, form: { ...form, fields } }];
    };
    const openPlan = (plan: Stored['plan']): BuiltPlan => {
      const kept = plan.steps.flatMap(openStep);
      const known = new Set(kept.map(({ id }) => id));
      return {
        ...plan,
        steps: kept.map((step) => ({ ...step, after: step.after.filter((id) => known.has(id)) })),
      };
    };
    const [step = null] = stored.step === null ? [] : openStep(stored.step);
    const build: Build = {
      plan: openPlan(stored.plan),
      before: stored.before.map(openPlan),
      step,
      problems: [],
      edits: stored.edits,
    };
    return moveTimes(build, stored.timezone ?? viewer.timezone, viewer.timezone);
  }

  const read = async (viewer: Viewer, actor: Actor, about?: [string, string]): Promise<Build> =>
    open(await readBuildText(db.query, ownerOf(actor, about)), viewer, actor);

  /** @param act how a change is applied */
  async function change(
    changes: BuildChange[],
    { owner, viewer, actor }: { owner: BuildOwner; viewer: Viewer; actor: Actor },
    act: (build: Build, change: BuildChange) => Promise<Build>,
  ): Promise<Build> {
    for (let tried = 1; ; tried++) {
      const before = await readBuildText(db.query, owner);
      let build = await open(before, viewer, actor);
      for (const one of changes) {
        build = await act(build, one);
        if (build.problems.length > 0) break;
      }
      const text = writeStored(build, viewer.timezone);
      if (text === before || (await replaceBuildText(db.query, owner, before, text))) return build;
      if (tried === tries)
        throw new CountersignError(
          'stale_version',
          'This plan is being changed elsewhere. Try again.',
        );
    }
  }

  /** The form of a plan's step with its values, and the steps that it can wait for. */
  async function openEdit(id: string, stepId: string, viewer: Viewer, actor: Actor) {
    const plan = await parts.getPlan(id);
    const [shown] = await parts.getSteps(id, [stepId]);
    if (shown === undefined)
      throw new CountersignError('unknown_step', 'This step is no longer part of the plan.');
    requireWaiting(plan);
    const zone = zoneFor(viewer);
    const all = plan.total_steps <= mostChoices;
    const steps = all ? (await parts.listSteps(id, { limit: mostChoices })).steps : [shown];
    const keep = (one: ShownStep): StoredStep => ({
      ...{ id: one.id, operation: operationName(one.tool, one.operation), counts: {}, entries: {} },
      label: `${one.label}. ${headlineOf(one.call)}`,
      args: writeTemplates(one.args),
      after: one.after.map((edge) => edge.id),
      at: one.not_before === null ? '' : (zone.toLocal(one.not_before) ?? ''),
    });
    const stored: Stored = {
      ...{ timezone: viewer.timezone, edits: plan.digest, before: [], step: keep(shown) },
      plan: { title: '', steps: steps.map(keep), repeats: '', from: '' },
    };
    const build = await open(JSON.stringify(stored), viewer, actor);
    const { step } = build;
    if (step === null)
      throw new CountersignError('unknown_operation', 'Its operation is no longer connected.');
    const { entries } = toEntries(step.form.fields, step.args, zone);
    return { ...build, step: { ...step, entries } };
  }

  /** Proposes what was entered. Entries that are drawn as before are as before. */
  async function proposeEdit(build: Build, id: string, viewer: Viewer, actor: Actor) {
    const { step, edits } = build;
    if (step === null) return build;
    const zone = zoneFor(viewer);
    const { entries: known, kept } = toEntries(step.form.fields, step.args, zone);
    const entries = { ...step.entries };
    for (const field of fieldsOf(step)) {
      const before = known[field.name];
      const entry = entries[field.name];
      if (
        before !== undefined &&
        entry !== undefined &&
        writeEntry(field, before) === writeEntry(field, entry)
      )
        entries[field.name] = before;
    }
    const { finished, problems } = finishStep({ ...step, entries }, zone, kept);
    if (problems.length > 0) return { ...build, problems };
    try {
      const plan = await parts.getPlan(id);
      requireWaiting(plan);
      const [shown] = await parts.getSteps(id, [step.id]);
      if (shown === undefined || plan.digest !== edits)
        throw new CountersignError(
          'stale_version',
          `The plan has changed since you opened this form: it is at version ${plan.version}. Open the step again.`,
        );
      const { at, after } = finished;
      const changes = changesBetween(
        readEntries(fieldsOf(step), known, zone, kept).args,
        finished.args,
      );
      const operations = operationsOf(shown, { changes, at, after }, zone);
      if (operations.length === 0) throw refuse('Nothing is different yet.');
      await parts.patch(id, readPatch({ base_revision: plan.revision, operations }), actor);
      return { ...build, step: null };
    } catch (error) {
      if (!(error instanceof CountersignError) || error.passesAfterMs !== null) throw error;
      return { ...build, problems: [{ name: planProblem, message: error.message }] };
    }
  }

  /** A playbook keeps its own times. */
  async function draftOf({ plan }: Build, viewer: Viewer, title: string, actor: Actor) {
    const found = plan.steps.find(isPlaybook);
    if (found === undefined)
      return readDraft(toDraft(plan, title, viewer.timezone, zoneFor(viewer)));
    if (plan.steps.length > 1)
      throw refuse('A playbook must be the only step. Remove it or the other steps.');
    if (found.at !== '' || plan.repeats !== '')
      throw refuse('A playbook has its own times. Clear “Not before”, and let it run once.');
    const whole = await parts.getPlaybook(found.form.operation, actor);
    const values = Object.entries(found.args).map(([name, value]) => [name, String(value)]);
    const draft: PlanDraft = draftOfPlaybook(whole, Object.fromEntries(values));
    return plan.title.trim() === '' ? draft : { ...draft, title: plan.title.trim() };
  }

  const preview = async (build: Build, viewer: Viewer, actor: Actor) =>
    parts.previewProposal(
      await draftOf(build, viewer, '', actor),
      { user: viewer.user },
      viewer,
      actor,
    );

  return {
    async findForms(words, limit, actor) {
      const playbooks = matchPlaybooks(await parts.listPlaybooks(actor), words);
      const offers = playbooks.map((one) => offerOf(specOf(one), []));
      return [...offers, ...(await parts.findOperations(words, limit, actor))].slice(0, limit);
    },
    readBuild: (viewer, actor) => read(viewer, actor),

    changeBuild(changes, viewer, actor) {
      const zone = zoneFor(viewer);
      return change(changes, { owner: ownerOf(actor), viewer, actor }, async (build, one) => {
        if (one.kind !== 'choose') return advance(build, one, zone);
        const form = await findForm(one.operation, actor);
        return advance(build, { kind: 'choose', form }, zone);
      });
    },

    readStepEdit: (id, step, viewer, actor) => read(viewer, actor, [id, step]),
    changeStepEdit(id, step, changes, viewer, actor) {
      const owner = ownerOf(actor, [id, step]);
      return change(changes, { owner, viewer, actor }, async (build, one) => {
        if (one.kind === 'edit') return openEdit(id, step, viewer, actor);
        if (one.kind === 'add') return proposeEdit(build, id, viewer, actor);
        return one.kind === 'choose' ? build : advance(build, one, zoneFor(viewer));
      });
    },

    async previewBuild(viewer, actor) {
      const build = await read(viewer, actor);
      if (build.plan.steps.length === 0) return { build, facts: null, problem: null };
      try {
        return { build, facts: await preview(build, viewer, actor), problem: null };
      } catch (error) {
        if (!(error instanceof CountersignError) || error.passesAfterMs !== null) throw error;
        return { build, facts: null, problem: error.message };
      }
    },

    async proposeBuild({ conversation, once }, viewer, actor) {
      const { user } = viewer;
      let text: string | null = null;
      const check = async () => {
        text = await readBuildText(db.query, ownerOf(actor));
        const build = await open(text, viewer, actor);
        if (build.plan.steps.length === 0)
          throw new CountersignError('invalid_request', 'There are no steps yet. Add one first.');
        const call =
          build.plan.title.trim() === ''
            ? (await preview(build, viewer, actor)).steps[0]?.call
            : undefined;
        const named = call === undefined ? '' : headlineOf(call);
        const draft = await draftOf(build, viewer, named, actor);
        const origin = conversation === undefined ? { user } : { user, conversation };
        return parts.checkProposal(draft, origin, actor);
      };
      const store = (joined: ConversationContext, checked: Checked<Plan>) =>
        joined.db.transaction(async (tx) => {
          const plan = await parts.commitIn(tx, checked);
          if (text === null || !(await deleteBuildText(tx, ownerOf(actor), text)))
            throw new CountersignError(
              'stale_version',
              'This plan was changed elsewhere meanwhile. Look at it, and propose it again.',
            );
          return plan;
        });
      if (once === undefined) return store(context, await check());
      // A repeated press finds its plan.
      return (await answerOnce(context, { key: once, digest: '' }, check, store)) as Plan;
    },
  };
}
