// Each setting in force; possible secrets by name only.
import type { Settings } from '#domain/settings.ts';
import type { SettingLine } from '#domain/settings-view.ts';

/** Names only: entries may hold secrets. */
const names = (entries: object): string[] => Object.keys(entries);

/** A new setting doesn't compile until listed. */
function pickShown(settings: Settings): Record<Exclude<keyof Settings, '$schema'>, unknown> {
  return {
    mcpServers: names(settings.mcpServers),
    tools: settings.tools.map(({ file }) => file),
    disabledTools: settings.disabledTools,
    guardedTools: settings.guardedTools,
    guardMode: settings.guardMode,
    plannerTools: settings.plannerTools,
    approvers: settings.approvers,
    guardedApprovers: settings.guardedApprovers,
    delegates: settings.delegates,
    groups: settings.groups,
    identity: { ...settings.identity, providers: names(settings.identity.providers) },
    resourcePools: settings.resourcePools,
    pgBossBackend: settings.pgBossBackend,
    backends: settings.backends,
    operations: settings.operations,
    http: settings.http,
    calendars: names(settings.calendars),
    schedule: settings.schedule,
    confidence: settings.confidence,
    prices: settings.prices,
    planning: settings.planning,
    executor: settings.executor,
    limits: settings.limits,
    webhooks: settings.webhooks.map(({ url }) => new URL(url).host),
    human_reminder_hours: settings.human_reminder_hours,
    stale_after_days: settings.stale_after_days,
    terminal_stale_after_days: settings.terminal_stale_after_days,
    retention: settings.retention,
  };
}

function writeValue(value: unknown): string {
  if (typeof value === 'string') return value;
  return Array.isArray(value) ? value.map(writeValue).join(', ') : JSON.stringify(value);
}

/** `executor.batch`: 500. Objects in lists stay whole. */
function* flatten(name: string, value: unknown): Generator<SettingLine> {
  if (value === undefined) return;
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  const entries = isObject ? Object.entries(value) : [];
  if (entries.length === 0) {
    const isEmpty = value === null || isObject || (Array.isArray(value) && value.length === 0);
    yield { name, value: isEmpty ? null : writeValue(value) };
    return;
  }
  for (const [key, inner] of entries) yield* flatten(`${name}.${key}`, inner);
}

export function listSettings(settings: Settings): SettingLine[] {
  return Object.entries(pickShown(settings)).flatMap(([name, value]) => [...flatten(name, value)]);
}
