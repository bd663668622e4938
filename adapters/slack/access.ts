// Slack's credentials from the environment, complete or not at all.
import { z } from 'zod';
import {
  type Environment,
  readEncryptionKey,
  refuseSetting as refuse,
  secret,
} from '#domain/environment.ts';
import { listOf } from '#domain/words.ts';

const token = z.string().regex(/^\S+$/, 'must not have blanks or line breaks in it').optional();

export const slackVariables = z.object({
  SLACK_BOT_TOKEN: token,
  SLACK_SIGNING_SECRET: secret.optional(),
  SLACK_APP_TOKEN: token,
  SLACK_CLIENT_ID: token,
  SLACK_CLIENT_SECRET: token,
  SLACK_STATE_SECRET: secret.optional(),
  /** Workspaces and organisations that may add the app, or `any`. */
  SLACK_ALLOWED_WORKSPACES: z
    .string()
    .regex(
      /^\s*(?:any|[TE][A-Z\d]+(?:[\s,]+[TE][A-Z\d]+)*)\s*$/,
      'must be ids of workspaces or organisations of Slack, such as T0123ABCD, with commas between them, or any',
    )
    .optional(),
  SLACK_API_URL: z
    .url()
    .regex(
      /^(?:https:|http:\/\/(?:127\.0\.0\.1|localhost|\[::1\])[:/])/,
      'must begin with https://, or with http:// and a loopback address: tokens are sent there',
    )
    .optional(),
});
type SlackEnvironment = Environment & z.infer<typeof slackVariables>;

export type SlackAccess = {
  transport: { kind: 'http'; signingSecret: string } | { kind: 'socket'; appToken: string };
  /** One with a fixed token, or many whose tokens are stored encrypted. */
  workspaces:
    | { kind: 'one'; botToken: string }
    | {
        kind: 'many';
        clientId: string;
        clientSecret: string;
        stateSecret: string;
        /** 32 bytes. */
        encryptionKey: Buffer;
        /** An address if a public one is set, else a path. */
        installAt: string;
        /** Null for any, which must be set explicitly. */
        allowed: string[] | null;
      };
  apiUrl: string | undefined;
};

export const slackInstallPath = '/slack/install';

/** Token kinds are easily confused; other servers may have their own. */
function checkPrefixes(env: SlackEnvironment): void {
  if (env.SLACK_API_URL !== undefined) return;
  if (env.SLACK_BOT_TOKEN?.startsWith('xoxb-') === false)
    refuse(
      'SLACK_BOT_TOKEN',
      'must begin with xoxb-. Take the Bot User OAuth Token of the app\'s page "Install App".',
    );
  if (env.SLACK_APP_TOKEN?.startsWith('xapp-') === false)
    refuse(
      'SLACK_APP_TOKEN',
      'must begin with xapp-. Make an app-level token with connections:write on the app\'s page "Basic Information".',
    );
}

const forMany = 'SLACK_CLIENT_ID, SLACK_CLIENT_SECRET and SLACK_STATE_SECRET';

function readWorkspaces(env: SlackEnvironment): SlackAccess['workspaces'] | null {
  const {
    SLACK_BOT_TOKEN: botToken,
    SLACK_CLIENT_ID: clientId,
    SLACK_CLIENT_SECRET: clientSecret,
    SLACK_STATE_SECRET: stateSecret,
    COUNTERSIGN_ENCRYPTION_KEY: key,
  } = env;
  const many = [clientId, clientSecret, stateSecret].some((value) => value !== undefined);
  if (!many) return botToken === undefined ? null : { kind: 'one', botToken };
  if (botToken !== undefined)
    refuse(
      'SLACK_BOT_TOKEN',
      `is for one workspace, ${forMany} are for several. Keep one of the two.`,
    );
  if (
    clientId !== undefined &&
    clientSecret !== undefined &&
    stateSecret !== undefined &&
    key !== undefined
  ) {
    const encryptionKey = readEncryptionKey(key);
    const installAt = `${env.COUNTERSIGN_PUBLIC_URL ?? ''}${slackInstallPath}`;
    const listed = env.SLACK_ALLOWED_WORKSPACES?.trim();
    // Anyone who adds the app can run tools, so no list admits nobody.
    if (listed === undefined)
      return refuse(
        'SLACK_ALLOWED_WORKSPACES',
        'missing. List the ids of the workspaces that may add the Slack app, such as T0123ABCD, or set it to any.',
      );
    const allowed = listed === 'any' ? null : listed.split(/[\s,]+/);
    const app = { clientId, clientSecret, stateSecret };
    return { kind: 'many', ...app, encryptionKey, installAt, allowed };
  }
  const missing = Object.entries({
    SLACK_CLIENT_ID: clientId,
    SLACK_CLIENT_SECRET: clientSecret,
    SLACK_STATE_SECRET: stateSecret,
    COUNTERSIGN_ENCRYPTION_KEY: key,
  }).flatMap(([name, value]) => (value === undefined ? [name] : []));
  return refuse(
    listOf(missing),
    'missing. Several workspaces need the client id and secret of the Slack app, a state secret, and a key that encrypts their tokens.',
  );
}

/** @returns null if Slack is not configured @throws CountersignError `invalid_configuration` */
export function readSlackAccess(env: SlackEnvironment): SlackAccess | null {
  checkPrefixes(env);
  const { SLACK_APP_TOKEN: appToken, SLACK_SIGNING_SECRET: signingSecret } = env;
  const workspaces = readWorkspaces(env);
  if (workspaces === null) {
    if (appToken === undefined && signingSecret === undefined) return null;
    return refuse(
      'SLACK_BOT_TOKEN',
      `missing. Set it for one workspace, or ${forMany} for several.`,
    );
  }
  const apiUrl = env.SLACK_API_URL;
  if (appToken !== undefined)
    return { transport: { kind: 'socket', appToken }, workspaces, apiUrl };
  if (signingSecret !== undefined)
    return { transport: { kind: 'http', signingSecret }, workspaces, apiUrl };
  return refuse(
    'SLACK_SIGNING_SECRET',
    'missing. Set it to be called over HTTP, or SLACK_APP_TOKEN for Socket Mode.',
  );
}
