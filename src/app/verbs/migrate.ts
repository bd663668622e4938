// `migrate`: upgrades the database.
import { loadConfig } from '../config.ts';
import { createLog } from '../logging.ts';
import { openMigrated } from '../open-database.ts';
import { print } from '../print.ts';

export async function run(): Promise<void> {
  const config = loadConfig(process.env, process.cwd());
  const place = await openMigrated(config, createLog(config, true));
  await place.close();
  const applied =
    place.applied.length === 0 ? 'is up to date' : `is now at ${place.applied.at(-1)}`;
  print(`The schema of ${place.words} ${applied}.`);
}
