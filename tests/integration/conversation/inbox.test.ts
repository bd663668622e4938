// The inbox: every plan in exactly one group, what waits for the reader found by the same rules that decisions are checked by, and
// as many statements for thousands of plans as for a few.
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { person } from '#domain/people/actor.ts';
import type { InboxGroup, InboxPlan, InboxQuery } from '#domain/plan/inbox.ts';
import { useDatabase } from '../../setup/database.ts';
import { noop, openTestInstance, type TestInstance } from '../../setup/instance.ts';

const database = useDatabase();
const ana = person('ana@corp.example', 'slack');
const ben = person('ben@corp.example', 'slack');
const cleo = person('cleo@corp.example', 'slack');
let instance: TestInstance;
beforeAll(async () => {
  instance = await openTestInstance(database.url, {
    work: false,
    settings: {
      approvers: [cleo.id],
      guardedTools: ['control_wait'],
      guardedApprovers: { control_wait: { kind: 'named', people: [cleo.id] } },
    },
  });
});
afterAll(() => instance.close());
beforeEach(() =>
  instance.db.query.execute(sql`
    truncate countersign.plans, countersign.messages, countersign.identities, countersign.person_names, countersign.runs, countersign.chat_places cascade`),
);

/** All of a person's inbox, page by page. */
async function readAll(user: string, query: Partial<InboxQuery> = {}) {
  const { groups } = await instance.service.inbox({ user, limit: 7, ...query });
  const found = new Map<InboxGroup, InboxPlan[]>();
  for (const { group, total, plans, next_cursor } of groups) {
    const all = [...plans];
    for (let cursor = next_cursor; cursor !== null; ) {
      const next = await instance.service.inbox({ user, limit: 7, ...query, group, cursor });
      all.push(...(next.groups[0]?.plans ?? []));
      cursor = next.groups[0]?.next_cursor ?? null;
    }
    expect(all).toHaveLength(total);
    found.set(group, all);
  }
  return found;
}

test('a proposed plan needs its approver, and is somebody else’s to everybody else', async () => {
  const from = { user: ana.id };
  const { id } = await instance.service.propose({ title: 'One', steps: [noop('a')] }, from, ana);
  const own = await readAll(ana.id);
  expect(own.get('needs_you')).toMatchObject([{ id, waits: 'approval', may_approve: true }]);
  expect(own.get('others')).toEqual([]);
  const others = await readAll(ben.id);
  expect(others.get('others')).toMatchObject([{ id, waits: null, may_approve: false }]);
  expect(others.get('needs_you')).toEqual([]);
});
