// The types of `countersign/tools`, self-contained because the package ships this file as declarations.
import type { z } from 'zod';

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

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
   * Where the other side posts the result of work that continues after `run`; stable for this attempt. Get it before starting
   * the work, then return `later`. Throws, with nothing done, if COUNTERSIGN_PUBLIC_URL is not set.
   */
  callbackUrl(): Promise<string>;
  /** Aborts on cancellation or timeout: pass it to `fetch` and the like. */
  signal: AbortSignal;
};

export type CallOutput = { summary: string; data: Json };

/**
 * For work that continues elsewhere. `later` identifies it for any worker, as a job ID does; `checkAfterMs` says when to call
 * `check`.
 */
export type CallLater = { later: string; checkAfterMs?: number };

/** `lost`: unknown, and it may have acted. `message` is a sentence for people. */
export type WorkState =
  | { state: 'running'; checkAfterMs?: number }
  | { state: 'done'; output: CallOutput }
  | { state: 'failed' | 'lost'; message: string };

/** `target` and `payload` are argument names; people see their values. */
export type CallFacts = {
  /** Starts a sentence: `Sends an invoice to`. */
  verb: string;
  target?: string;
  payload?: string[];
  /** Destroys existing data. */
  destructive?: boolean;
  /** Reaches beyond this installation. Default: unless it only reads. */
  outside?: boolean;
};

export type OperationDefinition<S extends z.ZodType> = {
  /** Letters, digits and hyphens. */
  tool: string;
  /** Letters, digits, hyphens and underscores. Steps call `<tool>_<operation>`. */
  operation: string;
  description: string;
  /** `read` changes nothing; `idempotent` may be repeated; `write` is never repeated unless a person says so. */
  effect: 'read' | 'idempotent' | 'write';
  destructive: boolean;
  /** An object. Invalid arguments are refused before approval. */
  schema: S;
  /** Describes `data`; references of later steps are checked against it. */
  output?: z.ZodType;
  /** Default: the operation's name and every argument. */
  describe?(args: { [key: string]: Json }): CallFacts;
  /** Inherent duration in seconds, added to the configured time limit. */
  expectedSeconds?(args: { [key: string]: Json }): number;
  run(args: z.output<S>, context: CallContext): Promise<CallOutput | CallLater>;
  /** Polls continuing work without changing anything; an error means it can't be polled now. */
  check?(later: string, context: { signal: AbortSignal }): Promise<WorkState>;
  /** Asks the work to stop, on cancellation or timeout. */
  cancel?(later: string, context: { signal: AbortSignal }): Promise<void>;
};

/** Default export of a tool file: one or an array. */
export type ToolOperation = { readonly name: string; readonly tool: string };

export type DefineOperation = <S extends z.ZodType>(
  definition: OperationDefinition<S>,
) => ToolOperation;

/**
 * An environment variable of the calling worker. Read it in `run`: gateways load the file without secrets. Throws, with nothing
 * done, if it is not set.
 */
export type Secret = (variable: string) => string;

/** Throw it if certainly nothing was done: the step fails, and its outcome needs no check. */
export type Refusal = (message: string) => Error;
