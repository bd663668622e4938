// Many decisions at one moment: more of them than there are connections. None waits for a connection that another holds
// while it waits itself.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useDatabase } from '../../setup/database.ts';
import { ana, noop, openTestInstance, type TestInstance } from '../../setup/instance.ts';

const database = useDatabase();
let instance: TestInstance;
beforeAll(async () => {
  instance = await openTestInstance(database.url, { work: false });
});
afterAll(() => instance.close());

test('forty plans are proposed at once, and approved by forty presses in a chat', async () => {
  const numbers = Array.from({ length: 40 }, (_, i) => i);
  const plans = await Promise.all(
    numbers.map((n) =>
      instance.service.propose({ title: `Plan ${n}`, steps: [noop('a')] }, { user: ana.id }, ana),
    ),
  );
  const at = new Date();
  const approved = await Promise.all(
    plans.map(({ id, version, digest }) =>
      instance.service.approve(
        id,
        { version, digest, pressed: { once: `press on ${id}`, at } },
        ana,
      ),
    ),
  );
  expect(approved).toHaveLength(40);
  for (const { id } of plans)
    expect(await instance.service.getPlan(id)).toMatchObject({ status: 'approved' });
});
