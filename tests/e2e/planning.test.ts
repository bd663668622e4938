// A planning session from end to end, with no model: gates, a new subtype, changes and dates, over HTTP and in the terminal.
import { beforeAll, describe, expect, it } from 'vitest';
import type { VersionDiff } from '#domain/plan/views.ts';
import type { RunView } from '#domain/planning/run.ts';
import { useDatabase } from '../setup/database.ts';
import type { Client } from '../setup/http-client.ts';
import { usePrograms } from '../setup/process.ts';
import { waitFor } from '../wait.ts';

const database = useDatabase();
const programs = usePrograms();

let api: Client;
let home: string;
beforeAll(async () => {
  home = await programs.home();
  ({ api } = await programs.serve({ home, database: database.url }));
}, 120_000);

type Card = { digest: string; turn: number };
type Trace = {
  path: { from: string; event: string; to: string }[];
  problem: string | null;
  entries: { stage: string; tool: string; decision?: string }[];
};
type Artifacts = {
  outline: { nodes: { id: string; title: string; structure: string }[] } | null;
  roadmap: { edges: unknown[]; options_tried: unknown[]; chosen: string } | null;
  schedule: object | null;
};

const body = async <T>(path: string) => (await api.get<T>(path)).body;
const cardOf = (run: RunView) => body<Card>(`/api/runs/${run.run_id}/card`);
const traceOf = (run: RunView) => body<Trace>(`/api/runs/${run.run_id}/trace`);

/** The run once its planner has finished. */
const settle = (run: RunView) =>
  waitFor('the planner', async () => {
    const now = await body<RunView>(`/api/runs/${run.run_id}`);
    return now.planning_status !== 'running' && now;
  });

/** What a person is asked to do stands once, at the end. */
const oneCall =
  /^(?![\s\S]*(?:Reply|Tell me)[\s\S]*\n(?:Reply|Tell me))[\s\S]*(?:Reply|Tell me)[^\n]*$/;

/** Every piece of what a session may be asked to stand at a gate for. */
const phases =
  'Plan Launch:\nPhase Preparation:\n- create launch/kickoff.md saying "go"\nPhase Publish after 2 days:\n- post "We launch"\nmilestone: Launch is done';

describe('milestone approvals', () => {
  const policy = { interaction_policy: { approval_policy: 'milestone_approvals' } };

  it('show the outline, the order and the plan one by one, each bound by its digest', async () => {
    const run = await api.ask(phases, policy);
    expect(run).toMatchObject({ planning_status: 'needs_clarification' });
    expect(run.plan_id).toBeUndefined();
    expect(run.response_text).toMatch(/Reply “approve”.* about this outline\.$/);
    expect(run.response_text).toMatch(oneCall);
    const outline = await cardOf(run);

    // What was not shown is not approved.
    const path = `/api/runs/${run.run_id}/approve`;
    const { digest, turn } = outline;
    expect((await api.post(path, { digest: '0'.repeat(64), turn })).status).toBe(409);
    expect((await api.post(path, { digest, turn })).status).toBe(200);
    const ordered = await settle(run);
    expect(ordered.response_text).toMatch(/about this order\.$/);

    const proposed = await api.reply(run.run_id, 'approve');
    expect(proposed.plan_id).toMatch(/^PLAN-[0-9a-f]{8}$/);
    expect(proposed.response_text).toMatch(oneCall);
    const plan = await api.plan(proposed.plan_id ?? '');
    expect(plan).toMatchObject({ status: 'proposed', title: 'Launch' });

    const artifacts = await body<Artifacts>(`/api/plans/${plan.id}/planning`);
    expect(artifacts.outline?.nodes.map(({ structure }) => structure)).toEqual(
      expect.arrayContaining(['goal', 'phase', 'milestone', 'task']),
    );
    expect(artifacts.roadmap?.options_tried.length).toBeGreaterThan(0);
    expect(artifacts.schedule).not.toBeNull();

    const trace = await traceOf(run);
    expect(trace.path.map(({ event }) => event)).toEqual(
      expect.arrayContaining(['needs_approval', 'outline_approved', 'roadmap_approved']),
    );
    const printed = await programs.finish(['plans', plan.id, '--trace'], {
      home,
      database: database.url,
    });
    expect(printed.code).toBe(0);
    expect(printed.stdout).toContain('generate_nodes');
    expect(printed.stdout).toContain('approve by');
  });

  it('show an outline again with what a change made of it, and keep what the change is not about', async () => {
    const run = await api.ask('Create one.txt saying "1" and create two.txt saying "2"', policy);
    const before = await cardOf(run);
    const changed = await api.reply(
      run.run_id,
      'propose changes: use three.txt instead of two.txt',
    );
    expect(changed.response_text).toMatch(/about this outline\.$/);
    const after = await cardOf(run);
    expect(after.digest).not.toBe(before.digest);
    const approved = await api.reply(run.run_id, 'approve');
    expect(approved.response_text).toMatch(/about this order\.$/);
    // The order only: the outline is not asked for again.
    const ordered = await api.reply(run.run_id, 'propose changes: step 1a after step 1b');
    expect(ordered.response_text).toMatch(/about this order\.$/);
    const { plan_id } = await api.reply(run.run_id, 'approve');
    const steps = await api.steps(plan_id ?? '');
    expect(steps.map(({ args }) => args.path)).toEqual(['one.txt', 'three.txt']);
    expect(steps[0]?.after).toMatchObject([{ id: '2' }]);
  });

  it('end where the outline is rejected', async () => {
    const run = await api.ask(phases, policy);
    const ended = await api.reply(run.run_id, 'reject');
    expect(ended.planning_status).toBe('aborted');
    expect(ended.response_text).toContain('The outline was rejected');
  });
});

describe('a new subtype', () => {
  const text = (name: string) =>
    `Plan a recurring cycle with the new subtype ${name}: every day at 7:00 write "water" to health/${name}.md`;

  it('waits for approval of its request, and is planned by then', async () => {
    const run = await api.ask(text('daily_health_protocol_v2'));
    expect(run).toMatchObject({
      planning_status: 'needs_clarification',
      pattern_rfc_required: true,
      pattern: { subtype: 'proposed:daily_health_protocol_v2' },
    });
    expect(run.pattern_rfc_text).toContain('daily_health_protocol_v2');
    expect(run.response_text).toMatch(oneCall);
    const planned = await api.reply(run.run_id, 'approve');
    const plan = await api.plan(planned.plan_id ?? '');
    expect(plan).toMatchObject({
      status: 'proposed',
      series: [{ rrule: 'FREQ=DAILY;BYHOUR=7;BYMINUTE=0;BYSECOND=0' }],
    });
    expect(planned.pattern?.subtype).toBe('proposed:daily_health_protocol_v2');
  });

  it('is left out when it is rejected', async () => {
    const run = await api.ask(text('nightly_ritual'));
    const planned = await api.reply(run.run_id, 'reject');
    expect(planned.plan_id).toBeDefined();
    expect(planned.pattern?.pattern_type).toBe('recurring_cycle');
    expect(planned.pattern?.subtype).toBeUndefined();
  });
});

it('says why a deadline cannot be kept, and plans when one thing gives', async () => {
  const run = await api.ask('Ask Ana "Please review notes.md" takes 3 days by tomorrow 17:00');
  expect(run.planning_status).toBe('needs_scheduling_escalation');
  expect(run.escalate_reason).toContain('after its deadline');
  expect(run.response_text).toContain('Any one of these would help:');
  expect(run.response_text).toMatch(oneCall);
  const planned = await api.reply(run.run_id, 'drop the deadline');
  expect(planned).toMatchObject({ planning_status: 'needs_clarification' });
  expect(planned.plan_id).toBeDefined();
});

describe('changes of a plan', () => {
  it('go to the words, the order and the dates in turn, and each version says what is different', async () => {
    const run = await api.ask('Create a1.txt saying "A" and create b1.txt saying "B"');
    const id = run.plan_id ?? '';
    const first = await api.plan(id);

    await api.reply(run.run_id, 'propose changes: use c1.txt instead of b1.txt');
    const second = await api.plan(id);
    expect(second).toMatchObject({ status: 'proposed' });
    const worded = await body<VersionDiff>(
      `/api/plans/${id}/versions/${first.version}..${second.version}`,
    );
    expect(JSON.stringify(worded)).toContain('c1.txt');

    await api.reply(run.run_id, 'propose changes: step 1a after step 1b');
    const third = await api.plan(id);
    const steps = await api.steps(id);
    expect(steps.map(({ args }) => args.path)).toEqual(['a1.txt', 'c1.txt']);
    expect(steps[0]?.after).toMatchObject([{ id: '2' }]);
    expect(third.version).toBeGreaterThan(second.version);

    const trace = await traceOf(run);
    expect(trace.path.map(({ event }) => event)).toEqual(
      expect.arrayContaining(['change_outline', 'change_roadmap']),
    );
  });

  it('of dates move the steps and nothing else', async () => {
    const run = await api.ask('Create d1.txt saying "D" and create e1.txt saying "E"');
    const id = run.plan_id ?? '';
    const before = await api.steps(id);
    await api.reply(run.run_id, 'propose changes: start step 1a on 2099-03-06 at 10:00');
    const after = await api.steps(id);
    expect(after.map(({ args }) => args)).toEqual(before.map(({ args }) => args));
    expect(after[0]?.not_before).toBe('2099-03-06T09:00:00.000Z');
    expect(after[1]?.not_before).toBeNull();
    const trace = await traceOf(run);
    expect(trace.path.map(({ event }) => event)).toContain('change_schedule');
  });
});

describe('how people are talked to', () => {
  it('“concise” answers the question of style and nothing else', async () => {
    const conversation = 'conv-style';
    const user = 'dora';
    const first = await api.ask('What can you do?', { conversation, user });
    expect(first.response_text).toMatch(/Do you prefer short answers or more explanation\?$/);
    const second = await api.ask('short answers', { conversation, user });
    expect(second).toMatchObject({
      planning_status: 'complete',
      response_text: 'From now on I keep it brief.',
    });
  });

  it('“ask me nothing” settles the questions that are open', async () => {
    const run = await api.ask('Create quiet.txt', { user: 'emil', conversation: 'conv-quiet' });
    expect(run.questions?.[0]).toBe('What should quiet.txt contain?');
    const settled = await api.reply(run.run_id, 'ask me nothing', 'emil');
    expect(settled.planning_status).toBe('complete');
    expect(settled.response_text).toContain('told not to ask');
  });
});
