// People mentioned on cards, with display names from chat platforms.
import type { Database, Queryable } from '#db/database.ts';
import {
  findCalled,
  readLinks,
  readNamesOf,
  readPerson,
  readShown,
  storeName,
} from '#db/people/identities.ts';
import type { PlanCardFacts } from '#domain/chat/card.ts';
import { platformOf } from '#domain/chat/chat.ts';
import type { SessionCardFacts } from '#domain/chat/session-card.ts';
import type { Clock } from '#domain/clock.ts';
import { isSamePerson } from '#domain/people/names.ts';
import { assigneeOf } from '#domain/plan/human-task.ts';
import type { Plan, PlanSummary, Step } from '#domain/plan/plan.ts';
import type { Service } from '#domain/service.ts';
import { isObject, type Json, type JsonObject, makeStorableText } from '#domain/text.ts';
import type { ConversationContext } from '#messages/context.ts';

const readObject = (value: Json): JsonObject => (isObject(value) ? value : {});

export function namedIn({ tool, args, output, target }: Step): string[] {
  if (tool !== 'human') return [];
  const answer = readObject(output);
  return [
    args.assignee,
    answer.assignee,
    answer.by,
    answer.for,
    answer.taken_over_by,
    target,
  ].filter((name) => typeof name === 'string');
}

type Drawn = Omit<PlanCardFacts, 'names' | 'unsure'>;

export async function nameOnCard(db: Queryable, facts: Drawn): Promise<PlanCardFacts> {
  const { plan, patch, steps, running, next, failed, waiting, findings } = facts;
  const named = [
    plan.requester,
    ...('people' in plan.approver_policy ? plan.approver_policy.people : []),
    ...plan.approvals.map(({ by }) => by),
    ...plan.rejection_history.map(({ by }) => by),
    ...findings.open.map(({ raised_by }) => raised_by),
    ...(plan.decided_by === null ? [] : [plan.decided_by]),
    ...(patch === null ? [] : [patch.proposed_by, ...patch.approved]),
    ...[steps, running, next, failed, waiting].flat().flatMap(namedIn),
  ];
  return {
    ...facts,
    unsure: await findUnsure(db, plan, steps),
    names: Object.fromEntries(await readShown(db, named)),
  };
}

/** Assignees in a chat whose name matches no account there, or several. */
async function findUnsure(
  db: Queryable,
  { conversation, requester }: Pick<Plan, 'conversation' | 'requester'>,
  steps: Step[],
): Promise<NonNullable<PlanCardFacts['unsure']>> {
  const unsure: NonNullable<PlanCardFacts['unsure']> = {};
  if (conversation === null || platformOf(conversation) === null) return unsure;
  for (const name of new Set(steps.flatMap((step) => assigneeOf(step) ?? []))) {
    if (isSamePerson(name, requester) || /\S@\S|:/.test(name)) continue;
    const others = await readNamesOf(db, [await readPerson(db, name)]);
    if (others.length > 1) continue;
    unsure[name] = (await findCalled(db, name)).length > 1 ? 'several' : 'unknown';
  }
  return unsure;
}

export async function nameRequesters<P extends PlanSummary>(
  service: Pick<Service, 'shownNames'>,
  plans: P[],
): Promise<P[]> {
  const shown = await service.shownNames(plans.map(({ requester }) => requester));
  return plans.map((plan) => {
    const by = shown.get(plan.requester);
    return by === undefined ? plan : { ...plan, asked_by: by };
  });
}

/** `nameOnCard` for a session, once it is known who continued it. */
export async function nameOnSession(
  db: Queryable,
  facts: SessionCardFacts,
): Promise<SessionCardFacts> {
  const { over, decision } = facts;
  const named = [over?.by ?? null, 'by' in decision ? (decision.by ?? null) : null];
  const names = await readShown(
    db,
    named.filter((name) => name !== null),
  );
  return { ...facts, names: Object.fromEntries(names) };
}

type Asking = Pick<ConversationContext, 'db' | 'approvers' | 'guardedApprovers'>;

export async function findNames(
  { db, approvers, guardedApprovers }: Asking,
  names: readonly string[],
): Promise<string[]> {
  const guards = Object.values(guardedApprovers).flatMap((policy) =>
    'people' in policy ? policy.people : [],
  );
  const all = [...new Set([...names, ...approvers, ...guards])];
  const { same } = await readLinks(db.query, all);
  const known = await readNamesOf(db.query, [...new Set(all.map((one) => same.get(one) ?? one))]);
  return [...new Set([...all, ...known.map(({ name }) => name)])];
}

const longest = 80;
/** After this, an unchanged name is written again: another process may have stored a different one. */
const keptForMs = 10 * 60_000;
const maxKept = 5000;

/** Scripts with letters that look Latin: mixed names can't be read reliably. */
const alike = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Cherokee}\p{Script=Armenian}]/u;
const isMixed = (word: string): boolean => /\p{Script=Latin}/u.test(word) && alike.test(word);
/** Keeps zero-width joiners, which spell some names and hold emoji together. */
const unseen = /[\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}](?<!\u200c|\u200d|\ufe0f)/gu;

/** On one line. Null if nothing is left or it could pass for an address, a platform ID or another's name. Pure. */
export function readCalled(text: string): string | null {
  const line = makeStorableText(text)
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .replace(unseen, '')
    .trim();
  const plain = line.normalize('NFKC');
  if (line.length > longest || !/[\p{L}\p{N}\p{Extended_Pictographic}]/u.test(plain)) return null;
  return plain.includes('@') || /(?:slack|teams):/i.test(plain) || plain.split(/\s/).some(isMixed)
    ? null
    : line;
}

/** On failure the old name stays. */
export function createNoteName({
  db,
  clock,
  warn,
}: {
  db: Database;
  clock: Clock;
  warn(message: string, error?: unknown): void;
}) {
  const noted = new Map<string, { displayName: string | null; until: number }>();
  return async (account: string, text: string): Promise<void> => {
    const displayName = readCalled(text);
    const now = clock.now().getTime();
    const last = noted.get(account);
    if (last !== undefined && last.displayName === displayName && last.until > now) return;
    try {
      await storeName(db.query, account, displayName);
    } catch (error) {
      // The caller is about to decide something and must not be delayed.
      warn('Could not store a display name.', error);
      return;
    }
    if (noted.size >= maxKept) noted.clear();
    noted.set(account, { displayName, until: now + keptForMs });
  };
}
