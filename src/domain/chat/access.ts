// Slack and Teams credentials from the environment: settings that belong together are complete or refused in one sentence.
import { CountersignError } from '../errors.ts';
import type { Environment } from '../settings.ts';
import { listOf } from '../words.ts';

export type SlackAccess = {
  /** How Slack reaches us. Socket Mode wins where both are set: it needs no public address. */
  transport: { kind: 'http'; signingSecret: string } | { kind: 'socket'; appToken: string };
  /** One workspace by its token, or as many as add the app; then tokens are kept encrypted. */
  workspaces:
    | { kind: 'one'; botToken: string }
    | {
        kind: 'many';
        clientId: string;
        clientSecret: string;
        stateSecret: string;
        /** 32 bytes. */
        encryptionKey: Buffer;
        /** Where people add the app to their workspace: the whole address where that is set, else its path. */
        installAt: string;
        /** The workspaces and organisations that may add it; null: any, which somebody has asked for in that word. */
        allowed: string[] | null;
      };
  /** Another server than Slack's. */
  apiUrl: string | undefined;
};

export type TeamsAccess =
  /** `allowed`: the tenants that are served; null: any, which somebody has asked for in that word. */
  | { kind: 'MultiTenant'; appId: string; password: string; allowed: string[] | null }
  | { kind: 'SingleTenant'; appId: string; password: string; tenantId: string }
  | { kind: 'UserAssignedMSI'; appId: string; tenantId: string }
  /** No token is asked for or shown; only this machine is talked to. */
  | { kind: 'Local' };

/** The page that leads to Slack's, on our own server. */
export const slackInstallPath = '/slack/install';

function refuse(variable: string, sentence: string): never {
  throw new CountersignError('invalid_configuration', `${variable}: ${sentence}`);
}

/** Tokens have kinds that are easily taken for each other. Another server may have tokens of its own. */
function checkPrefixes(env: Environment): void {
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

/** The 32 bytes of COUNTERSIGN_ENCRYPTION_KEY. */
export const readEncryptionKey = (key: string): Buffer =>
  Buffer.from(key, key.length === 64 ? 'hex' : 'base64');

const forMany = 'SLACK_CLIENT_ID, SLACK_CLIENT_SECRET and SLACK_STATE_SECRET';

function readWorkspaces(env: Environment): SlackAccess['workspaces'] | null {
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
    // Anybody who adds the app can have the tools used, so nobody is let in by what was left out.
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

/**
 * How Slack is reached; null: it is not.
 * @throws CountersignError `invalid_configuration` that names the variable
 */
export function readSlackAccess(env: Environment): SlackAccess | null {
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

const loopbackHosts = ['127.0.0.1', 'localhost', '::1'];

/** Anybody could reach such a bot, so only this machine may. */
function readLocalTeams(env: Environment): TeamsAccess {
  const set = [
    'MicrosoftAppId',
    'MicrosoftAppPassword',
    'MicrosoftAppTenantId',
    'MicrosoftAppType',
  ] as const;
  const lone = set.find((name) => env[name] !== undefined);
  if (lone !== undefined)
    refuse(
      'COUNTERSIGN_TEAMS_LOCAL',
      `checks no identity: anyone who reaches the bot can act as anyone. Unset it where ${lone} is set.`,
    );
  if (!loopbackHosts.includes(env.HOST))
    refuse(
      'COUNTERSIGN_TEAMS_LOCAL',
      `checks no identity: anyone who reaches the bot can act as anyone. Set HOST to 127.0.0.1, not to ${env.HOST}.`,
    );
  // A proxy on this machine forwards requests from elsewhere, and need not say so.
  if (env.COUNTERSIGN_PUBLIC_URL !== undefined)
    refuse(
      'COUNTERSIGN_TEAMS_LOCAL',
      'checks no identity: anyone who reaches the bot can act as anyone. Unset it where COUNTERSIGN_PUBLIC_URL is set.',
    );
  return { kind: 'Local' };
}

/** null: any. */
function readTenants(listed: string | undefined): string[] | null {
  if (listed !== undefined) return listed.toLowerCase() === 'any' ? null : listed.split(/[\s,]+/);
  return refuse(
    'TEAMS_ALLOWED_TENANTS',
    'missing. List the ids of the Microsoft Entra tenants that a MultiTenant bot serves, or set it to any.',
  );
}

/**
 * How Teams is reached; null: it is not. Without a type, a tenant makes the bot a single-tenant one.
 * @throws CountersignError `invalid_configuration` that names the variable
 */
export function readTeamsAccess(env: Environment): TeamsAccess | null {
  if (env.COUNTERSIGN_TEAMS_LOCAL === true) return readLocalTeams(env);
  const {
    MicrosoftAppId: appId,
    MicrosoftAppPassword: password,
    MicrosoftAppTenantId: tenantId,
  } = env;
  if (appId === undefined) {
    const { MicrosoftAppType: type } = env;
    const [lone] = Object.entries({
      MicrosoftAppPassword: password,
      MicrosoftAppTenantId: tenantId,
      MicrosoftAppType: type,
    }).flatMap(([name, value]) => (value === undefined ? [] : [name]));
    if (lone === undefined) return null;
    return refuse(
      'MicrosoftAppId',
      `missing. ${lone} is set; set the app id of the bot beside it.`,
    );
  }
  const listed = env.TEAMS_ALLOWED_TENANTS?.trim();
  const kind = env.MicrosoftAppType ?? (tenantId === undefined ? 'MultiTenant' : 'SingleTenant');
  const needPassword = () =>
    password ??
    refuse('MicrosoftAppPassword', `missing. A ${kind} bot needs the client secret of its app.`);
  const needTenant = () =>
    tenantId ??
    refuse(
      'MicrosoftAppTenantId',
      `missing. A ${kind} bot needs the id of its Microsoft Entra tenant.`,
    );
  switch (kind) {
    case 'MultiTenant':
      // An operator who names a tenant expects that no other gets in.
      if (tenantId !== undefined)
        refuse(
          'MicrosoftAppTenantId',
          'limits nothing with MicrosoftAppType MultiTenant. Leave it out, or make the type SingleTenant.',
        );
      return {
        ...{ kind, appId, password: needPassword() },
        allowed: readTenants(listed),
      };
    case 'SingleTenant':
      return { kind, appId, password: needPassword(), tenantId: needTenant() };
    case 'UserAssignedMSI':
      if (password !== undefined)
        refuse(
          'MicrosoftAppPassword',
          'is not used with a managed identity. Leave it out, or make MicrosoftAppType SingleTenant.',
        );
      return { kind, appId, tenantId: needTenant() };
    default:
      return kind satisfies never;
  }
}
