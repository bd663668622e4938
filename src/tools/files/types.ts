// Types of `countersign/tools`, self-contained: the package ships this file as declarations.
import type { z } from 'zod';

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

export type CallContext = {
  planId: string | null;
  stepId: string | null;
  /** The same for every attempt of a step, so that the other side can deduplicate. */
  idempotencyKey: string;
  user: string;
  conversation: string | null;
  /** IANA zone of the person the work is for. */
  timezone: string;
  /**
   * Where work that continues after `run` posts its result. Get it first, then return `later`. Throws without
   * COUNTERSIGN_PUBLIC_URL.
   */
  callbackUrl(): Promise<string>;
  signal: AbortSignal;
};

export type CallOutput = { summary: string; data: Json };

/** Work that continues elsewhere. `later` identifies it for any worker, as a job ID does. */
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
  /** `write` is never repeated unless a person says so. */
  effect: 'read' | 'idempotent' | 'write';
  destructive: boolean;
  /** An object. Invalid arguments are refused before approval. */
  schema: S;
  /** Describes `data`; references of later steps are checked against it. */
  output?: z.ZodType;
  /** Default: the operation's name and every argument. */
  describe?(args: { [key: string]: Json }): CallFacts;
  /** Added to the configured time limit. */
  expectedSeconds?(args: { [key: string]: Json }): number;
  run(args: z.output<S>, context: CallContext): Promise<CallOutput | CallLater>;
  /** Must change nothing; an error means it can't be polled now. */
  check?(later: string, context: { signal: AbortSignal }): Promise<WorkState>;
  cancel?(later: string, context: { signal: AbortSignal }): Promise<void>;
};

/** Default export of a tool file: one or an array. */
export type ToolOperation = { readonly name: string; readonly tool: string };

export type DefineOperation = <S extends z.ZodType>(
  definition: OperationDefinition<S>,
) => ToolOperation;

/** Read it in `run`: gateways load the file without secrets. Throws, with nothing done, if it is not set. */
export type Secret = (variable: string) => string;

/** Throw it only if certainly nothing was done. */
export type Refusal = (message: string) => Error;
