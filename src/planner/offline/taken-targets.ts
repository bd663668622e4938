// Finds moves to an existing path before they are proposed, and asks whether to overwrite it or use another name.
import { posix } from 'node:path';
import type { JsonObject } from '#domain/text.ts';
import { trimTail } from '#domain/words.ts';
import { type Question, readReply } from '../commands/answers.ts';
import { baseName, placeFor } from '../commands/request.ts';
import type { PlannerTools } from '../ports.ts';
import { filesOf, type Setting, type Step } from './describe.ts';

const clean = (path: string): string => trimTail(posix.normalize(path), /\//);

/** `archive/a-2.md`, `archive/a-3.md`, … */
function* otherNames(path: string): Generator<string> {
  const { dir, name, ext } = posix.parse(path);
  for (let count = 2; ; count += 1) yield posix.join(dir, `${name}-${count}${ext}`);
}

class Targets {
  readonly questions: Question[] = [];
  readonly #setting: Setting;
  readonly #tools: PlannerTools;
  readonly #signal: AbortSignal;
  /** Whether the steps so far leave something at a path. */
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

  /** Inside `target`, if it is a folder. */
  async placeOf(from: string, target: string): Promise<string> {
    if (target.endsWith('/') || !(await this.exists(target))) return placeFor(from, target);
    const isFolder = await this.#tools
      .call('workspace_list', { path: target }, this.#signal)
      .catch(() => null); // a file, or a folder that only an earlier step creates
    return isFolder === null ? target : `${target}/${baseName(from)}`;
  }

  /** @returns the name to use instead of `to`, or null to keep it */
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

/** Sets `overwrite` or another `to`. @returns the remaining questions */
export async function settleTargets(
  steps: Step[],
  setting: Setting,
  { tools, signal }: { tools: PlannerTools; signal: AbortSignal },
): Promise<Question[]> {
  const targets = new Targets(setting, tools, signal);
  for (const [at, step] of steps.entries()) {
    const moved =
      step.spec.name === 'workspace_move' ? await targets.settleMove(step.args, at) : null;
    // Later commands mean the moved file, not the one that was there.
    if (moved !== null) {
      step.args.to = moved.other;
      for (const { args } of steps.slice(at + 1)) rename(args, moved.place, moved.other);
    }
    targets.leave(step);
  }
  return targets.questions;
}
