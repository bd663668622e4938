// Orders steps: in sequence, or parallel if joined by `and` without shared files.
import { posix } from 'node:path';
import { readLag } from '#domain/length.ts';
import { referencesOf } from '#domain/plan/arguments.ts';
import { conditionsOf } from '#domain/plan/condition.ts';
import { toDependency } from '#domain/plan/dependency.ts';
import type { JsonObject } from '#domain/text.ts';
import { shorten, trimTail } from '#domain/words.ts';
import type { Span } from '#timeline/spoken-times.ts';
import { type Question, readReply } from '../commands/answers.ts';
import { baseName, CommandRefusal, placeFor } from '../commands/request.ts';
import type { PlannerTools } from '../ports.ts';
import { filesOf, type Setting, type Step } from './describe.ts';

const overlap = (a: string, b: string): boolean =>
  a === b || a === '' || b === '' || a.startsWith(`${b}/`) || b.startsWith(`${a}/`);
const meet = (a: string[], b: string[]): boolean =>
  a.some((one) => b.some((other) => overlap(one, other)));

/** Minutes. @throws CommandRefusal */
export function readWait(lag: Span | null): number {
  const read = lag === null ? 0 : readLag(lag.words);
  if (typeof read === 'string') throw new CommandRefusal(read);
  return read;
}

/** @throws CommandRefusal if times or repetitions forbid the order */
export function orderSteps(steps: Step[]): void {
  const recurring = steps.filter(({ recurs }) => recurs !== null);
  const [again] = recurring;
  if (
    again !== undefined &&
    (recurring.length < steps.length || steps.some(({ when }) => when.length > 0))
  )
    throw new CommandRefusal(
      `A repeated command must be sent alone. Send “${shorten(again.command.words, 80)}” by itself.`,
    );
  const isChained = recurring.some(
    ({ command: { follows, modifiers } }, at) =>
      follows && modifiers.every === recurring[at - 1]?.command.modifiers.every,
  );
  if (
    isChained ||
    (recurring.length > 1 &&
      recurring.some((one, at) =>
        recurring.some((other, k) => k < at && meet(filesOf(one).changes, filesOf(other).changes)),
      ))
  )
    throw new CommandRefusal(
      "Repeated commands run independently, so they can't change the same files or depend on each other. Send them as one plan, or use different files.",
    );
  if (again !== undefined) return;
  let before: Step[] = [];
  let group: Step[] = [];
  let latest = '';
  for (const step of steps) {
    // A part waits for the whole part before it.
    if (group.some(({ command }) => command.part !== step.command.part)) [before, group] = [[], []];
    if (step.command.follows && group.length > 0) {
      const waitedFor = new Set(group.flatMap(({ after }) => after.map(({ id }) => id)));
      before = group.filter(({ id }) => !waitedFor.has(id));
      group = [];
    }
    const own = filesOf(step);
    const taken = new Set([
      ...referencesOf(step.args).map(({ $from }) => $from),
      ...conditionsOf(step.when).map((one) => one.step),
    ]);
    const met = group.filter((one) => {
      const files = filesOf(one);
      const shared =
        meet(own.changes, [...files.changes, ...files.reads]) || meet(own.reads, files.changes);
      return shared || taken.has(one.id) || one.spec.name === 'control_wait';
    });
    const lag = step.command.modifiers.lag;
    const lag_minutes = readWait(lag);
    if (lag !== null && before.length === 0)
      throw new CommandRefusal(`“after ${lag.words}” needs a command before it, joined by “then”.`);
    const waits = lag !== null ? [...before, ...met] : met.length > 0 ? met : before;
    step.after = waits.map(({ id }) => ({ ...toDependency(id), lag_minutes }));
    if (step.start !== null) {
      if (latest !== '' && waits.length > 0 && Date.parse(step.start) < Date.parse(latest))
        throw new CommandRefusal(
          `“${shorten(step.command.words, 80)}” comes after a command with a later time. Change its time, or send it by itself.`,
        );
      latest = step.start;
    }
    group.push(step);
  }
}

const clean = (path: string): string => trimTail(posix.normalize(path), /\//);

function* otherNames(path: string): Generator<string> {
  const { dir, name, ext } = posix.parse(path);
  for (let count = 2; ; count += 1) yield posix.join(dir, `${name}-${count}${ext}`);
}

class Targets {
  readonly questions: Question[] = [];
  readonly #setting: Setting;
  readonly #tools: PlannerTools;
  readonly #signal: AbortSignal;
  /** Whether something is at a path after the steps so far. */
  readonly #left = new Map<string, boolean>();

  constructor(setting: Setting, tools: PlannerTools, signal: AbortSignal) {
    this.#setting = setting;
    this.#tools = tools;
    this.#signal = signal;
  }

  async exists(path: string): Promise<boolean> {
    const known = this.#left.get(clean(path));
    if (known !== undefined) return known;
    const seen = await this.#tools.inspect?.('workspace_write', { path }, this.#signal);
    return seen?.state === 'exists';
  }

  async placeOf(from: string, target: string): Promise<string> {
    if (target.endsWith('/') || !(await this.exists(target))) return placeFor(from, target);
    const isFolder = await this.#tools
      .call('workspace_list', { path: target }, this.#signal)
      .catch(() => null); // a file, or a folder that an earlier step creates
    return isFolder === null ? target : `${target}/${baseName(from)}`;
  }

  /** @returns another name for `to`, or null to keep it */
  async settleMove(args: JsonObject, at: number): Promise<{ place: string; other: string } | null> {
    const { from, to, overwrite } = args;
    if (typeof from !== 'string' || typeof to !== 'string' || overwrite !== undefined) return null;
    const place = await this.placeOf(from, to);
    if (clean(place) === clean(from) || !(await this.exists(place))) return null;
    let other = '';
    for (other of otherNames(place)) if (!(await this.exists(other))) break;
    const id = `target ${at}`;
    const options = [`Overwrite ${place}`, `Use ${other} instead`];
    const reply = (this.#setting.answers.get(id) ?? '').trim();
    if (/^overwrite\b/i.test(reply)) {
      args.overwrite = true;
      return null;
    }
    const named = reply === options[1] ? other : readReply(reply, 'file', this.#setting);
    const free = typeof named === 'string' && named !== '' && (await this.placeOf(from, named));
    if (free && !(await this.exists(free))) return { place, other: free };
    const text = `${place} already exists. Overwrite it, or use another name?`;
    this.questions.push({ id, text, options });
    return null;
  }

  leave({ spec, args, ...step }: Step): void {
    const isDelete = spec.name === 'workspace_delete';
    const gone = spec.name === 'workspace_move' ? args.from : null;
    for (const path of filesOf({ spec, args, ...step }).changes)
      this.#left.set(clean(path), !isDelete && path !== gone);
  }
}

function rename(args: JsonObject, from: string, to: string): void {
  for (const name of ['path', 'from', 'to'])
    if (typeof args[name] === 'string' && clean(args[name]) === clean(from)) args[name] = to;
}

/** Sets `overwrite` or another `to`. @returns open questions */
export async function settleTargets(
  steps: Step[],
  setting: Setting,
  { tools, signal }: { tools: PlannerTools; signal: AbortSignal },
): Promise<Question[]> {
  const targets = new Targets(setting, tools, signal);
  for (const [at, step] of steps.entries()) {
    const moved =
      step.spec.name === 'workspace_move' ? await targets.settleMove(step.args, at) : null;
    // Later commands mean the moved file.
    if (moved !== null) {
      step.args.to = moved.other;
      for (const { args } of steps.slice(at + 1)) rename(args, moved.place, moved.other);
    }
    targets.leave(step);
  }
  return targets.questions;
}
