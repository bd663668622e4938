// Dependencies of built-in tools, injected at start.
import type { StepSelector } from '#domain/plan/step-selector.ts';
import type { Json, JsonObject } from '#domain/text.ts';
import type { ToolContext } from '#domain/tool.ts';

export type ChatPort = {
  /** A repeat of `once` is not posted. @throws `invalid_arguments` if posting is not allowed or there is no conversation */
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
  /** @throws `not_found` if the file isn't attached there */
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
  /** RFC 5545, or null for a single time. */
  rrule: string | null;
  timezone: string;
  startsAt: Date;
  nextAt: Date;
};

export type ReminderPort = {
  /** Idempotent by ID. */
  set(reminder: NewReminder): Promise<void>;
};

/** Idempotent: after a crash each operation finds its earlier result. */
export type PlanPort = {
  /** Repeats reads; raises a finding for each changed output. */
  recheck(steps: { ids?: string[]; partition?: string }, context: ToolContext): Promise<Recheck>;
  /** Doesn't apply it. @param refused why earlier changes were refused */
  propose(finding: string, refused: string[], context: ToolContext): Promise<Proposal>;
  /** Applies a change that narrows the plan; any other waits for a person. */
  verify(finding: string, patch: Json, context: ToolContext): Promise<Verdict>;
};

/** `skipped`: not succeeded, or not only reading. `changed`: step IDs. */
export type Recheck = { checked: number; skipped: number; changed: string[] };

export type Proposal = { patch: JsonObject | null; reason: string };

export type Verdict = {
  verdict: 'applied' | 'awaiting_approval' | 'refused' | 'nothing';
  patch_id: string | null;
  reasons: string[];
};

export type StepOutput = {
  id: string;
  operation: string;
  args: JsonObject;
  summary: string | null;
  output: Json;
};

export type DraftPort = {
  estimateTokens(text: string): Promise<number>;
  /** Prerequisites with and without output. @throws `unknown_step` if the step is gone */
  count(of: OutputsOf): Promise<{ sources: number; missing: number }>;
  read(of: OutputsOf): AsyncIterable<StepOutput>;
  store(artifact: {
    id: string;
    planId: string;
    stepId: string;
    name: string;
    content: object;
  }): Promise<void>;
  load(planId: string, id: string): Promise<Json | null>;
};

/** `steps` selects among the prerequisites of `stepId`. */
export type OutputsOf = { planId: string; stepId: string; steps: StepSelector };

/** A person's names, and the calendar they connected. `open` gives its address. */
export type OwnCalendar = (user: string) => Promise<{
  names: string[];
  connected: { host: string; tenant: string | null; open(): string } | null;
}>;
