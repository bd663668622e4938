// The Teams bot's credentials and served tenants.
import { z } from 'zod';
import { type Environment, flag, optional, refuseSetting as refuse } from '#domain/environment.ts';

export const teamsVariables = z.object({
  MicrosoftAppId: z
    .guid('must be the GUID that the Azure portal shows as the Microsoft App ID of the bot')
    .optional(),
  MicrosoftAppPassword: optional,
  MicrosoftAppTenantId: z
    .string()
    .regex(
      /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i,
      'must be the GUID of a Microsoft Entra tenant, not its domain: what Teams sends names tenants by their ids',
    )
    .optional(),
  MicrosoftAppType: z.enum(['MultiTenant', 'SingleTenant', 'UserAssignedMSI']).optional(),
  /** Served by a multi-tenant bot, or `any`. */
  TEAMS_ALLOWED_TENANTS: z
    .string()
    .regex(
      /^\s*(?:any|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}(?:[\s,]+[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})*)\s*$/i,
      'must be GUIDs of Microsoft Entra tenants, with commas between them, or any',
    )
    .optional(),
  /** Without tokens, from this machine only. */
  COUNTERSIGN_TEAMS_LOCAL: flag.optional(),
});
type TeamsEnvironment = Environment & z.infer<typeof teamsVariables>;

export type TeamsAccess =
  /** `allowed`: null for any, which must be set explicitly. */
  | { kind: 'MultiTenant'; appId: string; password: string; allowed: string[] | null }
  | { kind: 'SingleTenant'; appId: string; password: string; tenantId: string }
  | { kind: 'UserAssignedMSI'; appId: string; tenantId: string }
  /** No tokens; this machine only. */
  | { kind: 'Local' };

const loopbackHosts = ['127.0.0.1', 'localhost', '::1'];

/** Anyone who reaches such a bot can use it. */
function readLocalTeams(env: TeamsEnvironment): TeamsAccess {
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
  // Requests through a proxy may look local.
  if (env.COUNTERSIGN_PUBLIC_URL !== undefined)
    refuse(
      'COUNTERSIGN_TEAMS_LOCAL',
      'checks no identity: anyone who reaches the bot can act as anyone. Unset it where COUNTERSIGN_PUBLIC_URL is set.',
    );
  return { kind: 'Local' };
}

/** Null for any. */
function readTenants(listed: string | undefined): string[] | null {
  if (listed !== undefined) return listed.toLowerCase() === 'any' ? null : listed.split(/[\s,]+/);
  return refuse(
    'TEAMS_ALLOWED_TENANTS',
    'missing. List the ids of the Microsoft Entra tenants that a MultiTenant bot serves, or set it to any.',
  );
}

/** Null if not configured. A tenant alone makes it single-tenant. @throws CountersignError `invalid_configuration` */
export function readTeamsAccess(env: TeamsEnvironment): TeamsAccess | null {
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
    return refuse('MicrosoftAppId', `missing. ${lone} is set; also set the app ID of the bot.`);
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
      // A named tenant implies refusing others.
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

const isSame = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();

/** Anyone can add a bot by its ID, so other tenants are not even stored. */
export function isServed(access: TeamsAccess, tenant: string): boolean {
  switch (access.kind) {
    case 'Local':
      return true;
    case 'MultiTenant':
      return access.allowed === null || access.allowed.some((one) => isSame(one, tenant));
    case 'SingleTenant':
    case 'UserAssignedMSI':
      return isSame(access.tenantId, tenant);
    default:
      return access satisfies never;
  }
}

/** People are known by email addresses. */
export function vouches(access: TeamsAccess, tenant: string): boolean {
  switch (access.kind) {
    // They have full access anyway.
    case 'Local':
      return true;
    // Several tenants could each claim any address.
    case 'MultiTenant':
      return false;
    case 'SingleTenant':
    case 'UserAssignedMSI':
      return isSame(access.tenantId, tenant);
    default:
      return access satisfies never;
  }
}
