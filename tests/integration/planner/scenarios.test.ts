// A project with overlapping phases, from the request to the data stored with its plan.
import { expect, test } from 'vitest';
import { validateRoadmap } from '#planner/order/collect-edges.ts';
import { validateSchedule } from '#planner/schedule/validate-schedule.ts';
import { drawOutline, node, selectPattern, stageIn, task } from '../../fixtures/model-calls.ts';
import { useModelInstance } from '../../setup/use-instance.ts';

const instance = useModelInstance({ settings: { schedule: { name: 'balanced' } } });
const viewer = { user: 'ana', timezone: 'Europe/Madrid' };

const launch = drawOutline(
  [
    node('goal', 'goal', { title: 'Launch the newsletter' }),
    node('write', 'phase', { title: 'Writing' }),
    node('design', 'phase', {
      title: 'Design',
      after: [{ id: 'write', type: 'SS', lag_minutes: 24 * 60 }],
    }),
    task('texts', { parent: 'write', duration_minutes: 480 }),
    task('layout', { parent: 'design', duration_minutes: 480 }),
    node('ready', 'milestone', { title: 'Ready to send', after: ['write', 'design'] }),
    task('checklist', { after: ['ready'], duration_minutes: 60 }),
  ],
  { title: 'Launch the newsletter' },
);

test('the ways that were compared and the schedule are shown, and stored with the plan', async () => {
  instance.play((body) =>
    stageIn(body) === 'context'
      ? selectPattern('milestone_project', { variant: 'overlapping_phases' })
      : launch,
  );
  const run = await instance.ask('Plan the launch of a newsletter');
  expect(run.pattern).toMatchObject({ pattern_type: 'milestone_project' });
  const card = await instance.service.runCard(run.run_id, viewer);
  const { outline, roadmap, schedule } = card;
  if (outline === null || roadmap === null || schedule === null) throw new Error('not planned');
  expect(validateRoadmap(outline, roadmap)).toEqual([]);
  expect(validateSchedule(outline, roadmap, schedule)).toEqual([]);
  expect(roadmap.options_tried.map(({ name }) => name)).toContain(roadmap.chosen);
  expect(roadmap.options_tried.length).toBeGreaterThanOrEqual(2);
  // They overlap: both begin together.
  expect(roadmap.edges.some(({ type }) => type === 'SS')).toBe(true);
  const stored = await instance.service.planning(run.plan_id ?? '');
  expect(stored.roadmap?.options_tried).toEqual(roadmap.options_tried);
  expect(stored.schedule?.blocks).toHaveLength(schedule.blocks.length);
});
