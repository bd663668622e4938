// Adding the app to a workspace, by Slack's library.
import { HTTPReceiver, type Installation, webApi } from '@slack/bolt';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { SlackInstallations } from '#domain/chat/slack-installation.ts';
import type { Clock } from '#domain/clock.ts';
import { CountersignError, errorMessage } from '#domain/errors.ts';
import { createRecent } from '#domain/recent.ts';
import { trimTail } from '#domain/words.ts';
import manifest from '../../../manifest.json' with { type: 'json' };
import { type SlackAccess, slackInstallPath } from '../access.ts';
import { explainSlackError } from '../calls/explain-error.ts';
import type { SlackLogger } from '../slack-logger.ts';
import { createClient, tokenRefusalOf } from '../workspaces.ts';
import { keepInstallation, readInstallation } from './keep-installation.ts';
import { drawPage, installedPage, type Page, pagePolicy, pages } from './pages.ts';
import { createStateStore, StateRefused, stateLivesSeconds } from './state.ts';

/** `tell`: for the operator, or null if only the person can go further. */
type Failure = { page: Page; tell: string | null };

/** About the app's own settings. */
const settings: Record<string, string> = {
  bad_client_secret:
    'SLACK_CLIENT_SECRET doesn’t match the Slack app. Copy it from the app’s page "Basic Information".',
  bad_redirect_uri:
    'The Slack app has another redirect URL. Put the manifest for this address into "App Manifest".',
  invalid_client_id:
    'SLACK_CLIENT_ID doesn’t belong to a Slack app. Copy it from the app’s page "Basic Information".',
};

function explainRefusal(reason: string): Failure {
  if (reason === 'code_already_used' || reason === 'invalid_code')
    return { page: pages.expired, tell: null };
  // A later installation revoked the new token.
  if (reason === 'token_revoked') return { page: pages.overtaken, tell: null };
  const known = settings[reason];
  if (known !== undefined) return { page: pages.misconfigured, tell: known };
  return { page: pages.unavailable, tell: `Slack refused an installation: ${reason}.` };
}

/** Slack's library's codes. */
const byCode: Record<string, Page> = {
  slack_oauth_installer_authorization_error: pages.denied,
  slack_oauth_invalid_state: pages.elsewhere,
  slack_oauth_missing_state: pages.elsewhere,
  slack_oauth_missing_code: pages.incomplete,
};

class NotInvited extends Error {
  readonly code = 'not_invited';
}

function explainFailure(error: unknown): Failure {
  if (error instanceof StateRefused) {
    const { reason } = error;
    return { page: reason === 'forged' ? pages.elsewhere : pages[reason], tell: null };
  }
  if (error instanceof NotInvited) return { page: pages.notInvited, tell: null };
  if (error instanceof webApi.WebAPIPlatformError) return explainRefusal(error.data.error);
  if (error instanceof CountersignError && error.passesAfterMs === null)
    return { page: pages.misconfigured, tell: error.message };
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const page = byCode[code];
  if (page !== undefined) return { page, tell: null };
  return { page: pages.unavailable, tell: `An installation failed: ${errorMessage(error)}` };
}

// Each return calls Slack and stores a row, and anyone can send them.
const perMinute = 30;
const addresses = 1000;

/** Limits returns per address. */
function createLimit(clock: Clock): (address: string) => boolean {
  const seen = createRecent<{ until: number; left: number }>({ keep: addresses });
  return (address) => {
    const now = clock.now().getTime();
    const one = seen.get(address);
    if (one === undefined || one.until <= now) {
      seen.set(address, { until: now + 60_000, left: perMinute - 1 });
      return true;
    }
    if (one.left === 0) return false;
    one.left -= 1;
    return true;
  };
}

const redirectPath = '/slack/oauth_redirect';

type Many = Extract<SlackAccess['workspaces'], { kind: 'many' }>;

export type InstallOptions = {
  workspaces: Many;
  apiUrl: string | undefined;
  installations: SlackInstallations;
  clock: Clock;
  logger: SlackLogger;
  warn(message: string, error?: unknown): void;
};

export function authorizeAt(apiUrl: string | undefined): string {
  if (apiUrl === undefined) return 'https://slack.com/oauth/v2/authorize';
  return new URL('../oauth/v2/authorize', `${trimTail(apiUrl, /\//)}/`).href;
}

/** @throws CountersignError for other errors */
export async function isAlive(
  token: string,
  options: Pick<InstallOptions, 'apiUrl' | 'logger'>,
): Promise<boolean> {
  try {
    await createClient(token, options).auth.test();
    return true;
  } catch (error) {
    const refusal = tokenRefusalOf(error);
    if (refusal !== null) return false;
    throw explainSlackError(error, 'say whether an installation holds');
  }
}

/** Best effort; the token is stored nowhere. */
async function giveBack(
  token: string,
  { apiUrl, logger }: Pick<InstallOptions, 'apiUrl' | 'logger'>,
): Promise<void> {
  await createClient(token, { apiUrl, logger })
    .auth.revoke()
    .catch(() => {});
}

function createInstaller({ workspaces, apiUrl, installations, clock, logger }: InstallOptions) {
  const { clientId, clientSecret, stateSecret, allowed } = workspaces;
  const scopes = manifest.oauth_config.scopes.bot;
  // The answer reports errors once.
  const quiet = { ...logger, warn() {}, error() {} };
  // Bolt creates its installer only inside a receiver, which never listens.
  const { installer } = new HTTPReceiver({
    signingSecret: '',
    signatureVerification: false,
    clientId,
    clientSecret,
    scopes,
    logger: quiet,
    installationStore: {
      async storeInstallation(given) {
        const installation = readInstallation(given);
        if (allowed !== null && !allowed.includes(installation.owner)) {
          await giveBack(installation.token, { apiUrl, logger });
          throw new NotInvited();
        }
        await keepInstallation(installations, installation, (token) =>
          isAlive(token, { apiUrl, logger }),
        );
      },
      fetchInstallation: () => Promise.reject(new Error('Installations are not read here.')),
    },
    installerOptions: {
      directInstall: true,
      stateStore: createStateStore({ installations, scopes, secret: stateSecret, clock }),
      stateCookieExpirationSeconds: stateLivesSeconds,
      authorizationUrl: authorizeAt(apiUrl),
      clientOptions: {
        ...(apiUrl === undefined ? {} : { slackApiUrl: apiUrl }),
        retryConfig: { retries: 0 },
        timeout: 10_000,
      },
    },
  });
  if (installer === undefined) throw new Error('Bolt made no installer.');
  return { installer, scopes };
}

function describeInstalled(given: Installation, scopes: string[]): Page {
  const installation = readInstallation(given);
  const granted = new Set(installation.scopes);
  const missing = scopes.filter((scope) => !granted.has(scope));
  return installedPage({ ...installation, missing, enterpriseUrl: given.enterpriseUrl ?? null });
}

function sendPage(reply: FastifyReply, page: Page): FastifyReply {
  return reply
    .code(page.status)
    .headers({ 'cache-control': 'no-store', 'content-security-policy': pagePolicy })
    .type('text/html; charset=utf-8')
    .send(drawPage(page));
}

/** Call before the server listens. */
export function registerInstall(app: FastifyInstance, options: InstallOptions): void {
  const { warn, clock } = options;
  const mayComeBack = createLimit(clock);
  const { installer, scopes } = createInstaller(options);

  const open = { exposeHeadRoute: false, config: { role: 'open', subject: 'instance' } } as const;

  app.get(slackInstallPath, open, async ({ raw }, reply) => {
    reply.raw.setHeader('cache-control', 'no-store');
    await installer.handleInstallPath(raw, reply.raw, undefined, { scopes });
    // The library has answered.
    reply.hijack();
  });

  app.get(redirectPath, open, async ({ raw, ip }, reply) => {
    // Before the state is used up, so the page can be reloaded.
    if (!mayComeBack(ip)) return sendPage(reply, pages.tooMany);
    const { promise, resolve } = Promise.withResolvers<Page>();
    await installer.handleCallback(raw, reply.raw, {
      success: (installation) => resolve(describeInstalled(installation, scopes)),
      failure(error) {
        const { page, tell } = explainFailure(error);
        if (tell !== null) warn(tell, error);
        resolve(page);
      },
    });
    return sendPage(reply, await promise);
  });
}
