// Makes the new version of a plan: changed steps in new words, additions in their place, everything else as it was.
import type { PlanDraft } from '#contracts/plan.ts';
import type { JsonObject } from '#contracts/text.ts';
import {
  describeOutcome,
  describeRisks,
  describeStep,
  describeTitle,
  describeWait,
  type RiskNote,
  readTarget,
} from '../describe.ts';
import { bindFamily, familyOf } from '../families.ts';
import { findTouched, stepsConflict } from '../order-steps.ts';
import { folderOf } from '../paths.ts';
import type { PlannedStep } from '../planned-step.ts';
import { fillRoles } from '../schema-fields.ts';
import {
  type Addition,
  idOf,
  loadWork,
  type RevisionContext,
  removeWork,
  roleName,
  type Working,
} from './work.ts';

/** The new version: changed steps in new words, additions in place, everything else as it was. */
export function finishRevision(
  previous: PlanDraft,
  work: Working[],
  added: { steps: PlannedStep[]; cautions: RiskNote[]; place: Addition['place'] }[],
  context: RevisionContext,
): PlanDraft {
  const before = loadWork(previous, context.manifest);
  let current = ensureFolders(
    work.map((item) => (item.changed ? reword(item, context) : item)),
    before,
    context,
  );
  for (const { steps, place } of added) current = insertSteps(current, steps, place, context);
  addConflicts(current);
  const known = current.flatMap(({ spec, draft }) =>
    spec ? [{ spec, args: draft.args ?? {} }] : [],
  );
  const whole = known.length === current.length;
  const risks = describeRisks(known, [
    ...keepCautions(previous, before),
    ...added.flatMap(({ cautions }) => cautions),
  ]);
  return {
    ...previous,
    title: whole ? describeTitle(known, context.timezone) : previous.title,
    ...(whole ? { summary: describeOutcome(known, context.timezone) } : {}),
    steps: current.map((item) => item.draft),
    ...(whole ? { risks } : {}),
  };
}

/** What was said beyond the steps themselves, such as an assumption, stays true of the new version. */
function keepCautions(previous: PlanDraft, before: Working[]): RiskNote[] {
  const ofSteps = new Set(
    describeRisks(
      before.flatMap(({ spec, draft }) => (spec ? [{ spec, args: draft.args ?? {} }] : [])),
      [],
    ).map((risk) => risk.text),
  );
  return (previous.risks ?? [])
    .map(
      (risk): RiskNote =>
        typeof risk === 'string'
          ? { text: risk }
          : { text: risk.text, ...(risk.sign === undefined ? {} : { sign: risk.sign }) },
    )
    .filter((risk) => !ofSteps.has(risk.text));
}

function reword(item: Working, context: RevisionContext): Working {
  if (!item.spec) return item;
  const step = { spec: item.spec, args: item.draft.args ?? {} };
  const { target: _, ...rest } = item.draft;
  const target = readTarget(step);
  return {
    ...item,
    draft: {
      ...rest,
      description:
        describeStep(step, context.timezone) + describeWait(draftStart(item), context.timezone),
      ...(target === undefined ? {} : { target }),
    },
  };
}

function draftStart(item: Working): string | null {
  return item.draft.not_before ?? null;
}

function nextId(work: Working[]): string {
  const taken = new Set(work.map((item) => item.draft.id));
  let number = work.length + 1;
  while (taken.has(String(number))) number += 1;
  return String(number);
}

/** An MCP server's folder must exist before a file goes into it; one that nothing uses any more is left out. */
function ensureFolders(work: Working[], before: Working[], context: RevisionContext): Working[] {
  let current = work;
  for (const item of work.filter(
    (candidate) => candidate.changed && candidate.spec?.source === 'mcp',
  )) {
    const name = roleName(item, 'to') ?? roleName(item, 'path');
    const path = name === undefined ? undefined : item.draft.args?.[name];
    const family = item.spec && familyOf(item.spec);
    if (
      typeof path !== 'string' ||
      folderOf(path) === '' ||
      !['write', 'move', 'copy'].includes(family ?? '')
    )
      continue;
    const maker = bindFamily('make_folder', context.manifest, item.spec?.tool);
    const folder = folderOf(path);
    const exists = current.some(
      (other) =>
        other.spec &&
        familyOf(other.spec) === 'make_folder' &&
        Object.values(other.draft.args ?? {}).includes(folder),
    );
    if (!maker || exists) continue;
    const id = nextId(current);
    const step = reword(
      {
        spec: maker,
        changed: true,
        draft: {
          id,
          description: 'Create the folder',
          tool: maker.tool,
          operation: maker.operation,
          args: fillRoles(maker, { path: folder }),
        },
      },
      context,
    );
    const index = current.findIndex((other) => other.draft.id === item.draft.id);
    current = [...current.slice(0, index), step, ...current.slice(index)];
  }
  const unused = current.filter((item) => {
    if (!item.spec || familyOf(item.spec) !== 'make_folder') return false;
    const [folder] = findTouched({ spec: item.spec, args: item.draft.args ?? {} }).writes;
    return folder !== undefined && isFolderUsed(folder, before) && !isFolderUsed(folder, current);
  });
  return removeWork(current, new Set(unused.map((item) => item.draft.id)));
}

function isFolderUsed(folder: string, work: Working[]): boolean {
  return work.some(
    ({ spec, draft }) =>
      spec !== null &&
      findTouched({ spec, args: draft.args ?? {} }).writes.some((path) =>
        path.startsWith(`${folder}/`),
      ),
  );
}

function insertSteps(
  work: Working[],
  steps: PlannedStep[],
  place: Addition['place'],
  context: RevisionContext,
): Working[] {
  const ids = new Map<string, string>();
  let all = work;
  const fresh: Working[] = [];
  for (const step of steps) {
    const id = nextId([...all, ...fresh]);
    ids.set(step.id, id);
    const after = [...step.after].map((before) => ids.get(before) ?? before);
    const args = renameReferences(step.args, ids);
    const draft = {
      id,
      description: '',
      tool: step.spec.tool,
      operation: step.spec.operation,
      args,
      ...(after.length > 0 ? { after } : {}),
      ...(step.start === null ? {} : { not_before: step.start }),
    };
    fresh.push(reword({ spec: step.spec, changed: true, draft }, context));
  }
  const roots = (list: Working[]) => list.filter((item) => (item.draft.after ?? []).length === 0);
  const sinks = (list: Working[]) =>
    list.filter(
      (item) =>
        !list.some((other) =>
          (other.draft.after ?? []).some((dependency) => idOf(dependency) === item.draft.id),
        ),
    );
  const wait = (item: Working, before: Working[]): Working => ({
    ...item,
    draft: {
      ...item.draft,
      after: [...(item.draft.after ?? []), ...before.map((other) => other.draft.id)],
    },
  });
  if (place === 'first') {
    const starts = roots(all);
    const ends = sinks(fresh);
    all = all.map((item) => (starts.includes(item) ? wait(item, ends) : item));
    return [...fresh, ...all];
  }
  const ends = place === 'then' ? sinks(all) : [];
  const starts = roots(fresh);
  return [...all, ...fresh.map((item) => (starts.includes(item) ? wait(item, ends) : item))];
}

function renameReferences(args: JsonObject, ids: ReadonlyMap<string, string>): JsonObject {
  return Object.fromEntries(
    Object.entries(args).map(([key, value]) => {
      const from =
        typeof value === 'object' && value !== null && !Array.isArray(value)
          ? value.$from
          : undefined;
      return typeof from === 'string' &&
        typeof value === 'object' &&
        value !== null &&
        !Array.isArray(value)
        ? [key, { ...value, $from: ids.get(from) ?? from }]
        : [key, value];
    }),
  );
}

/** Changed and new steps wait for earlier ones on the same path, unless an order is already given. */
function addConflicts(work: Working[]): void {
  const byId = new Map(work.map((item) => [item.draft.id, item]));
  const ancestorsOf = (start: Working): Set<string> => {
    const seen = new Set<string>();
    const open = [start];
    for (let item = open.pop(); item !== undefined; item = open.pop()) {
      for (const id of (item.draft.after ?? []).map(idOf)) {
        const before = byId.get(id);
        if (seen.has(id) || !before) continue;
        seen.add(id);
        open.push(before);
      }
    }
    return seen;
  };
  const touched = new Map(
    work.flatMap(({ spec, draft }) =>
      spec ? [[draft.id, findTouched({ spec, args: draft.args ?? {} })] as const] : [],
    ),
  );
  work.forEach((item, index) => {
    for (const earlier of work.slice(0, index)) {
      if (!item.changed && !earlier.changed) continue;
      const [a, b] = [touched.get(earlier.draft.id), touched.get(item.draft.id)];
      if (!a || !b || !stepsConflict(a, b)) continue;
      if (ancestorsOf(item).has(earlier.draft.id) || ancestorsOf(earlier).has(item.draft.id))
        continue;
      item.draft = { ...item.draft, after: [...(item.draft.after ?? []), earlier.draft.id] };
    }
  });
}
