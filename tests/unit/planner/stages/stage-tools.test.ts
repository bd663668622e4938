import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { systemClock } from '#domain/clock.ts';
import type { Activity } from '#domain/planning/activity.ts';
import { PlanOutline } from '#domain/planning/outline.ts';
import type { Stage } from '#domain/planning/stages.ts';
import { JsonObject } from '#domain/text.ts';
import { defineTool } from '#planner/define-tool.ts';
import { Session } from '#planner/stages/session.ts';
import { createStageTools, type Remember } from '#planner/stages/stage-tools.ts';
import { fail, succeed, type Tool, type ToolOutcome } from '#planner/tool.ts';
import { makeDesk, makeState } from '../tools/tool-context.ts';

const fresh: Remember = async (_, __, make) => ({ outcome: await make(), remembered: false });

function tool(name: string, more: Partial<Tool> = {}): Tool & { ran: JsonObject[] } {
  const ran: JsonObject[] = [];
  return {
    name,
    description: name,
    parameters: {},
    stages: ['DRAFT_ROADMAP'],
    prerequisites: [],
    produces: [],
    reads: false,
    revision: null,
    prepare: (args) => ({ input: args }),
    async execute(args): Promise<ToolOutcome> {
      ran.push(JsonObject.parse(args));
      return { result: succeed(null, 'done') };
    },
    ...more,
    ran,
  };
}

function lay(tools: Tool[], stage: Stage = 'DRAFT_ROADMAP', remember: Remember = fresh) {
  const session = new Session(makeState({ stage, produced: ['pattern', 'outline'] }));
  const { state: _, signal, ...toolContext } = makeDesk();
  const reported: Activity[] = [];
  const stageTools = createStageTools({
    stage,
    session,
    tools,
    toolContext,
    clock: systemClock,
    remember,
    report: (activity) => reported.push(activity),
  });
  return {
    session,
    stageTools,
    reported,
    call: (name: string, args = {}) => stageTools.call(name, args, signal),
  };
}

const refused = { ok: false, confidence: 0, data: null };

describe('a call out of order', () => {
  it('is not offered, does not run, says what it needs first, and is in the trace', async () => {
    const early = tool('build_roadmap', { prerequisites: ['valid_outline', 'dependencies'] });
    const { stageTools, call, session } = lay([early]);
    expect(stageTools.offered()).toEqual([]);
    const { result, ends } = await call('build_roadmap');
    expect(result).toMatchObject(refused);
    expect(result.explanations).toEqual([
      'build_roadmap needs valid outline and dependencies first.',
    ]);
    expect(ends).toBeUndefined();
    expect(early.ran).toEqual([]);
    expect(session.state.trace).toMatchObject([
      { stage: 'DRAFT_ROADMAP', tool: 'build_roadmap', ok: false, confidence: 0 },
    ]);
    expect(session.state.produced).toEqual(['pattern', 'outline']);
  });

  it('submits nothing in a reply of which an edit failed, even if later ones succeeded', async () => {
    const results = [fail('There is no step x.'), succeed(null, 'done')];
    const edit = tool('edit', {
      produces: ['draft'],
      execute: async () => ({ result: results.shift() ?? succeed(null, 'done') }),
    });
    const submit = tool('submit_plan');
    const { stageTools, call } = lay([edit, submit]);
    stageTools.offered();
    await call('edit');
    await call('edit');
    const { result } = await call('submit_plan');
    expect(result.explanations[0]).toContain('The last edit failed');
    expect(submit.ran).toEqual([]);
    stageTools.offered();
    expect((await call('submit_plan')).result.ok).toBe(true);
  });

  it('of another stage is refused with the stage', async () => {
    const { result } = await lay([tool('select_pattern')], 'DRAFT_SCHEDULE').call('select_pattern');
    expect(result).toMatchObject(refused);
    expect(result.explanations[0]).toContain('DRAFT_SCHEDULE');
  });

  it('becomes possible as soon as what it needs was made', async () => {
    const first = tool('resolve_dependencies', { produces: ['dependencies'] });
    const second = tool('build_roadmap', { prerequisites: ['dependencies'] });
    const { stageTools, call } = lay([first, second]);
    await call('resolve_dependencies');
    expect(stageTools.offered().map(({ name }) => name)).toEqual([
      'resolve_dependencies',
      'build_roadmap',
    ]);
    expect((await call('build_roadmap')).result.ok).toBe(true);
  });
});

describe('a call that fails', () => {
  it('by throwing is a result with its reason, and produces nothing', async () => {
    const broken = tool('build_roadmap', {
      produces: ['roadmap'],
      execute: () => Promise.reject(new Error('The graph is too large.')),
    });
    const { call, session } = lay([broken]);
    const { result } = await call('build_roadmap');
    expect(result).toMatchObject(refused);
    expect(result.explanations).toEqual(['The graph is too large.']);
    expect(session.state.produced).toEqual(['pattern', 'outline']);
    expect(session.state.trace.at(-1)).toMatchObject({ ok: false, confidence: 0 });
  });

  it('by its arguments never runs', async () => {
    const strict = tool('build_roadmap', {
      prepare: () => ({ problems: ['prefer: is not known.'] }),
    });
    const { result } = await lay([strict]).call('build_roadmap', { prefer: 'x' });
    expect(result).toMatchObject({ ...refused, explanations: ['prefer: is not known.'] });
    expect(strict.ran).toEqual([]);
  });

  it('by its name says which there are', async () => {
    const { result } = await lay([tool('build_roadmap')]).call('make_coffee');
    expect(result).toMatchObject(refused);
    expect(result.explanations[0]).toContain('build_roadmap');
  });
});

describe('a call that goes well', () => {
  it('leaves its changes, what it found and what it changed in session and trace', async () => {
    const violation = { code: 'cycle', node: '1', text: '1 waits for itself.', blocking: true };
    const adaptation = {
      what: 'unlinked',
      node: '1 → 1',
      introduced_by: 'system',
      why: 'It goes round.',
    } as const;
    const good = tool('resolve_dependencies', {
      produces: ['dependencies'],
      execute: async () => ({
        result: succeed(null, 'done'),
        changes: { reason: 'because' },
        violations: [violation],
        adaptations: [adaptation],
        self: 0.8,
        heuristics: 0.6,
        ends: 'drafted',
      }),
    });
    const { call, session } = lay([good]);
    expect((await call('resolve_dependencies')).ends).toBe('drafted');
    expect(session.sureness).toEqual({ self: 0.8, heuristics: 0.6 });
    expect(session.state).toMatchObject({
      reason: 'because',
      produced: ['pattern', 'outline', 'dependencies'],
      trace: [{ ok: true, violations: [violation], adaptations: [adaptation] }],
    });
  });

  it('takes away what was made of what it makes anew', async () => {
    const { call, session } = lay([tool('generate_nodes', { produces: ['outline'] })]);
    session.produce(['valid_outline', 'dependencies', 'roadmap']);
    await call('generate_nodes');
    expect(session.state.produced).toEqual(['pattern', 'outline']);
  });

  it('is marked where its result was remembered, and did not run again', async () => {
    const kept = tool('build_roadmap', { revision: 3 });
    const keys: unknown[] = [];
    const { call, session } = lay([kept], 'DRAFT_ROADMAP', async (which, args) => {
      keys.push([which, args]);
      return { outcome: { result: succeed(null, 'as before') }, remembered: true };
    });
    await call('build_roadmap', { prefer: null });
    expect(keys).toEqual([[{ name: 'build_roadmap', revision: 3 }, { prefer: null }]]);
    expect(kept.ran).toEqual([]);
    expect(session.state.trace.at(-1)).toMatchObject({ remembered: true });
  });
});

describe('arguments', () => {
  it('are parsed once, and reach the tool as they were parsed', async () => {
    let parsed = 0;
    const input = z.strictObject({ prefer: z.string().nullable() }).refine(() => {
      parsed += 1;
      return true;
    });
    const seen: unknown[] = [];
    const counted = defineTool({
      name: 'build_roadmap',
      description: 'Counts.',
      stages: ['DRAFT_ROADMAP'],
      revision: 1,
      input,
      async execute(given) {
        seen.push(given);
        return { result: succeed(null) };
      },
    });
    const { call } = lay([counted]);
    expect((await call('build_roadmap')).result.ok).toBe(true);
    expect((await call('build_roadmap', { prefer: 3 })).result.ok).toBe(false);
    expect(parsed).toBe(1);
    expect(seen).toEqual([{ prefer: null }]);
  });
});

describe('what it reports', () => {
  it('says what a reading tool reads before it does, and nothing of other tools', async () => {
    const seen: unknown[] = [];
    const read = tool('files_read', {
      reads: true,
      execute: async () => {
        seen.push(structuredClone(reported));
        return { result: succeed(null, 'done') };
      },
    });
    const { call, reported } = lay([read, tool('build_roadmap')]);
    await call('build_roadmap', { prefer: 'x' });
    await call('files_read', { limit: 3, path: ' notes/\nbrief.md ' });
    expect(seen).toEqual([[{ kind: 'reading', operation: 'files_read', what: 'notes/ brief.md' }]]);
  });

  it('names the operation that a tool for all reads is called for', async () => {
    const search = tool('memory_search', { reads: true });
    const { call, reported } = lay([search]);
    await call('read', { operation: 'memory_search', args: { query: 'Ana' } });
    await call('read', { operation: 'memory_search', args: '{"query":"Ben"}' });
    expect(reported).toEqual([
      { kind: 'reading', operation: 'memory_search', what: 'Ana' },
      { kind: 'reading', operation: 'memory_search', what: 'Ben' },
    ]);
    expect(search.ran).toEqual([{ query: 'Ana' }, { query: 'Ben' }]);
  });

  it('counts the steps of the draft whenever it changes, and before a model is asked', async () => {
    const nodes = ['a.txt', 'b.txt'].map((path, index) => ({
      id: String(index + 1),
      title: path,
      structure: 'task',
      level: 1,
      steps: [
        { id: `s${index}`, description: path, tool: 'workspace', operation: 'write', args: {} },
      ],
    }));
    const outline = PlanOutline.parse({
      title: 'Notes',
      summary: 'Notes exist.',
      pattern: { pattern_type: 'milestone_project' },
      nodes,
    });
    const drafts = tool('generate_nodes', {
      execute: async () => ({ result: succeed(null, 'done'), changes: { outline } }),
    });
    const { call, stageTools, reported } = lay([drafts]);
    stageTools.reportDraft(0);
    await call('generate_nodes');
    stageTools.reportDraft(0);
    const drafting = { kind: 'drafting', steps: 2 };
    expect(reported).toEqual([{ kind: 'thinking' }, drafting, drafting]);
  });
});
