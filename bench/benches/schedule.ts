// Schedules PSPLIB (`.sm`) and RCPSP/max (`.sch`) instances.
// Compares one pass and the search with the best known end; the verifier shares no code with them.
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { CountersignError } from '#domain/errors.ts';
import { isSliceOver, nextTurn } from '#domain/slices.ts';
import { type PassInput, runForwardPass, type TimedEdge } from '#timeline/forward-pass.ts';
import { improvePass } from '#timeline/improve-pass.ts';
import { minuteMs, openWorkingTime } from '#timeline/working-time.ts';
import { type BenchRow, makeRow } from '../row.ts';
import type { Bench } from '../stage.ts';

const usualSchedules = 1000;

/** A negative lag between starts is a maximum distance. */
export type Project = {
  name: string;
  durations: number[];
  demands: number[][];
  capacities: number[];
  /** Between starts. */
  lags: { from: number; to: number; lag: number }[];
};

const numbersOf = (line: string): number[] => (line.match(/-?\d+/g) ?? []).map(Number);

/** @throws Error for another format */
export function readPsplib(name: string, text: string): Project {
  const lines = text.split(/\r?\n/);
  const after = (heading: RegExp, skip: number): number[][] => {
    const at = lines.findIndex((line) => heading.test(line));
    if (at === -1) throw new Error(`${name} has no ${heading.source}`);
    const end = lines.findIndex((line, index) => index > at && line.startsWith('***'));
    return lines.slice(at + 1 + skip, end === -1 ? undefined : end).map(numbersOf);
  };
  const jobs = after(/^REQUESTS\/DURATIONS/, 2).filter((row) => row.length > 2);
  const durations = jobs.map(([, , duration = 0]) => duration);
  const lags = after(/^PRECEDENCE RELATIONS/, 1).flatMap(([job = 0, , , ...successors]) =>
    successors.map((to) => ({ from: job - 1, to: to - 1, lag: durations[job - 1] ?? 0 })),
  );
  const [capacities = []] = after(/^RESOURCEAVAILABILITIES/, 1);
  return { name, durations, demands: jobs.map((row) => row.slice(3)), capacities, lags };
}

/** @throws Error for another format */
export function readSch(name: string, text: string): Project {
  const rows = text
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '')
    .map(numbersOf);
  const [count = 0] = rows[0] ?? [];
  const tasks = rows.slice(1, count + 3);
  const works = rows.slice(count + 3, 2 * count + 5);
  if (works.length !== count + 2) throw new Error(`${name} ends early`);
  const lags = tasks.flatMap(([from = 0, , successors = 0, ...rest]) =>
    Array.from({ length: successors }, (_, at) => ({
      from,
      to: rest[at] ?? 0,
      lag: rest[successors + at] ?? 0,
    })),
  );
  return {
    name,
    durations: works.map(([, , duration = 0]) => duration),
    demands: works.map((row) => row.slice(3)),
    capacities: rows[2 * count + 5] ?? [],
    lags,
  };
}

const noHours = openWorkingTime({ working_hours: [], days_off: [], days_on: [] }, 'UTC');

/** A minute per unit. */
function toInput({ durations, demands, capacities, lags }: Project): PassInput {
  const limits = lags.flatMap(({ from, to, lag }) =>
    lag < 0 ? [{ first: String(to), second: String(from), minutes: -lag }] : [],
  );
  return {
    nodes: durations.map((minutes, id) => ({
      id: String(id),
      minutes,
      person: null,
      release: null,
      fixed: null,
      deadline: null,
      demands: new Map(
        (demands[id] ?? []).flatMap((amount, pool) =>
          amount === 0 ? [] : [[String(pool), amount]],
        ),
      ),
    })),
    edges: lags.flatMap(({ from, to, lag }): TimedEdge[] =>
      lag < 0 ? [] : [{ from: String(from), to: String(to), type: 'SS', lag_minutes: lag }],
    ),
    ...(limits.length === 0 ? {} : { limits }),
    now: 0,
    time: noHours,
    minutesADay: null,
    busy: new Map(),
    capacity: new Map(capacities.map((capacity, pool) => [String(pool), capacity])),
  };
}

/** Checks every distance, and capacity at every unit. */
export function isFeasible(
  { durations, demands, capacities, lags }: Project,
  starts: number[],
): boolean {
  const start = (task: number) => starts[task] ?? Number.NaN;
  if (!durations.every((_, task) => start(task) >= 0)) return false;
  if (!lags.every(({ from, to, lag }) => start(to) - start(from) >= lag)) return false;
  const end = Math.max(...durations.map((length, task) => start(task) + length));
  for (let at = 0; at < end; at += 1) {
    const running = durations.flatMap((length, task) =>
      start(task) <= at && at < start(task) + length ? [task] : [],
    );
    const fits = capacities.every(
      (most, pool) => running.reduce((sum, task) => sum + (demands[task]?.[pool] ?? 0), 0) <= most,
    );
    if (!fits) return false;
  }
  return true;
}

/** Null if a maximum distance breaks. */
type Solved = { pass: number | null; search: number | null; ms: number };

export function solve(project: Project, schedules: number): Solved {
  const input = toInput(project);
  const first = runForwardPass(input);
  if (first.kind !== 'placed') throw new Error(`${project.name}: the order is a cycle`);
  const began = performance.now();
  const best = improvePass(input, first, schedules);
  const ms = performance.now() - began;
  const [pass, search] = [first, best].map(({ places, late }) => {
    const starts = project.durations.map(
      (_, id) => (places.get(String(id))?.from ?? -1) / minuteMs,
    );
    if (late.length > 0) return null;
    if (!isFeasible(project, starts)) throw new Error(`${project.name}: the schedule is wrong`);
    return Math.max(...project.durations.map((length, id) => (starts[id] ?? 0) + length));
  });
  return { pass: pass ?? null, search: search ?? null, ms };
}

async function readProjects(
  folder: string,
): Promise<{ projects: Project[]; best: Map<string, number | 'unsat'> }> {
  const names = await readdir(folder).catch((cause: unknown) => {
    throw new CountersignError('invalid_request', `--folder: no folder ${folder}`, { cause });
  });
  const files = names.filter((name) => /\.(?:sm|sch)$/.test(name)).sort();
  if (files.length === 0)
    throw new CountersignError('invalid_request', `--folder: ${folder} has no .sm or .sch files.`);
  const projects = await Promise.all(
    files.map(async (name) => {
      const text = await readFile(join(folder, name), 'latin1');
      return name.endsWith('.sm') ? readPsplib(name, text) : readSch(name, text);
    }),
  );
  const csv = await readFile(`${folder.replace(/\/$/, '')}.best.csv`, 'utf8').catch(() => '');
  const rows = csv.split(/\r?\n/).flatMap((row): [string, number | 'unsat'][] => {
    const [name = '', end = ''] = row.split(',');
    return end === 'unsat' ? [[name, end]] : /^\d+$/.test(end) ? [[name, Number(end)]] : [];
  });
  return { projects, best: new Map(rows) };
}

const mean = (values: number[]): number | null =>
  values.length === 0 ? null : values.reduce((sum, one) => sum + one, 0) / values.length;

export const measureSchedule: Bench = async (stage): Promise<BenchRow[]> => {
  if (stage.folder === undefined)
    throw new CountersignError(
      'invalid_request',
      'schedule needs --folder DIR, with instances as .sm or .sch files, and their best known ends in DIR.best.csv.',
    );
  const { projects, best } = await readProjects(stage.folder);
  const schedules = stage.steps ?? usualSchedules;
  const solved: (Solved & { best: number })[] = [];
  let impossible = 0;
  for (const project of projects) {
    if (isSliceOver()) await nextTurn();
    stage.signal.throwIfAborted();
    const known = best.get(project.name);
    if (known === 'unsat') impossible += 1;
    else if (known !== undefined) solved.push({ ...solve(project, schedules), best: known });
  }
  const name = `schedule/${basename(stage.folder)}`;
  const row = (
    what: string,
    of: 'pass' | 'search',
    target?: { reach: number; stretch: number },
  ) => {
    const ends = solved.flatMap((one) => {
      const end = one[of];
      return end === null ? [] : [((end - one.best) / one.best) * 100];
    });
    const missed = solved.length - ends.length;
    const note = [
      ...(missed === 0 ? [] : [`breaks a maximum distance in ${missed}`]),
      ...(impossible === 0 ? [] : [`${impossible} have no schedule`]),
    ].join(', ');
    return makeRow({
      name: `${name}/${what.replaceAll(' ', '-')}`,
      what: `${what}, over the best known end, mean of ${ends.length}`,
      unit: '%',
      value: mean(ends),
      ...(target === undefined ? {} : { target }),
      ...(note === '' ? {} : { note }),
    });
  };
  return [
    row('one pass', 'pass'),
    row(`${schedules} schedules`, 'search', {
      reach: stage.folder.includes('j30') ? 2 : 4,
      stretch: 1,
    }),
    makeRow({
      name: `${name}/time`,
      what: `${schedules} schedules, mean of ${solved.length}`,
      unit: 'ms',
      value: mean(solved.map(({ ms }) => ms)),
    }),
  ];
};
