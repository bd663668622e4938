// The types of `countersign/tools`, self-contained because the package ships this file as declarations.
import type { z } from 'zod';

/** Any JSON value. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** The context of a call. */
export type CallContext = {
  planId: string | null;
  stepId: string | null;
  /** The same for every attempt of a step: send it if the other side deduplicates by it. */
  idempotencyKey: string;
  /** The person who requested the plan. */
  user: string;
  conversation: string | null;
  /** IANA zone of the person the work is for. */
  timezone: string;
  /**
   * A URL where the other side posts the result of work that continues after `run`; stable for this attempt. Get it before
   * starting the work, then return `later`. Throws, with nothing done, if COUNTERSIGN_PUBLIC_URL is not set.
   */
  callbackUrl(): Promise<string>;
  /** Aborts when the step is cancelled or times out: pass it to `fetch` and the like. */
  signal: AbortSignal;
};

/** The result of a call: a line for the report, and data for later steps. */
export type CallOutput = { summary: string; data: Json };

/**
 * The result of a call whose work continues elsewhere. `later` identifies it for any worker, as a job ID does. `checkAfterMs` is
 * when to call `check`.
 */
export type CallLater = { later: string; checkAfterMs?: number };

/** The state of such work. `lost`: unknown, and it may have acted. `message` is a sentence for people. */
export type WorkState =
  | { state: 'running'; checkAfterMs?: number }
  | { state: 'done'; output: CallOutput }
  | { state: 'failed' | 'lost'; message: string };

/** The effect of a call, as data. `target` and `payload` are argument names; people see their values. */
export type CallFacts = {
  /** The start of a sentence: `Sends an invoice to`. */
  verb: string;
  target?: string;
  payload?: string[];
  /** Whether the call destroys existing data. */
  destructive?: boolean;
  /** Whether it reaches beyond this installation. Default: unless it only reads. */
  outside?: boolean;
};

export type OperationDefinition<S extends z.ZodType> = {
  /** Letters, digits and hyphens. */
  tool: string;
  /** Letters, digits, hyphens and underscores. The step calls `<tool>_<operation>`. */
  operation: string;
  /** A sentence for planners and people. */
  description: string;
  /** `read` changes nothing; `idempotent` may be repeated; `write` is never repeated unless a person says so. */
  effect: 'read' | 'idempotent' | 'write';
  destructive: boolean;
  /** The arguments, an object. Invalid ones are refused before approval. */
  schema: S;
  /** The schema of `data`; references of later steps are checked against it. */
  output?: z.ZodType;
  /** Default: shows the operation's name and every argument. */
  describe?(args: { [key: string]: Json }): CallFacts;
  /** Inherent duration in seconds, added to the configured time limit. */
  expectedSeconds?(args: { [key: string]: Json }): number;
  run(args: z.output<S>, context: CallContext): Promise<CallOutput | CallLater>;
  /** Polls continuing work. Must not change anything; an error means it could not be polled now. */
  check?(later: string, context: { signal: AbortSignal }): Promise<WorkState>;
  /** Asks such work to stop: the plan was cancelled or the step timed out. */
  cancel?(later: string, context: { signal: AbortSignal }): Promise<void>;
};

/** The default export of a tool file: one or an array. */
export type ToolOperation = { readonly name: string; readonly tool: string };

/** Declares an operation that plans can use. */
export type DefineOperation = <S extends z.ZodType>(
  definition: OperationDefinition<S>,
) => ToolOperation;

/**
 * An environment variable of the worker that makes the call. Read it in `run`: gateways load the file without secrets. Throws,
 * with nothing done, if it is not set.
 */
export type Secret = (variable: string) => string;

/** The error to throw if certainly nothing was done: the step fails, and no person has to check the outcome. */
export type Refusal = (message: string) => Error;
