// Cards in a chat thread, for story tests.
import { expect } from 'vitest';
import type { Plan } from '#domain/plan/plan.ts';
import type { TestInstance } from '../../setup/instance.ts';
import { waitFor } from '../../wait.ts';
import { settled } from '../inbox/bench.ts';
import type { Chat } from './chats.ts';

export const hasButton = (message: string | undefined, action: string) =>
  new RegExp(`countersign:${action}|"verb":"${action}"|"action":"${action}"`).test(message ?? '');

export const planIn = (message: string | undefined) =>
  /PLAN-[0-9a-f]{8}/.exec(message ?? '')?.[0] ?? '';

/** @returns the index of the last message with all `words` */
export const see = (chat: Chat, ...words: string[]): Promise<number> =>
  waitFor(`a message with ${words.join(', ')}`, async () => {
    const has = (message: string) => words.every((one) => message.includes(one));
    const index = chat.messages().findLastIndex(has);
    return index >= 0 && { index };
  }).then(({ index }) => index);

// Outdated cards lose their buttons first.
export function openCards(instance: TestInstance, chat: Chat, count: number): Promise<string[]> {
  return waitFor(`${count} open cards`, async () => {
    await settled(instance);
    const open = chat.messages().filter((message) => hasButton(message, 'approve'));
    return open.length === count && open.map(planIn);
  });
}

export async function seeOnePlan(
  instance: TestInstance,
  chat: Chat,
  version = 1,
): Promise<{ plan: Plan; card: number }> {
  if (version > 1) await see(chat, `Changed since version ${version - 1}`);
  const [id = ''] = await openCards(instance, chat, 1);
  const plan = await instance.service.getPlan(id);
  expect(plan).toMatchObject({ status: 'proposed', version });
  const conversation = plan.conversation ?? '';
  const { plans } = await instance.service.listPlans({ conversation, limit: 10 });
  expect(plans.map((one) => one.id)).toEqual([id]);
  return { plan, card: chat.messages().findIndex((one) => hasButton(one, 'approve')) };
}
