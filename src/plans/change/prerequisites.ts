// Turns a patch's prerequisite notes into dependencies, or refuses it.
import type { Queryable } from '#db/database.ts';
import { findNamed, findSelected } from '#db/sql/patch-reads.ts';
import { readStepsById } from '#db/steps/pages.ts';
import { CountersignError, Problems } from '#domain/errors.ts';
import { toDependency } from '#domain/plan/dependency.ts';
import { type AddedDraft, addedBy, type PatchOperation } from '#domain/plan/patch.ts';
import type { Json } from '#domain/text.ts';
import {
  foldTitle,
  namesPrerequisites,
  readPrerequisites,
  StepNames,
} from '../content/prerequisite-notes.ts';
import { hasBegun } from './conflicts.ts';

const maxOperations = 100_000;

type Update = Extract<PatchOperation, { op: 'update_steps' }>;

function notesOf(operation: PatchOperation): Json | undefined {
  return operation.op === 'update_steps' ? operation.set.notes : addedBy(operation)?.notes;
}

async function readNamed(
  db: Queryable,
  planId: string,
  operations: PatchOperation[],
): Promise<StepNames> {
  const named = operations.flatMap((operation) => {
    const notes = notesOf(operation);
    if (!namesPrerequisites(notes)) return [];
    const one = readPrerequisites(notes).prerequisites;
    return 'unreadable' in one ? [] : [one];
  });
  const gone = new Set(
    operations.flatMap((one) =>
      one.op === 'replace_step' ? one.step : one.op === 'remove_steps' ? (one.steps.ids ?? []) : [],
    ),
  );
  const stored = await findNamed(db, planId, {
    ids: named.flatMap((one) => one.prereq_step_ids.map((id) => id.trim())),
    tags: named.flatMap((one) => one.prereq_tags.map((tag) => tag.trim())),
    titles: named.flatMap((one) => one.prereq_titles.map(foldTitle)),
  });
  return new StepNames([
    ...stored.filter(({ id }) => !gone.has(id)),
    ...operations.flatMap((one) => addedBy(one) ?? []),
  ]);
}

class NoteResolver {
  readonly problems = new Problems();
  readonly #named: StepNames;

  constructor(named: StepNames) {
    this.#named = named;
  }

  /** `rest`: the other notes. */
  #read(id: string, notes: Json | undefined, path: string): { ids: string[]; rest: Json } {
    const { prerequisites, rest } = readPrerequisites(notes);
    const { ids, problems } =
      'unreadable' in prerequisites
        ? { ids: [], problems: [`cannot be read: ${prerequisites.unreadable}`] }
        : this.#named.find(id, prerequisites);
    if (problems.length > 0)
      this.problems.add('unknown_step', path, `Step ${id}: its note ${problems.join('; it ')}.`);
    return { ids, rest };
  }

  add(step: AddedDraft, path: string): AddedDraft {
    if (!namesPrerequisites(step.notes)) return step;
    const { notes, ...bare } = step;
    const { ids, rest } = this.#read(step.id, notes, `${path}.notes`);
    const waits = new Set((bare.after ?? []).map((entry) => toDependency(entry).id));
    const after = [...(bare.after ?? []), ...ids.filter((id) => !waits.has(id))];
    return {
      ...bare,
      ...(after.length === 0 ? {} : { after }),
      ...(rest === null ? {} : { notes: rest }),
    };
  }

  async update(
    db: Queryable,
    planId: string,
    operation: Update,
    path: string,
  ): Promise<PatchOperation[]> {
    const { steps: selector, set } = operation;
    const { ids = [], partition, tag } = selector;
    const selected = await findSelected(
      db,
      planId,
      partition === undefined ? [] : [partition],
      tag === undefined ? [] : [tag],
    );
    const steps = await readStepsById(db, planId, [
      ...new Set([...ids, ...selected.map(({ step_id }) => step_id)]),
    ]);
    const { rest } = readPrerequisites(set.notes);
    const changed: PatchOperation[] = [{ ...operation, set: { ...set, notes: rest } }];
    for (const step of steps) {
      // A partition or tag only means steps that have not begun.
      if (hasBegun(step) && !ids.includes(step.id)) continue;
      const waits = new Set(step.after.map(({ id }) => id));
      for (const id of this.#read(step.id, set.notes, `${path}.set.notes`).ids) {
        if (waits.has(id)) continue;
        changed.push({ op: 'add_dependency', step: step.id, after: toDependency(id) });
      }
      if (changed.length > maxOperations)
        throw new CountersignError(
          'limit_exceeded',
          `The notes of this change make more than ${maxOperations.toLocaleString('en-US')} dependencies. Let one step wait for all of them, and the others for that one.`,
        );
    }
    return changed;
  }
}

/** @throws `unknown_step` for a note that matches no step or several, `limit_exceeded` */
export async function resolveNotes(
  db: Queryable,
  planId: string,
  operations: PatchOperation[],
): Promise<PatchOperation[]> {
  if (!operations.some((one) => namesPrerequisites(notesOf(one)))) return operations;
  const resolver = new NoteResolver(await readNamed(db, planId, operations));
  const resolved: PatchOperation[] = [];
  for (const [index, operation] of operations.entries()) {
    const path = `operations[${index}]`;
    if (!namesPrerequisites(notesOf(operation))) resolved.push(operation);
    else if (operation.op === 'add_step')
      resolved.push({ ...operation, step: resolver.add(operation.step, `${path}.step`) });
    else if (operation.op === 'replace_step')
      resolved.push({ ...operation, by: resolver.add(operation.by, `${path}.by`) });
    else if (operation.op === 'update_steps')
      resolved.push(...(await resolver.update(db, planId, operation, path)));
  }
  resolver.problems.settle();
  return resolved;
}
