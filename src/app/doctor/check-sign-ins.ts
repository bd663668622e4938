// Whether sign-in providers answer, and the addresses to register with them, for `countersign doctor`.
import { errorMessage } from '#domain/errors.ts';
import { resolveProviders } from '#domain/people/identity.ts';
import type { CheckResult } from '#domain/settings-view.ts';
import type { Config } from '../config.ts';

export async function checkSignIns({ settings, env }: Config): Promise<CheckResult[]> {
  const providers = resolveProviders(settings.identity);
  if (providers.length === 0) {
    return [
      {
        part: 'Sign-in',
        state: 'off',
        text:
          env.COUNTERSIGN_API_TOKEN === undefined
            ? 'Nobody signs in, so only this machine is answered.'
            : 'Nobody signs in: who has the token may use any typed name.',
        advice: 'docs/identity.md says how people sign in with Slack, Entra or Google.',
      },
    ];
  }
  const { createOpenId } = await import('#people/open-id.ts');
  const openId = createOpenId();
  return Promise.all(
    providers.map(async (provider): Promise<CheckResult> => {
      const part = `Sign-in ${provider.name}`;
      const redirect = `${env.COUNTERSIGN_PUBLIC_URL}/sign-in/${provider.name}/callback`;
      try {
        await openId.check(provider);
        const text = `${provider.issuer} answers; its redirect URL must be ${redirect}`;
        return { part, state: 'ok', text };
      } catch (error) {
        const advice = 'Check "issuer" and whether this machine reaches it.';
        return { part, state: 'broken', text: errorMessage(error), advice };
      }
    }),
  );
}
