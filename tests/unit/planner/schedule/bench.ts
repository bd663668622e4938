// Inputs for tests of times, in Berlin on a Tuesday morning.
import { PlanOutline } from '#domain/planning/outline.ts';
import type { Roadmap } from '#domain/planning/roadmap.ts';
import type { PlanningState } from '#domain/planning/state.ts';
import type { JsonObject } from '#domain/text.ts';
import type { OperationSpec } from '#domain/tool.ts';
import type { PlannerTools } from '#planner/ports.ts';
import type { ToolContext } from '#planner/tool.ts';
import { toLocalIso } from '#timeline/recurrence.ts';
import { makePlan } from '../../../fixtures/plans.ts';
import { makeDesk as makeAnyDesk, roadmapOf } from '../tools/tool-context.ts';

export const timezone = 'Europe/Berlin';
export const now = new Date('2026-03-10T08:15:00+01:00');

const pattern = { pattern_type: 'milestone_project' as const, introduced_by: 'system' as const };

type Drawn = { id: string; title?: string } & Record<string, unknown>;

export function machineStep(id: string, more: Record<string, unknown> = {}) {
  return {
    id: `${id}.1`,
    description: `Write ${id}`,
    tool: 'workspace',
    operation: 'write',
    args: { path: `${id}.md`, text: id },
    ...more,
  };
}

export function personStep(id: string, assignee?: string) {
  return {
    id: `${id}.1`,
    description: `Ask about ${id}`,
    tool: 'human',
    operation: 'task',
    args: { question: `${id}?`, ...(assignee === undefined ? {} : { assignee }) },
  };
}

export function makeOutline(nodes: Drawn[]): PlanOutline {
  return PlanOutline.parse({
    title: 'Release',
    summary: 'It is out.',
    pattern,
    nodes: [
      { id: 'goal', title: 'The release is out', structure: 'goal', level: 1 },
      ...nodes.map(({ id, ...more }) => ({
        id,
        parent: 'goal',
        title: id,
        structure: 'task',
        level: 2,
        ...(more.structure === 'phase' ? {} : { steps: [machineStep(id)] }),
        ...more,
      })),
    ],
  });
}

export type Edge = [from: string, to: string, type?: 'FS' | 'SS' | 'FF' | 'SF', lag?: number];

export const makeRoadmap = (edges: Edge[] = []): Roadmap =>
  roadmapOf(
    edges.map(([from, to, type = 'FS', lag_minutes = 0]) => ({ from, to, type, lag_minutes })),
  );

function spec(tool: string, operation: string, more: Partial<OperationSpec> = {}): OperationSpec {
  return {
    tool,
    operation,
    name: `${tool}_${operation}`,
    description: '',
    input: { type: 'object' },
    effect: 'read',
    destructive: false,
    source: 'builtin',
    ...more,
  };
}

export type Event = { title: string; start: string; end: string; busy?: boolean };

/** `events`: by person, or the requester's; null: may not read; an error: reading fails. */
export function makeTools(
  events: Event[] | Record<string, Event[]> | null | Error = [],
  calls: JsonObject[] = [],
): PlannerTools {
  const calendar = spec('calendar', 'read');
  return {
    manifest: () => [
      calendar,
      spec('workspace', 'write', { effect: 'idempotent' }),
      spec('human', 'task', { human: true }),
    ],
    readable: () => (events === null ? [] : [calendar]),
    async call(_, args, __, { user } = { user: 'ana' }) {
      calls.push(args);
      if (events instanceof Error) throw events;
      const own = Array.isArray(events) ? { ana: events }[user] : events?.[user];
      const list = (own ?? []).map((event) => ({
        uid: event.title,
        all_day: false,
        busy: true,
        location: null,
        calendar: 'work',
        ...event,
      }));
      return {
        summary: '',
        data: {
          ...{ events: list, count: list.length, timezone, truncated: false },
          calendars: own === undefined ? [] : ['work'],
        },
      };
    },
    validate: () => [],
    atHand: null,
    posts: null,
    parts: null,
    requests: null,
    lookAround: null,
    listPlans: async () => ({ plans: [] }),
    getPlan: async () => makePlan(),
  };
}

const produced = [
  ...['pattern', 'outline', 'valid_outline', 'dependencies', 'roadmap', 'valid_roadmap'],
] as PlanningState['produced'];

export const makeDesk = (
  state: Partial<PlanningState>,
  more: Partial<ToolContext> = {},
): ToolContext =>
  makeAnyDesk({
    state: { stage: 'DRAFT_SCHEDULE', now: now.toISOString(), timezone, produced, ...state },
    ...{ request: 'Plan the release', tools: makeTools(), now },
    ...more,
  });

/** `03-10 09:00` in Berlin. */
export function print(iso: string | null | undefined): string | null {
  return iso == null ? null : toLocalIso(new Date(iso), timezone).slice(5, 16).replace('T', ' ');
}
