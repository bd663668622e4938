// Database access of tools.
import type { Database, Transaction } from '#db/database.ts';
import { readEveryName } from '#db/people/identities.ts';
import { readCalendarOf } from '#db/people/policies.ts';
import { isTransient } from '#db/transient.ts';
import type { FindPlace } from '#domain/chat/find-place.ts';
import { readTarget } from '#domain/chat/post-target.ts';
import { systemClock } from '#domain/clock.ts';
import { CountersignError } from '#domain/errors.ts';
import type { Enqueue } from '#domain/jobs.ts';
import type { AskPlanner } from '#domain/plan/replan.ts';
import { createRecent, shareByKey } from '#domain/recent.ts';
import type { ConversationContext } from '#messages/context.ts';
import { speakAsBot } from '#messages/store-message.ts';
import { setReminder } from '#notices/reminders.ts';
import { requirePostTarget } from '#plans/content/post-targets.ts';
import { proposeRepair } from '#plans/replan/propose-patch.ts';
import { type RecheckContext, recheckSteps } from '#plans/replan/recheck-steps.ts';
import { verifyRepair } from '#plans/replan/verify-patch.ts';
import { fetchAttached } from '#runs/attached-files.ts';
import type { ChatPort, FilePort, OwnCalendar, PlanPort, ReminderPort } from '#tools/ports.ts';

/** Card readers can't use the query in errors. */
export async function forTool<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof CountersignError) throw cause;
    throw isTransient(cause)
      ? new CountersignError('database_unavailable', 'the database is away; retry it.', {
          cause,
          passesAfterMs: 0,
        })
      : new CountersignError('internal', 'the database refused it.', { cause });
  }
}

type PlanParts = () => RecheckContext &
  Pick<ConversationContext, 'files' | 'places' | 'openSeal'> & { askPlanner: AskPlanner | null };

/** People may leave a channel; plans may post often. */
const placesKept = { keep: 500, forMs: 30_000 };

/** @param partsOf created after the tools */
export function createToolPorts(
  db: Database,
  enqueue: Enqueue<Transaction>,
  partsOf: PlanParts,
): {
  chat: ChatPort;
  files: FilePort;
  reminders: ReminderPort;
  plans: PlanPort;
  ownCalendar: OwnCalendar;
} {
  /** Their platforms' recent answers. */
  const asked = createRecent<ReturnType<FindPlace>>({ ...placesKept, clock: systemClock });
  const places = () => {
    const finders = Object.entries(partsOf().places?.() ?? {});
    return Object.fromEntries(
      finders.map(([name, find]): [string, FindPlace] => [
        name,
        (...about) => shareByKey(asked, JSON.stringify(about), () => find(...about)),
      ]),
    );
  };

  return {
    files: {
      fetch: (conversation, id, signal) =>
        forTool(() => fetchAttached(partsOf(), conversation, id, signal)),
    },
    plans: {
      recheck: (steps, context) => forTool(() => recheckSteps(partsOf(), steps, context)),
      propose: (finding, refused, context) =>
        forTool(() => proposeRepair(partsOf(), partsOf().askPlanner, finding, refused, context)),
      verify: (finding, patch, context) =>
        forTool(() => verifyRepair(partsOf(), finding, patch, context)),
    },
    chat: {
      async post({ conversation, from, user, step, text, once }) {
        await forTool(async () => {
          const poster = { conversation: from, requester: user };
          await requirePostTarget({ db, places }, poster, conversation, step);
          const { conversation: to } = readTarget(conversation);
          await db.transaction((tx) =>
            speakAsBot({ enqueue }, tx, { conversation: to, says: text, once }),
          );
        });
      },
    },
    ownCalendar: (user) =>
      forTool(async () => {
        const names = await readEveryName(db.query, user);
        const found = await readCalendarOf(db.query, names);
        if (found === null) return { names, connected: null };
        const open = () => {
          const seal = partsOf().openSeal();
          if (typeof seal === 'string') throw new CountersignError('not_allowed', seal);
          return found.open(seal);
        };
        return { names, connected: { ...found, open } };
      }),
    reminders: {
      set: (reminder) => forTool(() => setReminder({ db, enqueue }, reminder)),
    },
  };
}
