// Many decisions at one moment: more of them than there are connections. None waits for a connection that another holds
// while it waits itself.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useDatabase } from '#tests/setup/database.ts';
import { ana, noop, openTestHouse, type TestHouse } from '#tests/setup/house.ts';

const database = useDatabase();
let house: TestHouse;
beforeAll(async () => {
  house = await openTestHouse(database.url, { work: false });
});
afterAll(() => house.close());

test('forty plans are proposed at once, and approved by forty presses in a chat', async () => {
  const numbers = Array.from({ length: 40 }, (_, i) => i);
  const plans = await Promise.all(
    numbers.map((n) =>
      house.service.propose({ title: `Plan ${n}`, steps: [noop('a')] }, { user: ana.id }, ana),
    ),
  );
  const at = new Date();
  const approved = await Promise.all(
    plans.map(({ id, version, digest }) =>
      house.service.approve(id, { version, digest, pressed: { once: `press on ${id}`, at } }, ana),
    ),
  );
  expect(approved).toHaveLength(40);
  for (const { id } of plans)
    expect(await house.service.getPlan(id)).toMatchObject({ status: 'approved' });
});
