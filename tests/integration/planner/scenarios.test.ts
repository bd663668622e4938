// Four whole planning runs, each against the double and, where OPENAI_API_KEY is set, against the real API: what is asserted
// holds for either. The double plays what a good model would; the real one must come to the same kind of result.
import { env } from 'node:process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunView } from '#domain/planning/run.ts';
import { validateRoadmap } from '#planner/order/validate-roadmap.ts';
import { validateSchedule } from '#planner/schedule/validate-schedule.ts';
import {
  call,
  drawOutline,
  node,
  propose,
  selectPattern,
  stageIn,
  task,
} from '../../fixtures/model-calls.ts';
import { type ModelInstance, openModelInstance } from '../../fixtures/model-instance.ts';
import type { ChatBody, Turn } from '../../fixtures/openai-double.ts';
import { useDatabase } from '../../setup/database.ts';
import { ana } from '../../setup/instance.ts';

const realSeconds = 240;
const viewer = { user: 'ana', timezone: 'Europe/Madrid' };
const day = 24 * 60;

type Play = (body: ChatBody, index: number) => Turn;

/** The pattern first, then the outline; `context` and `outline` play the stages. */
const inStages =
  (context: Turn, outline: Turn): Play =>
  (body) =>
    stageIn(body) === 'context' ? context : outline;

const reminder = {
  id: 'ask-1',
  description: 'Ask ana to walk for 30 minutes',
  tool: 'human',
  operation: 'task',
  args: JSON.stringify({ assignee: 'ana', question: 'Walk for 30 minutes.' }),
  after: [],
  notes: null,
};

const routine = inStages(
  selectPattern('recurring_cycle', { subtype: 'protocol_routine', confidence: 0.95 }),
  drawOutline(
    [
      node('goal', 'goal', { title: 'Walk every weekday' }),
      node('walk', 'task', {
        title: 'Walk',
        rhythm: 'recurring',
        duration_minutes: 30,
        recurs: {
          rrule: 'FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR',
          starts_at: '2030-01-07T08:00',
          timezone: null,
          until: '2030-01-18T23:59',
        },
        steps: [reminder],
      }),
      node('review', 'checkpoint', {
        title: 'Review the two weeks',
        after: ['walk'],
        duration_minutes: 20,
        steps: [{ ...reminder, id: 'review-1', description: 'Ask ana how it went' }],
      }),
    ],
    { title: 'Walk every weekday' },
  ),
);

const launch = inStages(
  selectPattern('milestone_project', { variant: 'overlapping_phases' }),
  drawOutline(
    [
      node('goal', 'goal', { title: 'Launch the newsletter' }),
      node('write', 'phase', { title: 'Writing' }),
      node('design', 'phase', {
        title: 'Design',
        after: [{ id: 'write', type: 'SS', lag_minutes: day }],
      }),
      task('texts', { parent: 'write', duration_minutes: 480 }),
      task('subjects', { parent: 'write', duration_minutes: 240 }),
      task('layout', { parent: 'design', duration_minutes: 480 }),
      task('pictures', { parent: 'design', duration_minutes: 240 }),
      node('ready', 'milestone', {
        title: 'Ready to send',
        after: ['write', 'design'],
      }),
      task('checklist', { after: ['ready'], duration_minutes: 60 }),
    ],
    { title: 'Launch the newsletter' },
  ),
);

const protocol = inStages(
  selectPattern('recurring_cycle', {
    subtype: 'proposed:daily_health_protocol_v2',
    rfc: 'A protocol with doses that depend on the readings of the day before; a routine has no such feedback.',
  }),
  drawOutline(
    [
      node('goal', 'goal', { title: 'Keep the protocol' }),
      node('measure', 'task', {
        title: 'Measure',
        rhythm: 'recurring',
        duration_minutes: 15,
        recurs: {
          rrule: 'FREQ=DAILY',
          starts_at: '2030-01-07T07:30',
          timezone: null,
          until: '2030-01-20T23:59',
        },
        steps: [{ ...reminder, id: 'measure-1', description: 'Ask ana to measure' }],
      }),
    ],
    { title: 'Keep the protocol' },
  ),
);

const idea = (name: string, text: string, differs: string) => ({ name, text, differs });
/** What a model offers where it may: three ideas, four questions, a long answer. */
const offsite: Play = (body) => {
  const names = (body.tools ?? []).map(({ function: { name } }) => name);
  const told = body.messages.map(({ content }) => content ?? '').join('\n');
  if (
    /Ask nothing|Assume what is sensible rather than ask/.test(told) ||
    !names.includes('brainstorm')
  )
    return propose({
      title: 'Note the offsite',
      summary: 'offsite.md says what to do.',
      steps: [
        {
          id: '1',
          description: 'Write offsite.md',
          tool: 'workspace',
          operation: 'write',
          args: JSON.stringify({ path: 'offsite.md', content: 'Hike, then dinner.' }),
        },
      ],
      risks: [],
      confidence: 0.9,
    });
  return call('brainstorm', {
    topic: 'the team offsite',
    ideas: [
      idea('Hike', 'Walk a trail near the city and eat at a hut.', 'outdoors and cheap'),
      idea('Workshop', 'Book a room and settle the roadmap.', 'work gets done'),
      idea('Cook', 'Cook a dinner together in a rented kitchen.', 'in the evening'),
      idea('Museum', 'Visit the new museum with a guide.', 'whatever the weather'),
    ],
    asked_for: true,
    confidence: 0.6,
  });
};

const database = useDatabase();

describe.each([
  { name: 'the double', real: false },
  { name: 'the real API (set OPENAI_API_KEY)', real: true },
])('against $name', ({ real }) => {
  const missing = real && !env.OPENAI_API_KEY;
  let instance: ModelInstance;

  beforeAll(async () => {
    if (missing) return;
    const settings = { schedule: { name: 'balanced' } };
    instance = await openModelInstance(database.url, {
      settings,
      env: real ? realEnvironment() : {},
    });
  });
  afterAll(async () => {
    if (!missing) await instance.close();
  });

  const scenario = (name: string, check: () => Promise<void>) =>
    test(name, { timeout: (real ? realSeconds : 30) * 1000 }, async ({ skip }) => {
      if (missing) skip('OPENAI_API_KEY is not set, so the real API is not asked');
      await check();
    });

  async function cardOf({ run_id }: RunView) {
    return instance.service.runCard(run_id, viewer);
  }

  scenario('a routine that recurs comes to a valid schedule', async () => {
    instance.play(routine);
    const run = await instance.ask(
      'Set up a protocol routine (recurring_cycle, protocol_routine): ask me with a human task to walk for 30 minutes every weekday at 8:00 from 7 January 2030 until 18 January 2030, and to review it afterwards. Do not ask me anything.',
      { interaction_policy: { probing_depth: 0 } },
    );
    expect(run).toMatchObject({
      planning_status: 'needs_clarification',
      pattern: { pattern_type: 'recurring_cycle', subtype: 'protocol_routine' },
    });
    const { outline, roadmap, schedule } = await cardOf(run);
    if (outline === null || roadmap === null || schedule === null) throw new Error('not planned');
    expect(schedule.blocks.length).toBeGreaterThan(0);
    expect(validateSchedule(outline, roadmap, schedule)).toEqual([]);
    const plan = await instance.service.getPlan(run.plan_id ?? '');
    expect(plan).toMatchObject({
      status: 'proposed',
      pattern_type: 'recurring_cycle',
      pattern_subtype: 'protocol_routine',
    });
    const stored = await instance.service.planning(plan.id);
    expect(stored.schedule?.blocks.length).toBe(schedule.blocks.length);
  });

  scenario('a project of phases that overlap keeps the ways that were compared', async () => {
    instance.play(launch);
    const run = await instance.ask(
      'Plan the launch of a newsletter as a milestone_project with overlapping phases: writing (texts, subject lines) and design (layout, pictures) overlap, design starts a day after writing starts; then a milestone "ready to send", then a checklist. Each task writes a file of its name into the workspace. Do not ask me anything.',
      { interaction_policy: { probing_depth: 0 } },
    );
    expect(run).toMatchObject({
      planning_status: 'needs_clarification',
      pattern: { pattern_type: 'milestone_project' },
    });
    const { outline, roadmap } = await cardOf(run);
    if (outline === null || roadmap === null) throw new Error('not planned');
    expect(validateRoadmap(outline, roadmap)).toEqual([]);
    expect(roadmap.options_tried.length).toBeGreaterThanOrEqual(2);
    expect(roadmap.options_tried.length).toBeLessThanOrEqual(3);
    expect(roadmap.options_tried.map(({ name }) => name)).toContain(roadmap.chosen);
    expect(roadmap.reason).not.toBe('');
    // They overlap: one begins with the other, not after it.
    expect(roadmap.edges.some(({ type }) => type === 'SS')).toBe(true);
    const plan = await instance.service.getPlan(run.plan_id ?? '');
    const stored = await instance.service.planning(plan.id);
    expect(stored.roadmap?.options_tried).toEqual(roadmap.options_tried);
    expect(stored.roadmap?.chosen).toBe(roadmap.chosen);
  });

  scenario('a subtype that is new waits for a person, and completes with their word', async () => {
    instance.play(protocol);
    const run = await instance.ask(
      'Plan a daily health protocol: every day at 7:30 from 7 to 20 January 2030 ask me with a human task to measure. No known subtype of recurring_cycle fits: use select_pattern with subtype "proposed:daily_health_protocol_v2" and an rfc why. Do not ask me anything.',
      { conversation: `protocol-${real}`, interaction_policy: { probing_depth: 0 } },
    );
    expect(run).toMatchObject({
      planning_status: 'needs_clarification',
      pattern_rfc_required: true,
      pattern: { subtype: 'proposed:daily_health_protocol_v2' },
    });
    expect(run.pattern_rfc_text ?? '').not.toBe('');
    expect(run.plan_id).toBeUndefined();
    const proposed = await instance.reply(run.run_id, 'approve');
    expect(proposed).toMatchObject({
      planning_status: 'needs_clarification',
      pattern: { subtype: 'proposed:daily_health_protocol_v2' },
    });
    expect(proposed.pattern_rfc_required ?? false).toBe(false);
    const plan = await instance.service.getPlan(proposed.plan_id ?? '');
    expect(plan.pattern_subtype).toBe('proposed:daily_health_protocol_v2');
    await instance.service.approve(plan.id, { version: plan.version, digest: plan.digest }, ana);
    expect((await instance.service.getRun(run.run_id)).planning_status).toBe('complete');
  });

  scenario(
    'one who is brief and trusts gets a plan, one who likes to talk gets ideas',
    async () => {
      instance.play(offsite);
      const text = 'Plan our team offsite and note it in offsite.md. What could we do?';
      const brief = await instance.ask(text, {
        conversation: `brief-${real}`,
        interaction_policy: {
          conversation_style: 'concise',
          talkativeness: 0,
          autonomy: 'high',
          probing_depth: 0,
          brainstorming_preference: 'on_demand',
        },
      });
      const talkative = await instance.ask(text, {
        conversation: `talkative-${real}`,
        interaction_policy: {
          conversation_style: 'conversational',
          talkativeness: 1,
          autonomy: 'low',
          probing_depth: 3,
          brainstorming_preference: 'always_offer',
        },
      });
      expect(brief.questions ?? []).toEqual([]);
      expect(talkative).toMatchObject({ planning_status: 'needs_clarification' });
      expect(talkative.questions?.length).toBeGreaterThan(0);
      expect(talkative.questions?.length).toBeLessThanOrEqual(3);
      expect(talkative.response_text.length).toBeGreaterThan(brief.response_text.length);
      if (real) return;
      const { offers } = await cardOf(talkative);
      expect(offers.map(({ name }) => name)).toEqual(['Hike', 'Workshop', 'Cook']);
      expect(brief.plan_id).toBeDefined();
    },
  );
});

function realEnvironment(): Record<string, string> {
  const names = ['OPENAI_API_KEY', 'OPENAI_BASE_URL', 'PLANNER_MODEL', 'EXECUTOR_MODEL'];
  const set = names.flatMap((name) => (env[name] ? [[name, env[name]]] : []));
  return { OPENAI_BASE_URL: '', WALL_TIME_SEC: '120', ...Object.fromEntries(set) };
}
