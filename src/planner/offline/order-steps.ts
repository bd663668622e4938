// The order of steps: commands run in sequence, or in parallel if they are joined by `and` and share no file.
import { readLag } from '#domain/length.ts';
import { referencesOf } from '#domain/plan/arguments.ts';
import { conditionsOf } from '#domain/plan/condition.ts';
import { toDependency } from '#domain/plan/dependency.ts';
import { shorten } from '#domain/words.ts';
import type { Span } from '#timeline/spoken-times.ts';
import { CommandRefusal } from '../commands/request.ts';
import { filesOf, type Step } from './describe.ts';

const overlap = (a: string, b: string): boolean =>
  a === b || a === '' || b === '' || a.startsWith(`${b}/`) || b.startsWith(`${a}/`);
const meet = (a: string[], b: string[]): boolean =>
  a.some((one) => b.some((other) => overlap(one, other)));

/** In minutes. @throws CommandRefusal */
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
    // A part waits for the part before it as a whole.
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
