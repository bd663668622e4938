// The open form of a step.
import { advance, type BuildMove } from '#domain/plan/build.ts';
import type { OperationField, OperationForm, Suggestion } from '#domain/plan/operation-form.ts';
import { browserZone } from '../plan/browser-zone.ts';
import { get } from './api.ts';
import { change, changeNow, state } from './store.ts';

export type FormPlace = 'builder' | 'editing';

/** @param now draws at once, for the focus */
export function moveForm(place: FormPlace, move: BuildMove, now = false): void {
  (now ? changeNow : change)((s) => {
    const open = s[place];
    if (open !== null) open.build = advance(open.build, move, browserZone);
  });
}

/** A new item gets the focus. */
export function repeatList(place: FormPlace, list: string, count: number): void {
  moveForm(place, { kind: 'repeat', list, count }, true);
  document
    .querySelector<HTMLElement>(
      `.operation-form [data-field^="${list}/${count - 1}/"] :is(textarea, input)`,
    )
    ?.focus();
}

/** For a field with `pick`; without them it takes any text. */
async function readValues(
  { name }: OperationForm,
  field: OperationField,
  typed: string,
): Promise<Suggestion[]> {
  const query = new URLSearchParams({ field: field.name, ...(typed === '' ? {} : { typed }) });
  const path = `/api/operations/${encodeURIComponent(name)}/values?${query}`;
  const { values } = await get<{ values: Suggestion[] }>(path).catch(() => ({ values: [] }));
  return values;
}

let suggesting = 0;

export async function suggest(
  place: FormPlace,
  field: OperationField,
  typed: string,
): Promise<void> {
  suggesting += 1;
  const own = suggesting;
  const step = state[place]?.build.step;
  if (step == null) return;
  const values = await readValues(step.form, field, typed);
  if (own !== suggesting) return;
  change((s) => {
    const open = s[place];
    if (open !== null) open.values = new Map([...open.values, [field.name, values]]);
  });
}
