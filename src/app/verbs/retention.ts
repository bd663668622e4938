// `retention`: deletes what is over now, or says what would go.
import { openDatabase } from '#db/database.ts';
import { systemClock, systemRandom } from '#domain/clock.ts';
import { countOf } from '#domain/words.ts';
import { archiveFolder, previewRetention, runRetention } from '#retention/run-retention.ts';
import { auditKeyOf, loadConfig } from '../config.ts';
import { createLog } from '../logging.ts';
import { openMigrated } from '../open-database.ts';
import { untilSignal } from './until-signal.ts';

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

export async function run({ dryRun, json }: { dryRun?: true; json?: true }): Promise<void> {
  const config = loadConfig(process.env, process.cwd());
  const log = createLog(config, true);
  const signal = untilSignal();
  const place = await openMigrated(config, log);
  const db = openDatabase(place.url, {
    max: 2,
    pooled: place.pooled,
    applicationName: 'countersign retention',
    onError: (error) => log.warn({ err: error }, 'A database connection was lost.'),
  });
  try {
    const keeping = {
      db,
      clock: systemClock,
      random: systemRandom,
      settings: config.settings.retention,
      home: config.home,
      auditKey: auditKeyOf(config.env),
      warn: (message: string) => console.error(`countersign: ${message}`),
    };
    const found =
      dryRun === true ? await previewRetention(keeping) : await runRetention(keeping, signal);
    if (found === null) console.log('Another process is deleting already.');
    else if (json === true) console.log(JSON.stringify(found));
    else console.log(describe(found, dryRun === true));
    const folder = archiveFolder(config.settings.retention, config.home);
    if (json !== true && dryRun !== true && folder !== null) console.log(`Archive: ${folder}`);
  } finally {
    await db.close();
    await place.close();
  }
}
