// Reloads access rules in place when the settings file changes.
import { type Stats, unwatchFile, watchFile } from 'node:fs';
import { systemClock } from '#domain/clock.ts';
import { CountersignError, errorMessage } from '#domain/errors.ts';
import type { Grouping } from '#domain/people/groups.ts';
import type { Config } from './config.ts';

const everyMs = 1000;

function replaceRecord(target: Record<string, unknown>, next: Record<string, unknown>): void {
  for (const key of Object.keys(target)) delete target[key];
  Object.assign(target, next);
}

/** @throws `invalid_configuration` if invalid or a restart is needed; replaces nothing */
export function readRulesAgain(config: Config): void {
  const { settings: next, settingsFile, apart } = config.readAgain();
  const { settings, settingsFile: file } = config;
  const { providers } = settings.identity;
  // Editors replace the file, so it is missing for a moment.
  if (file.found && !settingsFile.found)
    throw new CountersignError(
      'invalid_configuration',
      'The file is gone. Put it back, or restart without it.',
    );
  if (apart !== config.apart)
    throw new CountersignError(
      'invalid_configuration',
      'Whether organisations share this instance has changed. Restart Countersign to apply it.',
    );
  settings.approvers.splice(0, Infinity, ...next.approvers);
  settings.guardedTools.splice(0, Infinity, ...next.guardedTools);
  settings.identity.blocked.splice(0, Infinity, ...next.identity.blocked);
  settings.identity.groups_max_age_hours = next.identity.groups_max_age_hours;
  replaceRecord(settings.guardedApprovers, next.guardedApprovers);
  replaceRecord(settings.groups, next.groups);
  replaceRecord(settings.delegates, next.delegates);
  for (const [name, provider] of Object.entries(providers)) {
    const now = next.identity.providers[name];
    if (now === undefined) delete providers[name];
    else {
      const { roles, default_role, groups_claim, allowed_domains, allowed_tenants } = now;
      Object.assign(provider, {
        ...{ roles, default_role, groups_claim },
        ...{ allowed_domains, allowed_tenants },
      });
    }
  }
  file.found = settingsFile.found;
  file.warnings.splice(0, Infinity, ...settingsFile.warnings);
}

/** By reference, so that reloads reach it. */
export function groupingOf({ settings: { groups, identity }, apart }: Config): Grouping {
  return {
    ...{ groups, providers: identity.providers, apart },
    freshSince: () =>
      new Date(systemClock.now().getTime() - identity.groups_max_age_hours * 3_600_000),
  };
}

export function followRules(
  config: Config,
  { info, warn }: { info(message: string): void; warn(message: string): void },
): () => void {
  const { path, warnings } = config.settingsFile;
  const follow = (now: Pick<Stats, 'mtimeMs'>, before: Pick<Stats, 'mtimeMs'>) => {
    // Node reports a missing file once at start.
    if (now.mtimeMs === 0 && before.mtimeMs === 0) return;
    try {
      readRulesAgain(config);
      info(
        `${path} has changed: the rules of who may act are reloaded. Restart to apply other changes.`,
      );
    } catch (error) {
      const problem = `The changed file can't be used, so the rules of who may act stay as they were: ${errorMessage(error)}`;
      if (warnings.at(-1) === problem) return;
      warnings.push(problem);
      warn(`${path}: ${problem}`);
    }
  };
  watchFile(path, { interval: everyMs, persistent: false }, follow);
  return () => unwatchFile(path, follow);
}
