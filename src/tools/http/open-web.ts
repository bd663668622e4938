// The client behind tools' web calls, loaded on first use.
import type { Settings } from '#domain/settings.ts';
import type { AddressRules } from './addresses.ts';
import type { Lookup } from './guarded-agent.ts';
import type { WebClient } from './send-request.ts';

export type Web = WebClient & {
  close(): Promise<void>;
};

type WebOptions = {
  http: Settings['http'];
  rules: AddressRules;
  lookup: Lookup | undefined;
};

async function open({ http, rules, lookup }: WebOptions): Promise<Web> {
  const [{ createGuardedAgent }, { createWebClient }] = await Promise.all([
    import('./guarded-agent.ts'),
    import('./send-request.ts'),
  ]);
  const agent = createGuardedAgent(rules, lookup);
  const client = createWebClient({
    agent,
    rules,
    timeoutMs: http.timeout_ms,
    maxBytes: http.max_bytes,
  });
  return { ...client, close: () => agent.destroy() };
}

export function openWebAtFirstUse(options: WebOptions): Web {
  let web: Promise<Web> | null = null;
  return {
    async send(request) {
      // A failed load may succeed next time.
      web ??= open(options).catch((error: unknown) => {
        web = null;
        throw error;
      });
      return (await web).send(request);
    },
    async close() {
      await (await web)?.close();
    },
  };
}
