// What built-in tools need from the rest of the instance, injected at start.
import type { StepSelector } from '#domain/plan/step-selector.ts';
import type { Json, JsonObject } from '#domain/text.ts';
import type { ToolContext } from '#domain/tool.ts';

/** Says something in a conversation. */
export type ChatPort = {
  /**
   * `once`: a text with the same key is said only the first time. `from`: the conversation of the plan that posts.
   * @throws CountersignError `invalid_arguments` when it may not post there, or there is no such conversation
   */
  post(message: {
    conversation: string;
    from: string | null;
    user: string;
    text: string;
    once: string;
  }): Promise<void>;
};

export type NewReminder = {
  id: string;
  planId: string | null;
  user: string;
  conversation: string | null;
  text: string;
  /** RFC 5545 rule; null: once. */
  rrule: string | null;
  timezone: string;
  startsAt: Date;
  /** When it rings first. */
  nextAt: Date;
};

/** Keeps reminders. */
export type ReminderPort = {
  /** Stores the reminder under its id; a second call with the same id changes nothing more. */
  set(reminder: NewReminder): Promise<void>;
};

/** What a plan asks about itself while it runs. Each of these may come again after a crash and then finds what it did before. */
export type PlanPort = {
  /** Calls reads that were made again, and raises a finding for each whose output has changed. */
  recheck(steps: { ids?: string[]; partition?: string }, context: ToolContext): Promise<Recheck>;
  /** Works out a change that settles the finding, and applies nothing. @param refused why earlier changes were refused */
  propose(finding: string, refused: string[], context: ToolContext): Promise<Proposal>;
  /** Checks the change, and applies it where it narrows the plan; one that widens it waits for a person. */
  verify(finding: string, patch: Json, context: ToolContext): Promise<Verdict>;
};

/** `skipped`: steps that have not succeeded, or that do more than read. `changed`: their ids. */
export type Recheck = { checked: number; skipped: number; changed: string[] };

/** `patch`: null: there is none, and `reason` says why. */
export type Proposal = { patch: JsonObject | null; reason: string };

export type Verdict = {
  verdict: 'applied' | 'awaiting_approval' | 'refused' | 'nothing';
  patch_id: string | null;
  /** Why it waits or was refused. */
  reasons: string[];
};

/** What a step put out, with the call that it made. */
export type StepOutput = {
  id: string;
  operation: string;
  args: JsonObject;
  summary: string | null;
  output: Json;
};

/** Reads what the steps of a plan put out, and keeps what is made of it. */
export type DraftPort = {
  /** Tokens of a text, estimated. */
  estimateTokens(text: string): Promise<number>;
  /**
   * Of the steps that `stepId` waits for and `steps` names, how many have an output, and how many have none.
   * @throws CountersignError `unknown_step` where the step is gone
   */
  count(of: OutputsOf): Promise<{ sources: number; missing: number }>;
  /** Their outputs in the order of the plan, read page by page. */
  read(of: OutputsOf): AsyncIterable<StepOutput>;
  /** Stores `content` as an artifact of the plan; where there is one of this id already, nothing changes. */
  store(artifact: {
    id: string;
    planId: string;
    stepId: string;
    name: string;
    content: object;
  }): Promise<void>;
  /** The content of an artifact of the plan; null: it has none of this id, or one that is no JSON. */
  load(planId: string, id: string): Promise<Json | null>;
};

/** The step that reads, and what it reads of the steps that it waits for. */
export type OutputsOf = { planId: string; stepId: string; steps: StepSelector };
