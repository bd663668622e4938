// Finds minimal single changes that make a schedule fit.
import type { StrategyProfile } from '#domain/planning/schedule.ts';
import { type Lateness, type Pass, type PassInput, runForwardPass } from './forward-pass.ts';
import { dayOf, openWorkingTime, printDay, startOfDay, type WorkingTime } from './working-time.ts';

/** Epoch milliseconds. */
export type Remedy =
  | { kind: 'deadlines'; nodes: { id: string; to: number }[] }
  | { kind: 'release'; node: string }
  | { kind: 'days_on'; dates: string[] }
  | { kind: 'shorten'; node: string; minutes: number };

type Placed = Extract<Pass, { kind: 'placed' }>;

const mostDays = 8;
/** Days. */
const mostSpan = 60;
const mostPerKind = 2;
/** Nodes, over all trials. */
const mostWork = 200_000;

export type Setting = { input: PassInput; profile: StrategyProfile };

/** Least intrusive first. */
export function findRemedies(setting: Setting, pass: Placed): Remedy[] {
  const { input } = setting;
  let left = Math.max(8, Math.floor(mostWork / Math.max(1, input.nodes.length)));
  const fits = (changed: PassInput) => {
    left -= 1;
    return left >= 0 && isMet(runForwardPass(changed));
  };
  const [first] = pass.late;
  if (first === undefined) return [];
  const path = tracePath(input, pass, first.node);
  return [
    ...relaxDeadlines(pass.late, pass),
    ...relaxMoments(input, pass, path, fits),
    ...workMoreDays(setting, pass, first, path, fits),
    ...shortenWork(input, path, fits),
  ];
}

function isMet(pass: Pass): boolean {
  return pass.kind === 'placed' && pass.late.length === 0;
}

/** Only if nothing else is violated. */
function relaxDeadlines(late: readonly Lateness[], pass: Placed): Remedy[] {
  if (late.some(({ kind }) => kind !== 'deadline')) return [];
  const nodes = late.map(({ node, limit, by }) => ({
    id: node,
    to: pass.places.get(node)?.to ?? limit + by,
  }));
  return [{ kind: 'deadlines', nodes }];
}

/** Latest first. */
function tracePath(input: PassInput, pass: Placed, late: string): string[] {
  const nodes = new Map(input.nodes.map((node) => [node.id, node]));
  const path = new Set<string>();
  const look = [late];
  for (let id = look.pop(); id !== undefined && path.size < 200; id = look.pop()) {
    if (path.has(id)) continue;
    path.add(id);
    const driver = pass.drivers.get(id);
    if (driver?.kind === 'edge') look.push(driver.from);
    const node = nodes.get(id);
    if (driver?.kind !== 'person' || node === undefined) continue;
    const begin = pass.places.get(id)?.from ?? 0;
    const before = input.nodes
      .filter(
        (other) =>
          other.person === node.person &&
          other.id !== id &&
          (pass.places.get(other.id)?.to ?? begin + 1) <= begin,
      )
      .sort((a, b) => (pass.places.get(b.id)?.to ?? 0) - (pass.places.get(a.id)?.to ?? 0));
    if (before[0] !== undefined) look.push(before[0].id);
  }
  return [...path];
}

type Fits = (changed: PassInput) => boolean;

function changeNode(
  input: PassInput,
  id: string,
  change: Partial<PassInput['nodes'][number]>,
): PassInput {
  return {
    ...input,
    nodes: input.nodes.map((node) => (node.id === id ? { ...node, ...change } : node)),
  };
}

function relaxMoments(input: PassInput, pass: Placed, path: string[], fits: Fits): Remedy[] {
  const nodes = new Map(input.nodes.map((node) => [node.id, node]));
  const clashing = pass.late.map(({ node }) => node);
  const remedies: Remedy[] = [];
  for (const id of new Set([...clashing, ...path])) {
    const node = nodes.get(id);
    const moment = node?.fixed ?? node?.release ?? null;
    // A past release holds nothing back.
    if (moment === null || (node?.fixed === null && moment <= input.now)) continue;
    if (fits(changeNode(input, id, { fixed: null, release: null, anyHour: false })))
      remedies.push({ kind: 'release', node: id });
    if (remedies.length === mostPerKind) break;
  }
  return remedies;
}

/** A single day if enough, else the first ones. */
function workMoreDays(
  { input, profile }: Setting,
  pass: Placed,
  first: Lateness,
  path: string[],
  fits: Fits,
): Remedy[] {
  const nodes = new Map(input.nodes.map((node) => [node.id, node]));
  if (!path.some((id) => nodes.get(id)?.person !== null)) return [];
  const begin = Math.min(...path.map((id) => pass.places.get(id)?.from ?? first.limit));
  const { timezone } = input.time;
  const usual = setProfile(profile, [], timezone);
  const idle: string[] = [];
  const last = dayOf(first.limit, timezone);
  const from = Math.max(dayOf(Math.max(input.now, begin), timezone), last - mostSpan);
  for (let day = from; day <= last && idle.length < mostDays; day += 1)
    if (!worksOn(usual, day)) idle.push(printDay(day));
  const sets = [
    ...idle.map((date) => [date]),
    ...idle.slice(1).map((_, more) => idle.slice(0, more + 2)),
  ];
  for (const dates of sets)
    if (fits({ ...input, time: setProfile(profile, dates, timezone) }))
      return [{ kind: 'days_on', dates }];
  return [];
}

function setProfile(profile: StrategyProfile, dates: string[], timezone: string): WorkingTime {
  return openWorkingTime({ ...profile, days_on: [...profile.days_on, ...dates] }, timezone);
}

function worksOn(time: WorkingTime, day: number): boolean {
  for (const window of time.windowsFrom(startOfDay(day, time.timezone)))
    if (window.day >= day) return window.day === day;
  return false;
}

/** As little as needed, to quarter hours if possible. */
function shortenWork(input: PassInput, path: string[], fits: Fits): Remedy[] {
  const nodes = new Map(input.nodes.map((node) => [node.id, node]));
  const longest = path
    .flatMap((id) => nodes.get(id) ?? [])
    .filter(({ minutes }) => minutes > 1)
    .sort((a, b) => b.minutes - a.minutes)
    .slice(0, 3);
  const remedies: Remedy[] = [];
  for (const { id, minutes } of longest) {
    const grain = minutes > 30 ? 15 : 1;
    // In grains: `low` fits, `high` does not.
    let low = 1;
    let high = Math.ceil(minutes / grain);
    if (!fits(changeNode(input, id, { minutes: low * grain }))) continue;
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (fits(changeNode(input, id, { minutes: middle * grain }))) low = middle;
      else high = middle;
    }
    remedies.push({ kind: 'shorten', node: id, minutes: low * grain });
    if (remedies.length === mostPerKind) break;
  }
  return remedies;
}
