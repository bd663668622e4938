// Sends webhooks; libraries are loaded with the first event.
import type { Clock } from '#domain/clock.ts';
import type { WebhookAnswer, WebhookMessage, WebhookSettings } from '#domain/webhook.ts';
import { createAddressRules } from '#tools/http/addresses.ts';

export type Sender = {
  /** Never throws. */
  send(
    endpoint: WebhookSettings,
    message: WebhookMessage,
    stopping?: AbortSignal,
  ): Promise<WebhookAnswer>;
  close(): Promise<void>;
};

const usualTimeoutMs = 10_000;

/** @param options.allowPrivate private hosts and CIDR ranges that may be called */
export function openSender(options: {
  allowPrivate: string[];
  clock: Clock;
  timeoutMs?: number;
}): Sender {
  const { allowPrivate, clock, timeoutMs = usualTimeoutMs } = options;
  const rules = createAddressRules(allowPrivate);
  const load = async () => {
    const [{ createGuardedAgent }, { send }] = await Promise.all([
      import('#tools/http/guarded-agent.ts'),
      import('./send.ts'),
    ]);
    return { agent: createGuardedAgent(rules), send };
  };
  let loaded: ReturnType<typeof load> | null = null;
  return {
    async send(endpoint, message, stopping) {
      loaded ??= load();
      const { agent, send } = await loaded;
      return await send({ agent, rules, timeoutMs, clock }, endpoint, message, stopping);
    },
    async close() {
      await (await loaded)?.agent.destroy();
    },
  };
}
