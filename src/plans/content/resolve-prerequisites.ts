// Turns a draft's prerequisite notes into dependencies or findings.
import { CountersignError, Problems } from '#domain/errors.ts';
import { toDependency } from '#domain/plan/dependency.ts';
import type { NewFinding } from '#domain/plan/finding.ts';
import type { PlanDraft, Series } from '#domain/plan/plan.ts';
import { predecessorsOf, type StepDraft } from '#domain/plan/step-content.ts';
import { quoteWords } from '#domain/shown-text.ts';
import { isSliceOver, mapInSlices, nextTurn } from '#domain/slices.ts';
import { countOf, shorten } from '#domain/words.ts';
import { breakCircles } from '#graph/digraph.ts';
import { idsOf } from './normalise.ts';
import { namesPrerequisites, readPrerequisites, StepNames } from './prerequisite-notes.ts';

const maxPerStep = 10_000;
const maxInAll = 500_000;
/** No one would settle more, so the plan is refused. */
const maxFindings = 500;
/** Beyond it only the step and its prerequisite are named. */
const maxTraced = 20;

type Named = StepDraft & { id: string };
type Arrow = { from: number; to: number };
/** Endings of "its note …". */
type Wrong = { place: number; problems: string[] };

/** `A waits for B by its note, and B for A`: the shortest path. */
function nameCircle(steps: Named[], arrows: Arrow[], { from, to }: Arrow): string {
  const next = new Map<number, number[]>();
  for (const arrow of arrows) {
    const known = next.get(arrow.from);
    if (known === undefined) next.set(arrow.from, [arrow.to]);
    else known.push(arrow.to);
  }
  const came = new Map<number, number>([[to, -1]]);
  const open = [to];
  for (const at of open) {
    if (at === from) break;
    for (const one of next.get(at) ?? []) {
      if (came.has(one)) continue;
      came.set(one, at);
      open.push(one);
    }
  }
  const way: number[] = [];
  for (let at = from; at !== -1; at = came.get(at) ?? -1) way.push(at);
  const idAt = (place: number | undefined) => steps[place ?? 0]?.id ?? '';
  const rest = way.slice(0, -1).map((place, index) => `${idAt(place)} for ${idAt(way[index + 1])}`);
  const shown = rest.length > 8 ? [...rest.slice(0, 7), '…', rest.at(-1)] : rest;
  return `${idAt(to)} waits for ${idAt(from)} by its note, and ${shown.join(', ')}`;
}

/** Drops note edges that close a cycle. */
function breakNotes(steps: Named[], firm: Arrow[], noted: Arrow[]): [Arrow[], Wrong[]] {
  const all = [...firm, ...noted];
  const gone = new Set(breakCircles(steps.length, all, (position) => position >= firm.length));
  if (gone.size === 0) return [noted, []];
  const out = Map.groupBy(
    [...gone].flatMap((position) => all[position] ?? []),
    ({ to }) => to,
  );
  const wrong = [...out].map(([place, arrows], index): Wrong => {
    const [first] = arrows;
    const more = arrows.length > 1 ? ` (and ${countOf(arrows.length - 1, 'more')} like this)` : '';
    const circle =
      first === undefined || index >= maxTraced
        ? `${steps[place]?.id} waits for ${steps[first?.from ?? 0]?.id} by its note, which waits for it`
        : nameCircle(steps, all, first);
    return { place, problems: [`closes a circle: ${circle}${more}`] };
  });
  return [noted.filter((_, at) => !gone.has(firm.length + at)), wrong];
}

async function findNoted(
  steps: Named[],
): Promise<{ noted: Arrow[]; wrong: Wrong[]; rests: Map<number, Named> }> {
  const named = new StepNames(steps);
  const places = new Map(steps.map(({ id }, place) => [id, place]));
  const noted: Arrow[] = [];
  const wrong: Wrong[] = [];
  const rests = new Map<number, Named>();
  for (const [place, step] of steps.entries()) {
    if (!namesPrerequisites(step.notes)) continue;
    if (isSliceOver()) await nextTurn();
    const { notes, ...bare } = step;
    const { prerequisites, rest } = readPrerequisites(notes);
    rests.set(place, rest === null ? bare : { ...bare, notes: rest });
    const { ids, problems } =
      'unreadable' in prerequisites
        ? { ids: [], problems: [`cannot be read: ${prerequisites.unreadable}`] }
        : named.find(step.id, prerequisites);
    if (problems.length > 0) wrong.push({ place, problems });
    for (const id of ids) noted.push({ from: places.get(id) ?? 0, to: place });
    if (ids.length <= maxPerStep && noted.length <= maxInAll) continue;
    throw new CountersignError(
      'limit_exceeded',
      `Step ${step.id} waits for ${countOf(ids.length, 'step')} by its note. Notes may make ${maxPerStep.toLocaleString('en-US')} dependencies of a step and ${maxInAll.toLocaleString('en-US')} of a plan. Let a step of control_noop wait for all of them, and other steps for that one.`,
    );
  }
  return { noted, wrong, rests };
}

/** `wrong`: by step index. */
async function resolveSteps(steps: Named[]): Promise<{ steps: Named[]; wrong: Wrong[] }> {
  const { noted, wrong, rests } = await findNoted(steps);
  const places = new Map(steps.map(({ id }, place) => [id, place]));
  const firm = await mapInSlices(steps, (step, to) =>
    predecessorsOf(step).flatMap((id): Arrow[] => {
      const from = places.get(id);
      return from === undefined || from === to ? [] : [{ from, to }];
    }),
  );
  const [kept, circular] = breakNotes(steps, firm.flat(), noted);
  if (isSliceOver()) await nextTurn();
  const added = Map.groupBy(kept, ({ to }) => to);
  return {
    steps: steps.map((step, place): Named => {
      const bare = rests.get(place);
      if (bare === undefined) return step;
      const { after = [] } = bare;
      const ended = new Set(
        after.map(toDependency).flatMap(({ id, type }) => (type === 'FS' ? id : [])),
      );
      const more = (added.get(place) ?? []).flatMap(({ from }) => steps[from]?.id ?? []);
      const fresh = more.filter((id) => !ended.has(id));
      return fresh.length === 0 ? bare : { ...bare, after: [...after, ...fresh] };
    }),
    wrong: [...wrong, ...circular],
  };
}

/** Findings can't hold back a series, so its notes must be valid. */
async function resolveSeries(series: Series, index: number, problems: Problems): Promise<Series> {
  if (!series.steps.some(({ notes }) => namesPrerequisites(notes))) return series;
  const named = series.steps.map((step, at) => ({
    ...step,
    id: step.id ?? (series.steps.length === 1 ? series.id : `${series.id}-${at + 1}`),
  }));
  const { steps, wrong } = await resolveSteps(named);
  for (const { place, problems: found } of wrong) {
    problems.add(
      'unknown_step',
      `series[${index}].steps[${place}].notes`,
      `Step ${named[place]?.id} of series ${quoteWords(series.title, 200)}: its note ${found.join('; it ')}.`,
    );
  }
  return { ...series, steps };
}

/**
 * Notes become finish-to-start dependencies.
 * @throws `unknown_step` for a series' note, `limit_exceeded` for too many dependencies or wrong notes
 */
export async function resolvePrerequisites(
  draft: PlanDraft,
): Promise<{ draft: PlanDraft; findings: NewFinding[] }> {
  const problems = new Problems();
  const series: Series[] = [];
  for (const [index, one] of (draft.series ?? []).entries())
    series.push(await resolveSeries(one, index, problems));
  problems.settle();
  const resolved = { ...draft, ...(draft.series === undefined ? {} : { series }) };
  if (!draft.steps.some(({ notes }) => namesPrerequisites(notes)))
    return { draft: resolved, findings: [] };
  const ids = idsOf(draft.steps);
  const named = draft.steps.map((step, place) => ({
    ...step,
    id: ids[place] ?? String(place + 1),
  }));
  const { steps, wrong } = await resolveSteps(named);
  if (wrong.length > maxFindings) {
    throw new CountersignError(
      'limit_exceeded',
      `${countOf(wrong.length, 'step')} have notes whose prerequisites are unknown, ambiguous or circular. The first: step ${named[wrong[0]?.place ?? 0]?.id}, its note ${wrong[0]?.problems.join('; it ')}.`,
    );
  }
  const findings = [...Map.groupBy(wrong, ({ place }) => place)].map(([place, all]): NewFinding => {
    const step = named[place];
    const found = all.flatMap((one) => one.problems);
    return {
      severity: 'ERROR',
      category: 'prerequisite',
      message: shorten(
        `Step ${step?.id} (${shorten(step?.description ?? '', 120)}): its note ${found.join('; it ')}.`,
        2000,
      ),
      step_id: step?.id,
      evidence: [{ text: shorten(`notes: ${JSON.stringify(step?.notes)}`, 2000) }],
    };
  });
  return { draft: { ...resolved, steps }, findings };
}
