// Checks that chat platforms accept their configuration, for `countersign doctor` and the console's settings.
import type { Logger } from 'pino';
import { errorMessage } from '#domain/errors.ts';
import type { CheckResult } from '#domain/settings-view.ts';
import type { ConfiguredChat } from '../config.ts';
import type { OpenChats } from '../wire/open-chats.ts';

export async function checkChat(
  { platform: { title: part, guide }, setup }: ConfiguredChat,
  log: Logger,
): Promise<CheckResult> {
  if (setup === null) return { part, state: 'off', text: 'Not set up.', advice: `See ${guide}.` };
  try {
    return { part, ...(await setup.check((message) => log.warn(message))) };
  } catch (error) {
    return { part, state: 'broken', text: errorMessage(error), advice: setup.advice };
  }
}

/** Organisations that installed the app. */
export async function checkInstalled(chats: OpenChats, name: string): Promise<CheckResult[]> {
  return (await chats[name]?.checkInstalled?.()) ?? [];
}
