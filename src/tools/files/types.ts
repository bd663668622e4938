// The types of `countersign/tools`. They stand alone, without the rest of this program, so that the package ships this text as its
// declarations.
import type { z } from 'zod';

/** Any JSON value. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** Where and for whom a call is made. */
export type CallContext = {
  planId: string | null;
  stepId: string | null;
  /** The same for every attempt of one step: send it along where the other side can act once by it. */
  idempotencyKey: string;
  /** Who asked for the plan. */
  user: string;
  conversation: string | null;
  /** IANA zone of the person the work is for. */
  timezone: string;
  /**
   * An address for this attempt of the step, where the other side posts what became of work that goes on after `run`; the same one each
   * time. Ask for it before the work begins, and return `later`. Throws where COUNTERSIGN_PUBLIC_URL is not set; nothing was done then.
   */
  callbackUrl(): Promise<string>;
  /** Aborts when the step is cancelled or takes too long: hand it to `fetch` and the like. */
  signal: AbortSignal;
};

/** What a call gives back: one line for the report, and data that later steps can refer to. */
export type CallOutput = { summary: string; data: Json };

/**
 * What a call gives back whose work goes on elsewhere. `later` finds that work again, from any worker: the id of a job. `checkAfterMs` is
 * when `check` is worth calling.
 */
export type CallLater = { later: string; checkAfterMs?: number };

/** How such work stands. `lost`: nobody knows any more, and it may have acted. `message` is a sentence for people. */
export type WorkState =
  | { state: 'running'; checkAfterMs?: number }
  | { state: 'done'; output: CallOutput }
  | { state: 'failed' | 'lost'; message: string };

/** What a call does, as data. `target` and `payload` are names of arguments: people are shown the values themselves. */
export type CallFacts = {
  /** As a sentence begins: `Sends an invoice to`. */
  verb: string;
  target?: string;
  payload?: string[];
  /** This call destroys what was there. */
  destructive?: boolean;
  /** It reaches beyond this installation. Left out: unless it only reads. */
  outside?: boolean;
};

export type OperationDefinition<S extends z.ZodType> = {
  /** Letters, digits and hyphens. */
  tool: string;
  /** Letters, digits, hyphens and underscores. The step calls `<tool>_<operation>`. */
  operation: string;
  /** For planners and people: what it does, in a sentence. */
  description: string;
  /** `read` changes nothing; `idempotent` may be repeated; `write` is never repeated without a person's word. */
  effect: 'read' | 'idempotent' | 'write';
  destructive: boolean;
  /** The arguments: an object. What does not fit is refused before anybody approves. */
  schema: S;
  /** What `data` is. References of later steps are checked against it. */
  output?: z.ZodType;
  /** Left out: people are shown the operation's name and every argument. */
  describe?(args: { [key: string]: Json }): CallFacts;
  /** Seconds a call with these arguments takes by its nature; the time limit of the settings comes on top. */
  expectedSeconds?(args: { [key: string]: Json }): number;
  run(args: z.output<S>, context: CallContext): Promise<CallOutput | CallLater>;
  /** Asks how work stands that goes on. It must change nothing; what it throws means that nobody could be asked now. */
  check?(later: string, context: { signal: AbortSignal }): Promise<WorkState>;
  /** Asks for such work to be stopped: the plan was cancelled, or the step took too long. */
  cancel?(later: string, context: { signal: AbortSignal }): Promise<void>;
};

/** What a tool file exports by default, one or an array of them. */
export type ToolOperation = { readonly name: string; readonly tool: string };

/** Declares an operation that plans can use. */
export type DefineOperation = <S extends z.ZodType>(
  definition: OperationDefinition<S>,
) => ToolOperation;

/**
 * A variable of the environment of the worker that makes the call. Ask for it in `run`: gateways load the file too and need no
 * secrets. Throws where it is not set; nothing was done then.
 */
export type Secret = (variable: string) => string;

/** The error to throw where it is certain that nothing was done: the step fails, and nobody is asked what became of it. */
export type Refusal = (message: string) => Error;
