import type { Database } from '#db/database.ts';
import { systemRandom } from '#domain/clock.ts';
import { Settings } from '#domain/settings.ts';
import { runRetention } from '#retention/run-retention.ts';

export async function runRound(
  db: Database,
  options: {
    now?: Date;
    settings?: object;
    home?: string;
    warn?: (message: string) => void;
    signal?: AbortSignal;
  } = {},
) {
  const { now = new Date(), settings, home, warn, signal } = options;
  const archive = home === undefined ? { archive: false } : {};
  return await runRetention(
    {
      db,
      clock: { now: () => now },
      random: systemRandom,
      settings: Settings.parse({ retention: { ...archive, ...settings } }).retention,
      auditKey: null,
      home: home ?? '/nowhere',
      warn: warn ?? (() => {}),
    },
    signal ?? new AbortController().signal,
  );
}
