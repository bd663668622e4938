// The builder's windows and what is entered in them. Pure.
import type { types } from '@slack/bolt';
import { z } from 'zod';
import { type BuildForm, type BuildView, buildWords as words } from '#cards/build-view.ts';
import { windowWords } from '#cards/chat-words.ts';
import {
  buildBlock,
  buildBlocks,
  drawBuild,
  drawBuildForm,
  isKept,
  mayPropose,
} from '#cards/slack-build.ts';
import { drawWindow, valueId } from '#cards/slack-windows.ts';
import type { Field } from '#cards/view.ts';
import { parseAs } from '#domain/json.ts';
import { type Build, type Repetition, repetitions } from '#domain/plan/build.ts';
import type { Entry } from '#domain/plan/operation-form.ts';
import type { BuildChange } from '#domain/service.ts';
import type { SentSignal } from '../signals/read-signal.ts';
import { toBlocks } from './windows.ts';

/** Windows: the plan, or a step's form on top of it. */
const callbacks = { plan: 'countersign:build', step: 'countersign:build_step' } as const;

/** `place`: where the plan is posted, or null for direct messages. */
const Held = z.object({
  team: z.string(),
  user: z.string(),
  place: z.object({ channel: z.string(), thread: z.string().nullable() }).nullable(),
  page: z.int().default(0),
});
export type BuildHeld = z.infer<typeof Held>;

type View = SentSignal['sent']['view'];

export const isBuild = ({ callback_id }: Pick<View, 'callback_id'>): boolean =>
  callback_id === callbacks.plan || callback_id === callbacks.step;
export const isStepForm = ({ callback_id }: Pick<View, 'callback_id'>): boolean =>
  callback_id === callbacks.step;

/** Null unless the window was opened for this person. */
export function readBuildHeld(team: string, user: string, view: View): BuildHeld | null {
  const held = isBuild(view) ? parseAs(Held, view.private_metadata) : null;
  return held !== null && held.team === team && held.user === user ? held : null;
}

function makeWindow(
  held: BuildHeld,
  kind: keyof typeof callbacks,
  window: { title: string; submit: string | null; close: string; blocks: object[] },
): types.ModalView {
  // `cards/` makes valid blocks by construction.
  return drawWindow({
    ...window,
    callback_id: callbacks[kind],
    metadata: JSON.stringify(held),
  }) as unknown as types.ModalView;
}

export function planWindow(held: BuildHeld, view: BuildView, { before, plan, step }: Build) {
  const mark = `${before.length}:${plan.steps.map(({ id }) => id).join('.')}`;
  return makeWindow({ ...held, page: 0 }, 'plan', {
    title: words.title,
    submit: mayPropose(view) ? words.propose : null,
    close: windowWords.close,
    blocks: toBlocks(drawBuild(view, mark.slice(0, 200), step !== null)),
  });
}

export function stepWindow(held: BuildHeld, form: BuildForm): types.ModalView {
  const { page, pages, isNew } = form;
  const submit = page < pages - 1 ? words.nextPage : isNew ? words.add : words.save;
  return makeWindow({ ...held, page }, 'step', {
    ...{ title: words.title, submit, close: words.back },
    blocks: toBlocks(drawBuildForm(form)),
  });
}

const valueIn = (view: View, block: string) => view.state?.values[block]?.[valueId];
const textIn = (view: View, block: string): string => valueIn(view, block)?.value?.trim() ?? '';

/** An entry, or undefined for none. `person`: a user's ID. */
function readField(view: View, field: Field): { entry: Entry | undefined; person?: string } {
  const entered = valueIn(view, buildBlock(field.name));
  const { options, type, several, pick, required } = field;
  const byPlace = (value: string) => options[Number(value)]?.value ?? '';
  if (several === true) {
    const chosen = (entered?.selected_options ?? []).map(({ value }) => byPlace(value));
    return { entry: chosen.length === 0 ? undefined : chosen.join('\n') };
  }
  if (type === 'boolean') {
    const ticked = (entered?.selected_options ?? []).length > 0;
    return { entry: ticked || required || field.value === 'true' ? ticked : undefined };
  }
  const person = entered?.selected_user;
  if (typeof person === 'string') return { entry: undefined, person };
  const option = entered?.selected_option?.value;
  const value = pick === 'file' ? (option ?? entered?.value) : entered?.value;
  const text =
    type === 'choice'
      ? option === undefined
        ? undefined
        : byPlace(option)
      : (value ?? entered?.selected_date ?? undefined);
  return { entry: text === undefined || text === '' ? undefined : text };
}

/** The entries of the form's page. @param accountOf the account of a chosen user, or null */
export async function readEntered(
  view: View,
  form: BuildForm,
  accountOf: (user: string) => Promise<string | null>,
): Promise<BuildChange[]> {
  const entries: Record<string, Entry | undefined> = {};
  for (const field of form.fields.filter((one) => !isKept(one))) {
    const { entry, person } = readField(view, field);
    entries[field.name] = person === undefined ? entry : ((await accountOf(person)) ?? undefined);
  }
  const fill: BuildChange = { kind: 'fill', entries };
  if (form.page < form.pages - 1) return [fill];
  const waits = valueIn(view, buildBlocks.waits)?.selected_options ?? [];
  const after = form.waits.length === 0 ? {} : { after: waits.map(({ value }) => value) };
  return [fill, { kind: 'wait', ...after, at: textIn(view, buildBlocks.at) }];
}

const isRepetition = (value: string): value is Repetition => Object.hasOwn(repetitions, value);

export function readTerms(view: View): BuildChange {
  const chosen = valueIn(view, buildBlocks.repeats)?.selected_option?.value ?? '';
  const repeats = isRepetition(chosen) ? chosen : '';
  const from = repeats === '' ? '' : textIn(view, buildBlocks.from);
  return { kind: 'terms', title: textIn(view, buildBlocks.title), repeats, from };
}
