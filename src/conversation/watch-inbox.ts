// Tells open inboxes which plans changed, once a second.
import { setTimeout as pause } from 'node:timers/promises';
import { type PlanStateRow, readPlanStates } from '#db/plans/groups.ts';
import { keepWithin } from '#db/plans/within.ts';
import type { InboxChange } from '#domain/plan/inbox.ts';
import type { PlanScope } from '#domain/plan/scope.ts';
import type { ConversationContext } from '#messages/context.ts';
import { readWithin } from './plans-within.ts';
import type { Asking } from './waiting-for.ts';

const usualGatherMs = 1000;
/** Spreads out their queries. */
const groupsPerGather = 40;
/** Cached states; others count as more than progress. */
const knownPlans = 10_000;

/** Beyond it, any plan may have changed. */
const maxWaiting = 10;

/** Last second's; null if unknown. */
type Changed = (PlanStateRow & { moved: boolean })[] | null;
type Watcher = (changed: Changed) => void;

export function createInboxWatch(
  context: Asking & Pick<ConversationContext, 'listener' | 'warn'>,
  gatherMs = usualGatherMs,
) {
  const { db, listener, warn } = context;
  const watchers = new Set<Watcher>();
  const changed = new Set<string>();
  const known = new Map<string, string>();
  let lost = false;
  let gathering = false;
  let off = () => {};

  function noteState({ id, standing: state }: PlanStateRow): boolean {
    const moved = known.get(id) !== state;
    known.delete(id);
    known.set(id, state);
    const [oldest] = known.keys();
    if (known.size > knownPlans && oldest !== undefined) known.delete(oldest);
    return moved;
  }

  async function readChanged(): Promise<Changed> {
    const ids = [...changed];
    const all = lost;
    changed.clear();
    lost = false;
    if (all) return null;
    try {
      const found = await readPlanStates(db.query, ids);
      return found.map((plan) => ({ ...plan, moved: noteState(plan) }));
    } catch (error) {
      warn('Could not read the changed plans; reloading all open inboxes.', error);
      return null;
    }
  }

  async function gather(): Promise<void> {
    gathering = true;
    while ((changed.size > 0 || lost) && watchers.size > 0) {
      await pause(gatherMs);
      const found = await readChanged();
      // Later watchers get the next changes.
      const notified = [...watchers];
      const together = Math.ceil(notified.length / groupsPerGather);
      for (let at = 0; at < notified.length; at += together) {
        for (const notify of notified.slice(at, at + together))
          if (watchers.has(notify)) notify(found);
        await pause(gatherMs / groupsPerGather);
      }
    }
    gathering = false;
  }

  function onTopic(topic: string): void {
    const id = topic.slice('plan:'.length);
    // The listening connection was lost and is back.
    if (id === '') lost = true;
    else changed.add(id);
    if (!gathering) void gather();
  }

  function subscribe(notify: Watcher): () => void {
    if (watchers.size === 0) off = listener.on('plan', onTopic);
    watchers.add(notify);
    return () => {
      watchers.delete(notify);
      if (watchers.size > 0) return;
      off();
      changed.clear();
      known.clear();
    };
  }

  /** To a reader's organisation. */
  async function narrow(changed: Changed, scope: PlanScope | undefined): Promise<Changed> {
    if (scope === undefined || changed === null) return changed;
    const ofNobody = changed.flatMap(({ id, tenant }) => (tenant === null ? [id] : []));
    const own =
      ofNobody.length === 0
        ? new Set<string>()
        : await keepWithin(db.query, ofNobody, await readWithin(context, scope));
    return changed.filter(({ id, tenant }) => tenant === scope.tenant || own.has(id));
  }

  /** `plans: null`: any may have changed. */
  return async function* watchInbox(
    scope: PlanScope | undefined,
    signal: AbortSignal,
  ): AsyncGenerator<InboxChange[]> {
    const waiting: Changed[] = [];
    let wake = () => {};
    const stop = () => wake();
    signal.addEventListener('abort', stop);
    const leave = subscribe((found) => {
      if (waiting.length >= maxWaiting) waiting.splice(0, Infinity, null);
      else waiting.push(found);
      wake();
    });
    try {
      while (!signal.aborted) {
        const next = waiting.shift();
        if (next === undefined) {
          await new Promise<void>((resolve) => {
            wake = resolve;
            if (signal.aborted || waiting.length > 0) resolve();
          });
          continue;
        }
        const found = await narrow(next, scope);
        if (found === null) yield [{ plans: null }];
        else if (found.length > 0) yield [{ plans: found.map(({ id, moved }) => ({ id, moved })) }];
      }
    } finally {
      leave();
      signal.removeEventListener('abort', stop);
    }
  };
}
