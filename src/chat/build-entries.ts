// Entries and presses in a chat's plan builder.
import type { BuildForm } from '#cards/build-view.ts';
import type { Field } from '#cards/view.ts';
import type { Actor } from '#domain/people/actor.ts';
import { isRepeatRule } from '#domain/plan/build.ts';
import type { Entry } from '#domain/plan/operation-form.ts';
import type { BuildChange, EditedStep, Service } from '#domain/service.ts';

type Viewer = { user: string; timezone: string };
type Edits = EditedStep & { plan: string };

/** Reads and changes the plan that a person builds, or the open form of a step of a plan. */
export const openBuilder = (
  service: Service,
  edits: Edits | undefined,
  viewer: Viewer,
  actor: Actor,
) =>
  edits === undefined
    ? {
        read: () => service.readBuild(viewer, actor),
        change: (changes: BuildChange[]) => service.changeBuild(changes, viewer, actor),
      }
    : {
        read: () => service.readStepEdit(edits.plan, edits, viewer, actor),
        change: (changes: BuildChange[]) =>
          service.changeStepEdit(edits.plan, edits, changes, viewer, actor),
      };

/** @param entered text, a tick, or positions of options @returns undefined for no entry */
export function readEntry(
  { options, required, value: before }: Field,
  entered: string | boolean | string[],
): Entry | undefined {
  if (typeof entered === 'string') return entered.trim() === '' ? undefined : entered;
  if (typeof entered === 'boolean')
    return entered || required || before === 'true' ? entered : undefined;
  const chosen = entered.flatMap((position) => options[Number(position || Number.NaN)] ?? []);
  return chosen.length === 0 ? undefined : chosen.map(({ value }) => value).join('\n');
}

/** @param places of the chosen predecessors, as positions among those offered */
export function readPage(
  { isLast, waits }: BuildForm,
  entries: Record<string, Entry | undefined>,
  { after: places, at }: { after: string[]; at: string },
): BuildChange[] {
  const fill: BuildChange = { kind: 'fill', entries };
  const after = places.flatMap((place) => waits[Number(place || Number.NaN)]?.id ?? []);
  return isLast ? [fill, { kind: 'wait', ...(waits.length === 0 ? {} : { after }), at }] : [fill];
}

/** Repetitions that aren't offered are ignored. */
export function readTerms({
  title = '',
  repeats: chosen = '',
  from = '',
}: Partial<Record<'title' | 'repeats' | 'from', string>>): BuildChange {
  const repeats = isRepeatRule(chosen) ? chosen : '';
  return { kind: 'terms', title, repeats, from: repeats === '' ? '' : from };
}

/** @param target the step, or the operation to add */
export function readMove(verb: string, target: string): BuildChange | null {
  switch (verb) {
    case 'choose':
      return { kind: 'choose', operation: target };
    case 'edit':
    case 'remove':
      return { kind: verb, step: target };
    case 'up':
    case 'down':
      return { kind: 'move', step: target, by: verb === 'up' ? -1 : 1 };
    case 'undo':
      return { kind: 'undo' };
    case 'back':
      return { kind: 'leave' };
    default:
      return null;
  }
}
