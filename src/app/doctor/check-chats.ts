// Checks that chat platforms accept their configuration.
import type { Logger } from 'pino';
import { errorMessage } from '#domain/errors.ts';
import type { CheckResult } from '#domain/settings-view.ts';
import type { ConfiguredChat } from '../config.ts';
import type { OpenChats } from '../wire/open-chats.ts';
import { brokenCheck, offCheck } from './results.ts';

export async function checkChat(
  { platform: { title: part, guide }, setup }: ConfiguredChat,
  log: Logger,
): Promise<CheckResult> {
  if (setup === null) return offCheck(part, 'Not set up.', `See ${guide}.`);
  try {
    return { part, ...(await setup.check((message) => log.warn(message))) };
  } catch (error) {
    return brokenCheck(part, errorMessage(error), setup.advice);
  }
}

export async function checkInstalled(chats: OpenChats, name: string): Promise<CheckResult[]> {
  return (await chats[name]?.checkInstalled?.()) ?? [];
}
