// Plans and steps being entered by form, stored per person as text.
import { z } from 'zod';
import type { Commit } from '#db/database.ts';
import { type BuildOwner, readBuildText, replaceBuildText } from '#db/planning/builds.ts';
import { CountersignError } from '#domain/errors.ts';
import { parseAs } from '#domain/json.ts';
import type { Actor } from '#domain/people/actor.ts';
import {
  type Build,
  type BuiltPlan,
  type BuiltStep,
  emptyBuild,
  fieldsOf,
  isRepeatRule,
  planProblem,
  playbookTool,
} from '#domain/plan/build.ts';
import { toEntries, type Zone } from '#domain/plan/form-entries.ts';
import type { OperationForm } from '#domain/plan/operation-form.ts';
import type { Playbook } from '#domain/plan/playbook.ts';
import type { BuildChange, Service } from '#domain/service.ts';
import { JsonObject } from '#domain/text.ts';
import type { OperationSpec } from '#domain/tool.ts';
import type { ConversationContext } from '#messages/context.ts';
import { readWhenReply } from '#planner/commands/answers.ts';
import { localTime, momentOf, settleWhen } from '#timeline/spoken-times.ts';
import { formOf } from '#tools/operation-form.ts';

export type Viewer = { user: string; timezone: string };
/** `commit`: stored in one transaction with the build. */
type Acted = { build: Build; commit?: Commit<unknown> };

const maxStored = 400_000;
const maxUndoStored = 5;
const tries = 5;

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
export type StoredStep = z.infer<typeof StoredStep>;
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
  /** The digest of the plan whose step is edited. */
  edits: z.string().optional(),
});
export type Stored = z.infer<typeof Stored>;

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
    'This is too long for a form. Put long texts into files first.',
  );
}

/** ISO or words: `tomorrow at 9:00`. */
export function zoneOf(timezone: string, now: Date): Zone {
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

/** A playbook as an operation. */
export const specOf = ({ name, title, params }: Playbook): OperationSpec => ({
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

/** @throws anything but a refusal */
export function explainRefusal(error: unknown): string {
  if (error instanceof CountersignError && error.passesAfterMs === null) return error.message;
  throw error;
}

/** Keeps what was entered. @throws anything but a refusal */
export const withRefusal = (build: Build, error: unknown): Build => ({
  ...build,
  problems: [{ name: planProblem, message: explainRefusal(error) }],
});

export type StoredBuilds = ReturnType<typeof createStoredBuilds>;

export function createStoredBuilds(
  { db, clock }: Pick<ConversationContext, 'db' | 'clock'>,
  parts: Pick<Service, 'getOperation' | 'getPlaybook'>,
) {
  const zoneFor = ({ timezone }: Viewer) => zoneOf(timezone, clock.now());

  async function findForm(name: string, actor: Actor): Promise<OperationForm> {
    const [tool, playbook] = name.split(' ');
    if (tool !== playbookTool || playbook === undefined) return parts.getOperation(name, actor);
    return formOf(specOf((await parts.getPlaybook(playbook, actor)).playbook), []);
  }

  /** In the viewer's zone, without steps of removed operations. */
  async function open(stored: Stored | null, viewer: Viewer, actor: Actor): Promise<Build> {
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

  const openText = (text: string | null, viewer: Viewer, actor: Actor): Promise<Build> =>
    open(text === null ? null : parseAs(Stored, text), viewer, actor);

  /** @returns false if it was changed meanwhile */
  async function store(
    owner: BuildOwner,
    before: string | null,
    { build, commit }: Acted,
    { timezone }: Viewer,
  ): Promise<boolean> {
    const text = writeStored(build, timezone);
    if (commit === undefined)
      return text === before || (await replaceBuildText(db.query, owner, before, text));
    return db.transaction(async (tx) => {
      // First: a repeated submission waits here.
      if (!(await replaceBuildText(tx, owner, before, text))) return false;
      await commit(tx);
      return true;
    });
  }

  /** @param act how a change is applied; a refused commit is a problem of what was entered */
  async function change(
    changes: BuildChange[],
    { owner, viewer, actor }: { owner: BuildOwner; viewer: Viewer; actor: Actor },
    act: (build: Build, change: BuildChange) => Promise<Acted>,
  ): Promise<Build> {
    for (let tried = 1; ; tried++) {
      const before = await readBuildText(db.query, owner);
      let acted: Acted = { build: await openText(before, viewer, actor) };
      let entered = acted.build;
      for (const one of changes) {
        entered = acted.build;
        acted = await act(entered, one);
        if (acted.commit !== undefined || acted.build.problems.length > 0) break;
      }
      try {
        if (await store(owner, before, acted, viewer)) return acted.build;
      } catch (error) {
        if (acted.commit === undefined) throw error;
        acted = { build: withRefusal(entered, error) };
        if (await store(owner, before, acted, viewer)) return acted.build;
      }
      if (tried === tries)
        throw new CountersignError(
          'stale_version',
          'This plan is being changed elsewhere. Try again.',
        );
    }
  }

  return { zoneFor, findForm, openText, open, change };
}
