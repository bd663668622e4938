// Dependencies of built-in tools on the rest of the instance, injected at start.
import type { StepSelector } from '#domain/plan/step-selector.ts';
import type { Json, JsonObject } from '#domain/text.ts';
import type { ToolContext } from '#domain/tool.ts';

export type ChatPort = {
  /**
   * `once`: a key; repeats are not posted. `from`: the posting plan's conversation; `step`: the posting step, if any.
   * @throws CountersignError `invalid_arguments` if posting there is not allowed, or the conversation doesn't exist
   */
  post(message: {
    conversation: string;
    from: string | null;
    user: string;
    step: { planId: string; stepId: string } | null;
    text: string;
    once: string;
  }): Promise<void>;
};

export type FilePort = {
  /** A file attached in a conversation. @throws CountersignError `not_found` if it isn't attached there */
  fetch(
    conversation: string | null,
    id: string,
    signal: AbortSignal,
  ): Promise<{ name: string; content: Buffer }>;
};

export type NewReminder = {
  id: string;
  planId: string | null;
  user: string;
  conversation: string | null;
  text: string;
  /** RFC 5545 rule, or null for a single time. */
  rrule: string | null;
  timezone: string;
  startsAt: Date;
  /** First time it rings. */
  nextAt: Date;
};

export type ReminderPort = {
  /** Stores the reminder; a repeat with the same ID has no effect. */
  set(reminder: NewReminder): Promise<void>;
};

/** A plan's operations on itself. Idempotent: after a crash each finds its earlier result. */
export type PlanPort = {
  /** Repeats reads, and raises a finding for each whose output has changed. */
  recheck(steps: { ids?: string[]; partition?: string }, context: ToolContext): Promise<Recheck>;
  /** Works out a change that settles the finding, without applying it. @param refused why earlier changes were refused */
  propose(finding: string, refused: string[], context: ToolContext): Promise<Proposal>;
  /** Checks the change. Applies it if it narrows the plan; otherwise it waits for a person. */
  verify(finding: string, patch: Json, context: ToolContext): Promise<Verdict>;
};

/** `skipped`: steps that have not succeeded, or don't only read. `changed`: step IDs. */
export type Recheck = { checked: number; skipped: number; changed: string[] };

/** `patch` is null if there is none, explained in `reason`. */
export type Proposal = { patch: JsonObject | null; reason: string };

export type Verdict = {
  verdict: 'applied' | 'awaiting_approval' | 'refused' | 'nothing';
  patch_id: string | null;
  /** Why it waits or was refused. */
  reasons: string[];
};

/** A step's output with its call. */
export type StepOutput = {
  id: string;
  operation: string;
  args: JsonObject;
  summary: string | null;
  output: Json;
};

/** Reads step outputs of a plan and stores draftbooks and reports. */
export type DraftPort = {
  /** Estimated. */
  estimateTokens(text: string): Promise<number>;
  /**
   * Counts prerequisites of `stepId` selected by `steps`, with and without output.
   * @throws CountersignError `unknown_step` if the step is gone
   */
  count(of: OutputsOf): Promise<{ sources: number; missing: number }>;
  /** Their outputs in plan order, read page by page. */
  read(of: OutputsOf): AsyncIterable<StepOutput>;
  /** Stores `content` as an artifact of the plan, unless the ID exists. */
  store(artifact: {
    id: string;
    planId: string;
    stepId: string;
    name: string;
    content: object;
  }): Promise<void>;
  /** An artifact's content, or null if it doesn't exist or isn't JSON. */
  load(planId: string, id: string): Promise<Json | null>;
};

/** The reading step, and the prerequisites that it reads. */
export type OutputsOf = { planId: string; stepId: string; steps: StepSelector };
