// From pressing Approve to the first step's start.
import { openDatabase } from '#db/database.ts';
import { drawPlan } from '../graphs.ts';
import { getJson, PlanAnswer, postJson } from '../http.ts';
import { median, preciseNow, toMilliseconds } from '../numbers.ts';
import { makeRow } from '../row.ts';
import { readLog } from '../run-plan.ts';
import { type Bench, type Stage, until } from '../stage.ts';

const usualPlans = 40;
/** Uncounted. */
const warmUp = 3;
const stepsOfPlan = 3;
const clockLooks = 20;

/** Milliseconds the database is ahead. */
async function readClockOffset({ url, closeLater, say }: Stage): Promise<number> {
  const db = openDatabase(url, {
    max: 1,
    applicationName: 'countersign bench',
    onError: (error) => say(error.message),
  });
  closeLater('the connection for the clock', db.close);
  let best = { took: Number.POSITIVE_INFINITY, offset: 0 };
  for (let look = 0; look < clockLooks; look++) {
    const asked = preciseNow();
    const { rows } = await db.pool.query<{ ms: string }>(
      'select (extract(epoch from clock_timestamp()) * 1000)::text as ms',
    );
    const answered = preciseNow();
    const took = answered - asked;
    if (took < best.took) best = { took, offset: Number(rows[0]?.ms) - (asked + answered) / 2 };
  }
  return best.offset;
}

export const measureApprove: Bench = async (stage) => {
  const count = stage.steps ?? usualPlans;
  const { service } = await stage.openInstance({ work: false });
  const { url } = await stage.start('start');
  const offset = await readClockOffset(stage);
  const body = JSON.stringify(drawPlan('wide', stepsOfPlan));
  const times: number[] = [];
  stage.say(`${count} plans approved over HTTP, one at a time`);
  for (let n = -warmUp; n < count; n++) {
    const plan = PlanAnswer.parse(await postJson(`${url}/api/plans`, body));
    const { id, version, digest } = plan;
    const pressed = preciseNow();
    await postJson(`${url}/api/plans/${id}/approve`, JSON.stringify({ version, digest }));
    await until(stage.signal, async () => {
      const { status } = PlanAnswer.parse(await getJson(`${url}/api/plans/${id}`));
      return status === 'completed' ? status : null;
    });
    const lines = await readLog(service, id);
    const began = Math.min(...lines.map(({ started_at }) => toMilliseconds(started_at)));
    if (n >= 0) times.push(began - offset - pressed);
  }
  return [
    makeRow({
      name: 'approve',
      what: `press on Approve → first step running, p50 of ${count}`,
      unit: 'ms',
      value: median(times),
      target: { reach: 150, stretch: 60 },
    }),
  ];
};
