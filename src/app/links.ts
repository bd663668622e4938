// Links to plans; chats get only a public address.
import { isEveryHost, isReachable } from '#domain/public-url.ts';
import type { Config } from './config.ts';

/** On this machine. */
export function addressOf({ env }: Pick<Config, 'env'>, port: number): string {
  const host = isEveryHost(env.HOST) ? '127.0.0.1' : env.HOST;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

type LinkTo = (planId: string) => string | null;

/** @param here local address; may change until listening */
export function createLinks(
  { env }: Pick<Config, 'env'>,
  here: () => string,
): { linkTo: LinkTo; chatLinkTo: LinkTo } {
  const { COUNTERSIGN_PUBLIC_URL: outside, HOST: host } = env;
  const at = (base: string) => (planId: string) => `${base}/?plan=${encodeURIComponent(planId)}`;
  return {
    linkTo: (planId) => at(outside ?? here())(planId),
    chatLinkTo(planId) {
      if (outside !== undefined) return at(outside)(planId);
      return isReachable(host) ? at(here())(planId) : null;
    },
  };
}
