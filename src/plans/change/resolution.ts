// Runs a patch's operations on its steps, in memory.
import { isDeepStrictEqual } from 'node:util';
import type { PlanRow } from '#db/plans/plans.ts';
import { Problems } from '#domain/errors.ts';
import { renameReferences } from '#domain/plan/arguments.ts';
import { renameConditions } from '#domain/plan/condition.ts';
import type { Dependency } from '#domain/plan/dependency.ts';
import {
  type AddedDraft,
  argumentsAfter,
  type PinnedOperation,
  seenBy,
} from '#domain/plan/patch.ts';
import type { Step } from '#domain/plan/plan.ts';
import { keyOfDependency } from '#domain/plan/step-changes.ts';
import { contentOf, contentOfSettings } from '#domain/plan/step-content.ts';
import type { StepSelector } from '#domain/plan/step-selector.ts';
import { isSliceOver, nextTurn } from '#domain/slices.ts';
import { operationName } from '#domain/tool.ts';
import { checkSelected, checkWaits, isSelected, selectorOf } from '../content/check-references.ts';
import { dependenciesOf } from '../content/dependencies.ts';
import {
  checkResources,
  checkTarget,
  measureLength,
  normaliseStep,
  readTime,
  type StepRules,
} from '../content/normalise-step.ts';
import { type Conflict, canBeRemoved, hasBegun, patchConflict } from './conflicts.ts';
import { effectOf, type PatchEffect, type VersionStep, type Work } from './patch-effect.ts';
import type { Selection } from './selection.ts';

/** Without execution state. */
function toVersionStep(step: Step): VersionStep {
  const { effect, guarded } = step;
  return { ...contentOf(step), effect, guarded };
}

export class Resolution {
  readonly #row: PlanRow;
  readonly #rules: StepRules;
  readonly #baseRevision: number;
  readonly #works = new Map<string, Work>();
  readonly #changed: Set<string>;
  readonly #selection: Selection;
  readonly #conflicts = new Map<string, Conflict>();
  readonly #positions = new Map<string, number>();
  readonly #replaced = new Map<string, string>();
  #again: ReadonlySet<string> = new Set();
  #authored = true;
  readonly problems = new Problems();
  #next: number;

  constructor(
    row: PlanRow,
    rules: StepRules,
    baseRevision: number,
    changed: Set<string>,
    selection: Selection,
    next: number,
  ) {
    this.#row = row;
    this.#rules = rules;
    this.#baseRevision = baseRevision;
    this.#changed = changed;
    this.#selection = selection;
    this.#next = next;
  }

  #conflict({ id, status }: Step): void {
    this.#conflicts.set(id, { id, status });
  }

  #find(id: string, path: string): Work | null {
    const work = this.#works.get(id);
    if (work !== undefined && work.state !== 'removed') return work;
    const words = work === undefined ? 'is not in the plan' : 'is removed by this change';
    this.problems.add('unknown_step', path, `Step "${id}" ${words}.`);
    return null;
  }

  /** Conflicts if it changed since, or has begun unless it failed and reruns. */
  #touch(work: Work): void {
    if (work.state === 'named') work.state = 'touched';
    if (this.#authored) work.authored = true;
    const { before } = work;
    if (before === null) return;
    const retried = before.status === 'failed' && this.#again.has(before.id);
    if ((hasBegun(before) && !retried) || this.#changed.has(before.id)) this.#conflict(before);
  }

  /** Partitions and tags mean steps that had not begun when the author read the plan. */
  #select(selector: StepSelector, path: string): Work[] {
    const found = new Set<Work>();
    for (const id of selector.ids ?? []) {
      const work = this.#find(id, `${path}.ids`);
      if (work !== null) found.add(work);
    }
    for (const id of this.#selection.idsOf(selector)) {
      const work = this.#works.get(id);
      if (work === undefined || work.state === 'removed' || work.before === null) continue;
      if (!hasBegun(work.before) || this.#changed.has(id)) found.add(work);
    }
    if (found.size === 0 && selector.ids === undefined) {
      const { partition, tag } = selector;
      const words = [
        ...(partition === undefined ? [] : [`in partition ${partition}`]),
        ...(tag === undefined ? [] : [`tagged ${tag}`]),
      ];
      const message = `No step that has not begun is ${words.join(' or ')}.`;
      this.problems.add('unknown_step', path, message);
    }
    return [...found];
  }

  #add(draft: AddedDraft, operation: PinnedOperation, index: number, path: string): void {
    const known = this.#works.get(draft.id);
    if (known?.before != null && this.#changed.has(draft.id)) {
      this.#conflict(known.before);
      return;
    }
    if (known !== undefined) {
      this.problems.add(
        'duplicate_step',
        `${path}.id`,
        `The plan has a step "${draft.id}" already. Give the new one its own ID.`,
      );
      return;
    }
    const body = normaliseStep(draft, draft.id, path, this.#rules, this.problems);
    const position = this.#next++;
    const place = { label: draft.id, position, path };
    const after = dependenciesOf(
      draft,
      body.args,
      place,
      this.#positions,
      this.problems,
      this.#readBy(draft, path),
    ).map(({ dependency }) => dependency);
    for (const { id } of after) this.#find(id, `${path}.after`);
    this.#positions.set(draft.id, position);
    const { seal: _seal, review_rank: _rank, ...content } = body;
    const now = { ...content, after, seen: seenBy(operation, draft.id) };
    const authored = this.#authored;
    const work = {
      position,
      before: null,
      now,
      state: 'touched',
      authored,
      args_by: index,
    } as const;
    this.#works.set(draft.id, work);
  }

  /** Through the operation: the plan's steps and earlier added ones. */
  #readBy(draft: AddedDraft, path: string): string[] {
    const { catalogue } = this.#rules;
    const selector = selectorOf(draft, catalogue);
    if (selector === null) return [];
    const stored = new Set(this.#selection.idsOf(selector));
    const selected = [...this.#works.values()].filter(
      ({ state, before, now }) =>
        state !== 'removed' &&
        (before === null ? isSelected(now, selector) : stored.has(now.id)) &&
        selectorOf(now, catalogue) === null,
    );
    const ids = [...(selector.ids ?? []), ...selected.map(({ now }) => now.id)];
    checkSelected(draft.id, path, selector, ids, this.problems);
    return ids;
  }

  /** Checks the result like a new step. */
  #update(
    work: Work,
    operation: Extract<PinnedOperation, { op: 'update_steps' }>,
    index: number,
  ): void {
    const { set } = operation;
    const path = `operations[${index}].set`;
    const { now } = work;
    const { id, tool } = now;
    const spec = this.#rules.catalogue.get(operationName(tool, now.operation));
    const own = { label: id, position: work.position, path };
    let { args, target, after, seen } = now;
    if (set.args !== undefined) {
      const { description, operation: verb } = now;
      const draft = {
        description,
        tool,
        operation: verb,
        args: argumentsAfter(now.args, operation, set.args),
      };
      const checked = normaliseStep(draft, id, path, this.#rules, this.problems);
      // Looking again would hide later changes.
      if (!isDeepStrictEqual(checked.args, now.args)) seen = seenBy(operation, id);
      args = checked.args;
      target = checked.target;
      work.args_by = index;
      const { catalogue } = this.#rules;
      if (!isDeepStrictEqual(selectorOf(now, catalogue), selectorOf(draft, catalogue))) {
        const message = `Step ${id} would read other steps. Put another step in its place with replace_step.`;
        this.problems.add('invalid_request', `${path}.args`, message);
      }
    }
    const content = contentOfSettings(set);
    const { when = now.when } = content;
    if (set.args !== undefined || set.when !== undefined) {
      after = dependenciesOf({ after, when }, args, own, this.#positions, this.problems).map(
        ({ dependency }) => dependency,
      );
    }
    checkTarget(set.target, args, `${path}.set`, id, this.problems);
    checkResources(set, path, id, this.#rules.pools, this.problems);
    work.now = { ...now, ...content, args, after, target, seen };
    if (set.duration !== undefined) {
      work.now.duration_minutes = measureLength(work.now, spec, path, this.#rules, this.problems);
    }
    if (set.capabilities !== undefined) {
      work.now.capabilities = [...new Set([...(spec?.capabilities ?? []), ...set.capabilities])];
    }
    if (set.not_before != null) {
      const { not_before } = set;
      work.now.not_before = readTime({ not_before }, path, id, this.problems);
    }
  }

  #addDependency(id: string, after: Dependency, path: string): void {
    const work = this.#find(id, path);
    const predecessor = this.#find(after.id, path);
    if (work === null || predecessor === null) return;
    this.#touch(work);
    if (work === predecessor) {
      this.problems.add('dependency_cycle', path, `Step ${id} waits for itself.`);
    } else if (work.now.after.some((one) => keyOfDependency(one) === keyOfDependency(after))) {
      this.problems.add(
        'invalid_request',
        path,
        `Step ${id} waits for step ${after.id} (${after.type}) already. Remove that dependency first.`,
      );
    } else {
      work.now = { ...work.now, after: [...work.now.after, after] };
    }
  }

  #removeDependency(id: string, after: Pick<Dependency, 'id' | 'type'>, path: string): void {
    const work = this.#find(id, path);
    if (work === null) return;
    this.#touch(work);
    const kept = work.now.after.filter((one) => keyOfDependency(one) !== keyOfDependency(after));
    if (kept.length === work.now.after.length) {
      this.problems.add(
        'unknown_step',
        path,
        `Step ${id} does not wait for step ${after.id} (${after.type}).`,
      );
    }
    work.now = { ...work.now, after: kept };
  }

  /** @returns false if added by the patch, under way, done or changed since */
  #takeOut(work: Work, path: string): boolean {
    const { before } = work;
    if (before === null) {
      this.problems.add(
        'invalid_request',
        path,
        `Step ${work.now.id} is added and removed by the same change. Leave both out.`,
      );
      return false;
    }
    work.state = 'removed';
    if (canBeRemoved(before) && !this.#changed.has(before.id)) return true;
    this.#conflict(before);
    return false;
  }

  /** @param release dependents continue without them */
  #remove(works: Work[], release: boolean, path: string): void {
    const gone = new Set(
      works.filter((work) => this.#takeOut(work, path)).map(({ now }) => now.id),
    );
    if (!release) return;
    for (const work of this.#works.values()) {
      const { now } = work;
      const after = now.after.filter(({ id }) => !gone.has(id));
      if (work.state === 'removed' || after.length === now.after.length) continue;
      this.#rewire(work, { ...now, after });
    }
  }

  #replace(operation: Extract<PinnedOperation, { op: 'replace_step' }>, index: number): void {
    const path = `operations[${index}]`;
    const { step: id, by } = operation;
    const old = this.#find(id, `${path}.step`);
    if (old === null || !this.#takeOut(old, `${path}.step`)) return;
    this.#add({ after: old.now.after, ...by }, operation, index, `${path}.by`);
    this.#replaced.set(id, by.id);
    const rename = (one: string) => (one === id ? by.id : one);
    for (const work of this.#works.values()) {
      const { now } = work;
      if (work.state === 'removed' || now.id === by.id) continue;
      if (!now.after.some((one) => one.id === id)) continue;
      const after = now.after.map((one) => ({ ...one, id: rename(one.id) }));
      this.#rewire(work, {
        ...now,
        after: [...new Map(after.map((one) => [keyOfDependency(one), one])).values()],
        args: renameReferences(now.args, rename),
        when: renameConditions(now.when, rename),
      });
    }
  }

  /** No conflict for a cancelled step: it never runs. */
  #rewire(work: Work, now: VersionStep): void {
    if (work.before?.status === 'cancelled') work.state = 'touched';
    else this.#touch(work);
    work.authored = true;
    work.now = now;
  }

  /** @param given how many the author wrote; the others come from series */
  async run(steps: Step[], operations: PinnedOperation[], given: number): Promise<void> {
    this.#again = new Set(
      operations.flatMap((one) => (one.op === 'rerun_steps' ? (one.steps.ids ?? []) : [])),
    );
    for (const step of steps) {
      if (isSliceOver()) await nextTurn();
      const now = toVersionStep(step);
      const { id, position } = step;
      this.#positions.set(id, position);
      const untouched = { state: 'named', authored: false, args_by: null } as const;
      this.#works.set(id, { position, before: step, now, ...untouched });
    }
    for (const [index, operation] of operations.entries()) {
      if (isSliceOver()) await nextTurn();
      const path = `operations[${index}]`;
      this.#authored = index < given;
      switch (operation.op) {
        case 'add_step':
          this.#add(operation.step, operation, index, `${path}.step`);
          break;
        case 'replace_step':
          this.#replace(operation, index);
          break;
        case 'update_steps':
          for (const work of this.#select(operation.steps, `${path}.steps`)) {
            this.#touch(work);
            this.#update(work, operation, index);
            if (isSliceOver()) await nextTurn();
          }
          break;
        case 'remove_steps': {
          const { steps, release = false } = operation;
          this.#remove(this.#select(steps, `${path}.steps`), release, `${path}.steps`);
          break;
        }
        case 'invalidate_steps':
        case 'rerun_steps':
        case 'change_series':
          break;
        case 'add_dependency':
          this.#addDependency(operation.step, operation.after, path);
          break;
        case 'remove_dependency':
          this.#removeDependency(operation.step, operation.after, path);
          break;
        default:
          operation satisfies never;
      }
    }
    if (this.#conflicts.size > 0) {
      throw patchConflict(this.#row, [...this.#conflicts.values()], this.#baseRevision);
    }
    const works = [...this.#works.values()];
    const kept = works.filter(({ state }) => state === 'touched').map(({ now }) => now);
    const all = works.map(({ now }) => now);
    await checkWaits(kept, all, this.#rules.catalogue, this.problems);
    this.problems.settle();
  }

  effect(): Promise<PatchEffect> {
    return effectOf([...this.#works.values()], this.#positions, this.#replaced);
  }
}
