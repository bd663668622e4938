// kill -9 after each transition of a planning run.
import { sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import type { Database } from '#db/database.ts';
import { drawOutline, node, selectPattern, stageIn, task } from '../fixtures/model-calls.ts';
import type { ChatBody, Turn } from '../fixtures/openai-double.ts';
import { useCrashes } from '../setup/crash.ts';

const { openScene, askDying, resume, readBooks } = useCrashes(3);

// Three paid calls: the pattern, an unsure outline, a sure one.
function makeScript(): (body: ChatBody) => Turn {
  let drawn = 0;
  return (body) => {
    if (stageIn(body) === 'context') return selectPattern('milestone_project');
    drawn += 1;
    const outline = [
      node('goal', 'goal'),
      node('first', 'phase'),
      task('one', { parent: 'first' }),
      node('second', 'phase', { after: ['first'] }),
      task('two', { parent: 'second' }),
    ];
    return drawOutline(outline, { confidence: drawn === 1 ? 0.1 : 0.9 });
  };
}

async function readSteps(db: Database): Promise<string[]> {
  const { rows } = await db.query.execute<{ target: string }>(
    sql`select target from countersign.plan_steps order by position`,
  );
  return rows.map(({ target }) => target);
}

// `paid`: calls before the crash, of three.
const places: { at: string; paid: number }[] = [
  { at: 'before_DRAFT_OUTLINE', paid: 1 },
  { at: 'after_DRAFT_OUTLINE', paid: 1 },
  { at: 'before_VALIDATE_OUTLINE', paid: 2 },
  { at: 'after_VALIDATE_OUTLINE', paid: 2 },
  { at: 'after_DRAFT_ROADMAP', paid: 3 },
  { at: 'after_VALIDATE_ROADMAP', paid: 3 },
  { at: 'after_DRAFT_SCHEDULE', paid: 3 },
  { at: 'after_VALIDATE_SCHEDULE', paid: 3 },
  { at: 'after_SEEK_APPROVAL', paid: 3 },
  { at: 'after_NEEDS_CLARIFICATION', paid: 3 },
];

describe.concurrent('a planner that is killed', () => {
  it.for(places)('$at is replaced by one that goes on from there', async ({ at, paid }) => {
    const scene = await openScene(makeScript());
    const runId = await askDying(scene, `planner_${at}`, {
      text: 'Write one.txt, then two.txt',
      interaction_policy: { probing_depth: 0 },
    });
    expect(scene.model.requests).toHaveLength(paid);
    const run = await resume(scene, runId);
    expect(run).toMatchObject({ planning_status: 'needs_clarification' });
    expect(scene.model.requests).toHaveLength(3);
    expect(await readBooks(scene, runId)).toEqual({ plans: 1, calls: 3, open: 0, proposals: 1 });
    expect(run.cost_usd).toBeCloseTo(3 * 0.0004, 9);
    expect(await readSteps(scene.db)).toEqual(['one.txt', 'two.txt']);
  });
});
