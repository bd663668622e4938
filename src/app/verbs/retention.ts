// `retention`: deletes expired data, or previews it.
import { systemClock, systemRandom } from '#domain/clock.ts';
import { countOf } from '#domain/words.ts';
import {
  archiveFolder,
  previewRetention,
  retentionInForce,
  runRetention,
} from '#retention/run-retention.ts';
import { auditKeyOf } from '../config.ts';
import { print, printJson, warn } from '../print.ts';
import { untilSignal } from './until-signal.ts';
import { withDatabase } from './with-database.ts';

const kinds = [
  'events',
  'attempts',
  'messages',
  'runs',
  'planning',
  'audit',
  'chat',
  'caches',
] as const;

type Counts = Partial<Record<(typeof kinds)[number] | 'plans' | 'steps', number>>;

function describe(found: Counts, dryRun: boolean): string {
  const rows = kinds.flatMap((kind) => {
    const n = found[kind] ?? 0;
    return n === 0 ? [] : [`  ${kind.padEnd(9)} ${countOf(n, 'row')}`];
  });
  const plans = found.plans ?? 0;
  const first =
    plans === 0
      ? []
      : [
          dryRun
            ? `  plans     ${countOf(plans, 'plan')} with ${countOf(found.steps ?? 0, 'step')}`
            : `  plans     ${countOf(plans, 'row')}`,
        ];
  const lines = [...first, ...rows];
  if (lines.length === 0)
    return dryRun ? 'Nothing would be deleted.' : 'Nothing had to be deleted.';
  return `${dryRun ? 'Would be deleted' : 'Deleted'}:\n${lines.join('\n')}`;
}

export function run({ dryRun, json }: { dryRun?: true; json?: true }): Promise<void> {
  const signal = untilSignal();
  return withDatabase(async (db, { settings, home, env }) => {
    const rules = await retentionInForce(db.query, settings.retention);
    const keeping = {
      db,
      clock: systemClock,
      random: systemRandom,
      settings: rules,
      home,
      auditKey: auditKeyOf(env),
      warn: (message: string) => warn(`countersign: ${message}`),
    };
    const found =
      dryRun === true ? await previewRetention(keeping) : await runRetention(keeping, signal);
    if (found === null) print('Another process is deleting already.');
    else if (json === true) printJson(found);
    else print(describe(found, dryRun === true));
    const folder = archiveFolder(rules, home);
    if (json !== true && dryRun !== true && folder !== null) print(`Archive: ${folder}`);
  });
}
