// Finds settings that no organisation of a shared instance can use.
import type { Settings } from '#domain/settings.ts';
import { sharingOf, type Tenancy } from '#domain/tenancy.ts';

/** An entry of a former sole organisation counts as reached. */
export function findUnreached(
  { mcpServers, calendars, tools, webhooks }: Settings,
  { apart, owners }: Tenancy,
): string[] {
  if (!apart || owners.length > 0) return [];
  const entries = [
    ...Object.entries(mcpServers).map(([name, one]) => [`mcpServers.${name}`, one] as const),
    ...Object.entries(calendars).map(([name, one]) => [`calendars.${name}`, one] as const),
    ...tools.map((one) => [`tools: ${one.file}`, one] as const),
    ...webhooks.map((one) => [`webhooks: ${new URL(one.url).host}`, one] as const),
  ];
  return entries
    .filter(([, one]) => sharingOf(one) === null)
    .map(
      ([name]) =>
        `${name} serves none of the organisations on this instance. Add "organisations": ["slack:T…"] or "shared": true.`,
    );
}
