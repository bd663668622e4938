// Buttons on the list of reminders and recurring steps.
import type { types } from '@slack/bolt';
import { z } from 'zod';
import { escapeMrkdwn } from '#cards/plain.ts';
import {
  drawRecurringBlocks,
  type RecurringView,
  recurringForm,
  viewRecurring,
} from '#cards/recurring.ts';
import { recurringWords } from '#cards/recurring-words.ts';
import { drawForm } from '#cards/slack-windows.ts';
import { sayRefusal } from '#chat/talk.ts';
import { parseAs } from '#domain/json.ts';
import { personInChat } from '#domain/people/actor.ts';
import type { RecurringChange } from '#domain/plan/recurring.ts';
import type { PressSignal, SentSignal } from '../signals/read-signal.ts';
import type { SlackContext } from '../slack-context.ts';
import { readFieldValues } from './read-entered.ts';
import { tellAlone } from './send.ts';
import { makeWindow, toBlocks } from './windows.ts';

/** Begins the action IDs of such a list. */
export const recurringPrefix = 'countersign:recurring:';
const callback = 'countersign:recurring';

const Row = z.object({ id: z.string(), next_at: z.string() });
const Held = z.object({
  id: z.string(),
  team: z.string(),
  user: z.string(),
  answer_at: z.string().nullable(),
});

export function drawRecurring(view: RecurringView): { text: string; blocks: types.KnownBlock[] } {
  const text = [view.result, view.title].filter((part) => part !== '').join(' ');
  return { text: escapeMrkdwn(text), blocks: toBlocks(drawRecurringBlocks(view)) };
}

type By = { team: string; user: string; answerAt: string | undefined };

/** Redraws the list with the result. */
async function carryOut(
  context: SlackContext,
  { team, user, answerAt }: By,
  id: string,
  change: RecurringChange,
): Promise<void> {
  const { plansFor, people, respond, clock } = context;
  const who = await people.find(team, user);
  const plans = plansFor(team, who.id);
  const reader = { timezone: who.timezone, now: clock.now().toISOString() };
  const actor = personInChat(who, 'slack');
  let result = '';
  const refusal = await sayRefusal(async () => {
    const done = await plans.changeRecurring(id, change, { user: who.id }, actor);
    result = recurringWords.done({ change, ...done, ...reader });
  });
  const entries = await plans.listRecurring({ user: who.id });
  const list = drawRecurring(viewRecurring(entries, reader, refusal ?? result));
  const again = { ...list, replace_original: true };
  const isShown = answerAt !== undefined && (await respond(answerAt, again));
  if (!isShown) await tellAlone(context, { team, user, place: null }, refusal ?? result);
}

function readRow({ pressed }: PressSignal) {
  const [action] = pressed.actions;
  const row = parseAs(Row, action?.value ?? '');
  return row === null ? null : { ...row, action: action?.action_id.slice(recurringPrefix.length) };
}

export async function pressRecurring(context: SlackContext, signal: PressSignal): Promise<void> {
  const found = readRow(signal);
  if (found === null) return;
  const { team, pressed } = signal;
  const by = { team, user: pressed.user.id, answerAt: pressed.response_url };
  const { id, next_at, action } = found;
  if (action === 'skip') await carryOut(context, by, id, { action, next_at });
  if (action === 'end') await carryOut(context, by, id, { action });
}

export async function openRecurring(
  { clientOf }: Pick<SlackContext, 'clientOf'>,
  signal: PressSignal,
): Promise<void> {
  const found = readRow(signal);
  if (found?.action !== 'change') return;
  const { team, pressed } = signal;
  const { trigger_id, user, response_url } = pressed;
  const held = { id: found.id, team, user: user.id, answer_at: response_url ?? null };
  const view: types.ModalView = {
    ...makeWindow({
      title: recurringWords.change,
      submit: recurringForm.submit,
      kind: 'form',
      blocks: toBlocks(drawForm(recurringForm)),
    }),
    callback_id: callback,
    private_metadata: JSON.stringify(held),
  };
  const client = await clientOf(team);
  await client.views.open({ trigger_id, view });
}

/** Only from the person it was opened for. @returns whether it was one */
export async function sendRecurring(
  context: SlackContext,
  { team, sent: { view, user } }: SentSignal,
): Promise<boolean> {
  if (view.callback_id !== callback) return false;
  const held = parseAs(Held, view.private_metadata);
  if (held === null || held.team !== team || held.user !== user.id) return true;
  const { when, text } = readFieldValues(view, recurringForm.fields) ?? {};
  const change: RecurringChange = {
    action: 'change',
    ...(typeof when === 'string' ? { when } : {}),
    ...(typeof text === 'string' ? { text } : {}),
  };
  const answerAt = held.answer_at ?? undefined;
  await carryOut(context, { team, user: user.id, answerAt }, held.id, change);
  return true;
}
