// `backup` and `restore`: the database as a file, optionally with files.
import { join, resolve } from 'node:path';
import { writeBackup } from '#db/backup/dump.ts';
import { restoreBackup } from '#db/backup/restore.ts';
import { setAsideOtherVersion } from '#db/embedded/embedded.ts';
import { systemClock } from '#domain/clock.ts';
import { countOf, listOf } from '#domain/words.ts';
import { archiveFolder } from '#retention/run-retention.ts';
import { type Config, loadConfig } from '../config.ts';
import { createLog } from '../logging.ts';
import { openPlace } from '../open-database.ts';
import { print, printJson, warn } from '../print.ts';
import { version } from '../version.ts';

function foldersOf(config: Config, wanted: boolean): Record<string, string> {
  if (!wanted) return {};
  const archive = archiveFolder(config.settings.retention, config.home);
  return { workspace: config.workspace, ...(archive === null ? {} : { archive }) };
}

type BackupOptions = { workspace?: true; json?: true; postgres?: string };

/** Does not disturb a running bot. */
export async function backup(
  file: string,
  { workspace, json, postgres }: BackupOptions,
): Promise<void> {
  const config = loadConfig(process.env, process.cwd());
  const place = await openPlace(config, createLog(config, true), postgres);
  try {
    const path = resolve(file);
    const counts = await writeBackup(place.directUrl, path, {
      version,
      now: systemClock.now(),
      folders: foldersOf(config, workspace === true),
    });
    if (json === true) printJson({ file: path, ...counts });
    else {
      const { tables, rows, files } = counts;
      const also = files === 0 ? '' : ` and ${countOf(files, 'file')}`;
      print(
        `${path} has ${countOf(rows, 'row')} of ${countOf(tables, 'table')}${also}.\nIt has all that people wrote. Keep COUNTERSIGN_ENCRYPTION_KEY and countersign.json apart from it: they are not in it.`,
      );
    }
  } finally {
    await place.close();
  }
}

type RestoreOptions = { force?: true; resume?: true; workspace?: true; json?: true };

export async function restore(
  file: string,
  { force, resume, workspace, json }: RestoreOptions,
): Promise<void> {
  const config = loadConfig(process.env, process.cwd());
  const now = systemClock.now();
  if (force === true && config.env.DATABASE_URL === undefined) {
    const stamp = now.toISOString().replace(/\D/g, '').slice(0, 14);
    const aside = await setAsideOtherVersion(join(config.home, 'postgres'), stamp);
    if (aside !== null) warn(`The data of another PostgreSQL is now in ${aside}.`);
  }
  const place = await openPlace(config, createLog(config, true));
  try {
    const done = await restoreBackup(place.directUrl, resolve(file), {
      now,
      resume: resume === true,
      force: force === true,
      folders: foldersOf(config, workspace === true),
    });
    if (json === true) printJson(done);
    else {
      const { rows, paused, set_aside, tokens, kept, header } = done;
      const lines = [
        `Restored ${countOf(rows, 'row')} of ${header.made_at} (Countersign ${header.version}).`,
        ...(kept.length === 0
          ? []
          : [
              `What was there is kept in the ${kept.length === 1 ? 'schema' : 'schemas'} ${listOf(kept)}; drop it when it is not needed.`,
            ]),
        ...(paused === 0
          ? []
          : [
              `${countOf(paused, 'plan')} paused: look whether they went on since, then resume them.`,
            ]),
        ...(set_aside === 0
          ? []
          : [`${countOf(set_aside, 'chat event')} set aside: countersign inbox lists them.`]),
        ...(tokens === 0
          ? []
          : [
              `${countOf(tokens, 'token')} valid as then: revoke those you had revoked since (countersign token list).`,
            ]),
      ];
      print(lines.join('\n'));
    }
  } finally {
    await place.close();
  }
}
