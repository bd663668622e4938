// Edits a step by form: one of a plan that waits for approval, or a failed one, which runs again.
import { writeEntry } from '#cards/build-view.ts';
import { headlineOf } from '#cards/calls.ts';
import type { Transaction } from '#db/database.ts';
import { type BuildOwner, readBuildText } from '#db/planning/builds.ts';
import { lockPlan, type PlanRow, readPlanRow } from '#db/plans/plans.ts';
import { CountersignError } from '#domain/errors.ts';
import type { Actor } from '#domain/people/actor.ts';
import { advance, type Build, fieldsOf, finishStep } from '#domain/plan/build.ts';
import type { ShownStep } from '#domain/plan/call.ts';
import { readEntries, toEntries } from '#domain/plan/form-entries.ts';
import { changesBetween } from '#domain/plan/merge.ts';
import type { Entry } from '#domain/plan/operation-form.ts';
import { operationsOf } from '#domain/plan/step-edit.ts';
import { readPatch, writeTemplates } from '#domain/plan/templates.ts';
import type { Checked, Service } from '#domain/service.ts';
import { operationName } from '#domain/tool.ts';
import type { ConversationContext } from '#messages/context.ts';
import { requireManager } from '#plans/authority/authority.ts';
import { statusWords } from '#plans/lifecycle/lifecycle-table.ts';
import { refreshDeciders } from './plan-decisions.ts';
import { type StoredBuilds, type StoredStep, type Viewer, withRefusal } from './stored-build.ts';

type Parts = Pick<Service, 'getSteps' | 'listSteps' | 'checkPatch'> & {
  commitIn<T>(tx: Transaction, checked: Checked<T>): Promise<T>;
};

/** In larger plans the order of a step is not edited. */
const maxChoices = 40;

/** @throws `invalid_transition` */
function requireEditable({ status, revising }: PlanRow, step: Pick<ShownStep, 'status'>): void {
  const waits = status === 'proposed' && !revising;
  if (waits || (status === 'failed' && step.status === 'failed')) return;
  throw new CountersignError(
    'invalid_transition',
    `This plan is ${revising ? 'being revised' : statusWords[status]}, so its steps can't be edited by form. Say in the conversation what to change.`,
  );
}

const outdated = (why: string) =>
  new CountersignError('stale_version', `${why} Open the step again.`);

export function createStepEdits(
  context: ConversationContext,
  parts: Parts,
  { zoneFor, open, openText, change }: StoredBuilds,
): Pick<Service, 'readStepEdit' | 'changeStepEdit'> {
  const { db } = context;
  const ownerOf = ({ tenant, id }: Actor, plan: string, step: string): BuildOwner => ({
    ...{ tenant: tenant ?? null, person: id, about: [plan, step] },
  });

  /** @param opened the digest that the form was opened with */
  function requireOpened({ edits }: Build, opened: string | undefined): void {
    if (opened !== undefined && edits !== opened)
      throw outdated('This form was opened again elsewhere, or too long ago.');
  }

  /** The form of a plan's step with its values, and the steps that it can wait for. */
  async function openEdit(id: string, stepId: string, viewer: Viewer, actor: Actor) {
    await refreshDeciders(context, id);
    const plan = await readPlanRow(db.query, id);
    await requireManager(db.query, context, plan, actor);
    const [shown] = await parts.getSteps(id, [stepId]);
    if (shown === undefined) throw outdated('This step is no longer part of the plan.');
    requireEditable(plan, shown);
    const zone = zoneFor(viewer);
    const all = plan.total <= maxChoices;
    const steps = all ? (await parts.listSteps(id, { limit: maxChoices })).steps : [shown];
    const keep = (one: ShownStep): StoredStep => ({
      ...{ id: one.id, operation: operationName(one.tool, one.operation), counts: {}, entries: {} },
      ...{ label: `${one.label}. ${headlineOf(one.call)}`, args: {}, after: [], at: '' },
    });
    const own: StoredStep = {
      ...keep(shown),
      args: writeTemplates(shown.args),
      after: shown.after.map((edge) => edge.id),
      at: shown.not_before === null ? '' : (zone.toLocal(shown.not_before) ?? ''),
    };
    const stored = {
      ...{ timezone: viewer.timezone, edits: plan.digest, before: [], step: own },
      plan: { title: '', steps: steps.map(keep), repeats: '' as const, from: '' },
    };
    const build = await open(stored, viewer, actor);
    const { step } = build;
    if (step === null)
      throw new CountersignError('unknown_operation', 'Its operation is no longer connected.');
    const { entries } = toEntries(step.form.fields, step.args, zone);
    return { ...build, step: { ...step, entries } };
  }

  /** Proposes what was entered. Entries that look unchanged keep their values. */
  async function proposeEdit(build: Build, id: string, viewer: Viewer, actor: Actor) {
    const { step, edits } = build;
    if (step === null) return { build };
    const zone = zoneFor(viewer);
    const { entries: known, kept } = toEntries(step.form.fields, step.args, zone);
    const entries = { ...step.entries };
    for (const field of fieldsOf(step)) {
      const before = known[field.name];
      const drawn = (entry: Entry | undefined) =>
        writeEntry(field, entry).replaceAll(/\r\n?/g, '\n').trim();
      if (before !== undefined && drawn(before) === drawn(entries[field.name]))
        entries[field.name] = before;
    }
    const { finished, problems } = finishStep({ ...step, entries }, zone, kept);
    if (problems.length > 0) return { build: { ...build, problems } };
    const { at, after } = finished;
    const was = readEntries(fieldsOf(step), known, zone, kept).args;
    const changes = changesBetween(was, finished.args);
    try {
      const plan = await readPlanRow(db.query, id);
      const [shown] = await parts.getSteps(id, [step.id]);
      const requireSame = (row: PlanRow) => {
        if (shown !== undefined) requireEditable(row, shown);
        if (shown === undefined || row.digest !== edits)
          throw outdated(
            `The plan has changed since you opened this form: it is at version ${row.version}.`,
          );
      };
      requireSame(plan);
      const operations =
        shown === undefined ? [] : operationsOf(shown, { changes, at, after }, zone);
      if (operations.length === 0)
        throw new CountersignError('invalid_request', 'Nothing has changed yet.');
      const patch = readPatch({ base_revision: plan.revision, operations });
      const checked = await parts.checkPatch(id, patch, actor);
      const commit = async (tx: Transaction) => {
        requireSame(await lockPlan(tx, id));
        return parts.commitIn(tx, checked);
      };
      return { build: { ...build, step: null }, commit };
    } catch (error) {
      return { build: withRefusal(build, error) };
    }
  }

  return {
    async readStepEdit(id, { step, opened }, viewer, actor) {
      const build = await openText(
        await readBuildText(db.query, ownerOf(actor, id, step)),
        viewer,
        actor,
      );
      requireOpened(build, opened);
      return build;
    },
    changeStepEdit(id, { step, opened }, changes, viewer, actor) {
      const owner = ownerOf(actor, id, step);
      const zone = zoneFor(viewer);
      return change(changes, { owner, viewer, actor }, async (build, one) => {
        if (one.kind === 'edit') return { build: await openEdit(id, step, viewer, actor) };
        requireOpened(build, opened);
        const { step: open, plan } = build;
        if (one.kind === 'wait' && one.after !== undefined && open !== null) {
          const offered = new Set(plan.steps.map((other) => other.id));
          const kept = open.after.filter((other) => !offered.has(other));
          return { build: advance(build, { ...one, after: [...kept, ...one.after] }, zone) };
        }
        if (one.kind === 'add') return proposeEdit(build, id, viewer, actor);
        return { build: one.kind === 'choose' ? build : advance(build, one, zone) };
      });
    },
  };
}
