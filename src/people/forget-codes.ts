// Deletes link codes that can no longer be used.
import type { Database } from '#db/database.ts';
import { forgetLinkCodes } from '#db/link-codes.ts';
import type { Clock } from '#domain/clock.ts';

const forgottenAtOnce = 500;
/** An hour: whatever clocks say, no code and no count of wrong ones means anything by then. */
const keptForMs = 3_600_000;

export async function forgetCodes({ db, clock }: { db: Database; clock: Clock }): Promise<void> {
  const before = new Date(clock.now().getTime() - keptForMs);
  await forgetLinkCodes(db.query, before, forgottenAtOnce);
}
