// The builder's windows and their input. Pure.
import type { types } from '@slack/bolt';
import { z } from 'zod';
import type { BuildForm, BuildView } from '#cards/build-view.ts';
import { buildWords as words } from '#cards/build-words.ts';
import { windowWords } from '#cards/chat-words.ts';
import { buildBlock, buildBlocks, drawBuild, drawBuildForm, isKept } from '#cards/slack-build.ts';
import { drawWindow, valueId } from '#cards/slack-windows.ts';
import type { Field } from '#cards/view.ts';
import { readEntry, readPage, readTerms } from '#chat/build-entries.ts';
import { parseAs } from '#domain/json.ts';
import type { Build } from '#domain/plan/build.ts';
import type { Entry } from '#domain/plan/operation-form.ts';
import type { BuildChange } from '#domain/service.ts';
import type { SentSignal } from '../signals/read-signal.ts';
import { toBlocks } from './windows.ts';

const callbacks = { plan: 'countersign:build', step: 'countersign:build_step' } as const;

/** `place`: null for direct messages. */
const Held = z.object({
  team: z.string(),
  user: z.string(),
  place: z.object({ channel: z.string(), thread: z.string().nullable() }).nullable(),
  page: z.int().default(0),
  /** The step of a waiting plan that is edited, instead of the person's own plan. */
  edits: z.object({ plan: z.string(), step: z.string(), opened: z.string().optional() }).optional(),
});
export type BuildHeld = z.infer<typeof Held>;

type View = SentSignal['sent']['view'];

export const isBuild = ({ callback_id }: Pick<View, 'callback_id'>): boolean =>
  callback_id === callbacks.plan || callback_id === callbacks.step;
export const isStepForm = ({ callback_id }: Pick<View, 'callback_id'>): boolean =>
  callback_id === callbacks.step;

/** Null unless opened for this person. */
export function readBuildHeld(team: string, user: string, view: View): BuildHeld | null {
  const held = isBuild(view) ? parseAs(Held, view.private_metadata) : null;
  return held !== null && held.team === team && held.user === user ? held : null;
}

function makeWindow(
  held: BuildHeld,
  kind: keyof typeof callbacks,
  window: { title: string; submit: string | null; close: string; blocks: object[] },
): types.ModalView {
  // `cards/` makes valid blocks.
  return drawWindow({
    ...window,
    callback_id: callbacks[kind],
    metadata: JSON.stringify(held),
  }) as unknown as types.ModalView;
}

export function planWindow(held: BuildHeld, view: BuildView, { before, plan, step }: Build) {
  const mark = `${before.length}:${step?.form.name ?? ''}:${plan.steps.map(({ id }) => id).join('.')}`;
  return makeWindow({ ...held, page: 0 }, 'plan', {
    title: words.title,
    submit: view.mayPropose ? words.propose : null,
    close: windowWords.close,
    blocks: toBlocks(drawBuild(view, mark.slice(0, 200))),
  });
}

export function stepWindow(held: BuildHeld, form: BuildForm): types.ModalView {
  const { page, submit, window: title, opened } = form;
  const edits = held.edits === undefined ? undefined : { ...held.edits, opened };
  return makeWindow({ ...held, page, edits }, 'step', {
    ...{ title, submit, close: words.back },
    blocks: toBlocks(drawBuildForm(form)),
  });
}

const valueIn = (view: View, block: string) => view.state?.values[block]?.[valueId];
const textIn = (view: View, block: string): string => valueIn(view, block)?.value?.trim() ?? '';

/** Text, tick or option positions; people by user ID. */
function readField(view: View, { name, type, several, options, pick }: Field) {
  const entered = valueIn(view, buildBlock(name));
  const chosen = (entered?.selected_options ?? []).map(({ value }) => value);
  if (several === true) return chosen;
  if (type === 'boolean') return chosen.length > 0;
  if (typeof entered?.selected_user === 'string') return { person: entered.selected_user };
  const option = entered?.selected_option?.value;
  if (type === 'choice') return options[Number(option ?? Number.NaN)]?.value ?? '';
  const value = pick === 'file' ? (option ?? entered?.value) : entered?.value;
  return value ?? entered?.selected_date ?? '';
}

/** @param accountOf null if unknown; `before` if that is the same person */
export async function readEntered(
  view: View,
  form: BuildForm,
  accountOf: (user: string, before: string) => Promise<string | null>,
): Promise<BuildChange[]> {
  const entries: Record<string, Entry | undefined> = {};
  for (const field of form.fields.filter((one) => !isKept(one))) {
    const entered = readField(view, field);
    const isPerson = typeof entered === 'object' && 'person' in entered;
    const given = isPerson ? ((await accountOf(entered.person, field.value ?? '')) ?? '') : entered;
    entries[field.name] = readEntry(field, given);
  }
  const chosen = valueIn(view, buildBlocks.waits)?.selected_options ?? [];
  const after = chosen.map(({ value }) => value);
  return readPage(form, entries, { after, at: textIn(view, buildBlocks.at) });
}

export const readTermsIn = (view: View): BuildChange =>
  readTerms({
    title: textIn(view, buildBlocks.title),
    repeats: valueIn(view, buildBlocks.repeats)?.selected_option?.value ?? '',
    from: textIn(view, buildBlocks.from),
  });
