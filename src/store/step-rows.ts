// What the tables of a plan take of its steps, lanes and edges.
import type { ReviewRank } from '#contracts/call.ts';
import type { Step, StepContent } from '#contracts/plan.ts';
import { type RowForm, writeList } from './copy-rows.ts';
import type { planEdges, planLanes } from './schema.ts';

/** A step as it is inserted; its edges are inserted beside it. */
export type NewStep = Omit<StepContent, 'after'> &
  Pick<Step, 'position' | 'effect' | 'guarded'> & {
    review_rank: ReviewRank;
    /** Edges that end here, and that begin here. */
    unmet: number;
    dependents: number;
    /** The kind of step it is: a number of one of the plan's lanes. */
    lane: number;
    seal: string;
  };

/** A dependency between two positions of a plan. */
export type Edge = Omit<typeof planEdges.$inferSelect, 'plan_id'>;

/** What a worker must offer to run the steps of this kind, and what they reserve from. */
export type Lane = Omit<typeof planLanes.$inferSelect, 'plan_id'>;

export const contentRows: RowForm<NewStep> = {
  table: 'plan_steps',
  fields: {
    position: (step) => step.position,
    step_id: (step) => step.id,
    description: (step) => step.description,
    tool: (step) => step.tool,
    operation: (step) => step.operation,
    target: (step) => step.target,
    args: (step) => JSON.stringify(step.args),
    priority: (step) => step.priority,
    partition: (step) => step.partition,
    tags: (step) => writeList(step.tags),
    resources: (step) => JSON.stringify(step.resources),
    capabilities: (step) => writeList(step.capabilities),
    notes: (step) => (step.notes === null ? null : JSON.stringify(step.notes)),
    duration_minutes: (step) => step.duration_minutes,
    not_before: (step) => step.not_before,
    seen: (step) => (step.seen === null ? null : JSON.stringify(step.seen)),
    effect: (step) => step.effect,
    guarded: (step) => step.guarded,
    review_rank: (step) => step.review_rank,
    seal: (step) => step.seal,
    // A word of SQL.
    '"when"': (step) => (step.when.length === 0 ? null : JSON.stringify(step.when)),
    ask_before: (step) => step.ask_before,
  },
};

export const stateRows: RowForm<NewStep> = {
  table: 'step_states',
  fields: {
    position: (step) => step.position,
    step_id: (step) => step.id,
    partition: (step) => step.partition,
    lane: (step) => step.lane,
    priority: (step) => step.priority,
    dependents: (step) => step.dependents,
    unmet: (step) => step.unmet,
    available_at: (step) => step.not_before,
  },
};

export const laneRows: RowForm<Lane> = {
  table: 'plan_lanes',
  fields: {
    lane: (lane) => lane.lane,
    tool: (lane) => lane.tool,
    operation: (lane) => lane.operation,
    capabilities: (lane) => writeList(lane.capabilities),
    pools: (lane) => writeList(lane.pools),
  },
};

export const edgeRows: RowForm<Edge> = {
  table: 'plan_edges',
  fields: {
    predecessor: (edge) => edge.predecessor,
    successor: (edge) => edge.successor,
    type: (edge) => edge.type,
    lag_minutes: (edge) => edge.lag_minutes,
  },
};
