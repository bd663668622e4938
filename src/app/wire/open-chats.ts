// Opens the configured chat platforms.
import type { ChatContext, OpenPlatform, PlatformParts } from '#chat/platform.ts';
import { chatTenant } from '#domain/plan/scope.ts';
import type { PlatformName } from '#domain/platform-name.ts';
import type { ServeWithin } from '#domain/service.ts';
import type { Config } from '../config.ts';

export type OpenChats = Record<PlatformName, OpenPlatform>;

export async function openChats(
  { chats, apart }: Config,
  {
    serveWithin,
    openHome,
    ...parts
  }: Omit<PlatformParts, 'plansFor' | 'openHome'> & {
    serveWithin: ServeWithin;
    openHome(on: { platform: PlatformName; tenant: string; user: string }): Promise<void>;
  },
): Promise<OpenChats> {
  const open: OpenChats = {};
  for (const { platform, setup } of chats) {
    if (setup === null) continue;
    const { name } = platform;
    const plansFor: ChatContext['plansFor'] = (tenant, reader) =>
      apart ? serveWithin({ tenant: chatTenant(name, tenant), reader }) : parts.service;
    open[name] = await setup.open({
      ...{ ...parts, plansFor },
      openHome: (home) => openHome({ platform: name, ...home }),
    });
  }
  return open;
}
