// The tool interface: named operations with a schema and an effect, and a way to call them.
import { z } from 'zod';
import type { ErrorCode } from './errors.ts';
import type { NewFinding } from './plan/finding.ts';
import type { FilePreview } from './plan/preview.ts';
import type { SeenState } from './plan/seen.ts';
import type { StepSelector } from './plan/step-selector.ts';
import type { Sharing } from './tenancy.ts';
import type { Json, JsonObject } from './text.ts';
import type { PayForCall } from './text-model.ts';

/**
 * What a call does to the world, from harmless to careful:
 * `read` changes nothing; `idempotent` leaves the same state however often it runs;
 * `write` must not be repeated without a person's word.
 */
export const Effect = z.enum(['read', 'idempotent', 'write']);
export type Effect = z.infer<typeof Effect>;

const carefulness: Record<Effect, number> = { read: 0, idempotent: 1, write: 2 };

/** Whether `one` does more to the world than `other`: what was approved as `other` does not cover it. */
export function doesMore(one: Effect, other: Effect): boolean {
  return carefulness[one] > carefulness[other];
}

/** A JSON Schema (draft 7 or 2020-12) of an object. */
export type JsonSchema = { [key: string]: unknown };

/** Where an operation comes from. */
export const ToolSource = z.enum(['builtin', 'mcp', 'file']);
export type ToolSource = z.infer<typeof ToolSource>;

/** One operation as planners and people see it: the manifest's entry. */
export type OperationSpec = {
  /** The tool it belongs to: `workspace`, `http`, or an MCP server's name. */
  tool: string;
  /** The operation inside the tool: `write`. */
  operation: string;
  /** `${tool}_${operation}`: what scopes and `guardedTools` list. */
  name: string;
  description: string;
  input: JsonSchema;
  output?: JsonSchema;
  effect: Effect;
  /** It can destroy what was there before (delete, overwrite). */
  destructive: boolean;
  /** The argument that names what is touched (`path`, `url`), as a plan's target. */
  targetArgument?: string;
  /** Capabilities an executor must offer to run it; empty: any. */
  capabilities?: string[];
  /** `builtin`, an MCP server, or a file that the settings name under `tools`. */
  source: ToolSource;
  /**
   * Digests of the MCP server (its command or address, and the name it gives itself) and of the tool's annotations; of a
   * tool in a file, the digest of its code stands for the server.
   */
  identity?: { server: string; annotations: string };
  /** Of an MCP server: the operator vouches for what it says about its operations, so that its reads count as reads. */
  trusted?: boolean;
  /** Few plans need it: planners are not told of it in every call, and find it by its purpose. */
  seldom?: true;
  /** It calls the plan's language model. */
  usesModel?: true;
  /** It hands the step to a person instead of running code. */
  human?: boolean;
  /** Only the system adds steps of it; planners and people do not. */
  internal?: boolean;
  /** For MCP servers and tool files: the organisations that can use it (`#domain/tenancy.ts`). */
  sharing?: Sharing;
};

/** Where and for whom a call is made. */
export type ToolContext = {
  planId: string | null;
  stepId: string | null;
  /** The same for every attempt of one step: operations can use it to act once. */
  idempotencyKey: string;
  user: string;
  conversation: string | null;
  /** IANA zone of the person the work is for. */
  timezone: string;
  /** The plan's language model; null: the process's own. */
  model: string | null;
  /** Pays for calls of a language model; null: there is no plan to book them on, so none may be made. */
  pay: PayForCall | null;
  /**
   * An address where the other side says what became of work that goes on after this call (`#domain/callback.ts`); the same one
   * each time. null: no step waits for it.
   */
  callbackUrl: (() => Promise<string>) | null;
  signal: AbortSignal;
};

/** The context of a call that belongs to no plan. */
export function outsidePlan(
  given: Pick<ToolContext, 'idempotencyKey' | 'user' | 'timezone' | 'signal'>,
): ToolContext {
  const none = { planId: null, stepId: null, conversation: null };
  return { ...none, model: null, pay: null, callbackUrl: null, ...given };
}

/**
 * What a call gives back. `summary` is one line for the report; `data` is for later steps; `findings` are raised about its
 * plan, those that name neither step nor partition about the step that made the call.
 */
export type ToolOutput = { summary: string; data: Json; findings?: NewFinding[] };

/** A call that hands the step to a person and comes back with no output yet. */
export type HumanHandover = {
  waitFor: 'person';
  question: string;
  assignee: string | null;
  form: Json;
};

/**
 * A call that came back while its work goes on. `handle` is what `checkLater` and `cancelLater` need to find the work again, from
 * any process; `checkAfterMs` is when it is worth asking (milliseconds). Without `checkLater` it is waited for a callback.
 */
export type LaterHandover = { later: string; checkAfterMs?: number | undefined };

/**
 * How work stands that went on after its call. `elsewhere`: only the process that made the call can tell. `lost`: nobody knows any
 * more, or it was stopped on the way; it may have acted. `message` is a sentence.
 */
export type LaterState =
  | { state: 'running'; checkAfterMs?: number | undefined }
  /** It will be done then (milliseconds); asking before is of no use. */
  | { state: 'running'; dueInMs: number }
  | { state: 'done'; output: ToolOutput }
  | { state: 'failed' | 'lost'; message: string }
  | { state: 'elsewhere' };

/**
 * What a call does, as data: the words and the names of arguments that are shown in the headline or as its content. The values
 * themselves are taken from the call, so that what is shown is what runs.
 */
export type CallFacts = {
  /** What it does to the target, as a sentence begins: `Sends an invoice to`. */
  verb: string;
  /** The argument that names what is touched. */
  target?: string;
  /** Arguments that are the content: a text, a body. */
  payload?: string[];
  /** This call destroys what was there; an operation that is declared destructive always does. */
  destructive?: boolean;
  /** It alters or reaches something beyond this installation. Left out: unless it only reads. */
  outside?: boolean;
};

/**
 * A registered operation. `call` receives arguments that already passed `input`;
 * it throws CountersignError with a sentence for the person when it cannot do its work.
 */
export type Operation = OperationSpec & {
  /**
   * Rules beyond the schema that need nothing but the arguments (a path outside the workspace, a
   * private address). Arguments that are not yet known are missing; null: nothing is wrong.
   */
  check?(args: JsonObject): { code: ErrorCode; message: string } | null;
  /** The schema of the output that these arguments lead to, where it says more than `output` does. */
  outputOf?(args: JsonObject): JsonSchema;
  /**
   * The steps of its own plan whose outputs a call with these arguments reads beside those that references name: the step waits for
   * them. null: none.
   */
  readsSteps?(args: JsonObject): StepSelector | null;
  /** Of a tool in a file: what a call with these arguments does. Some may be references to what is not known yet. */
  describe?(args: JsonObject): CallFacts;
  /** Seconds a call with these arguments takes by its nature; the executor's time limit comes on top. */
  expectedSeconds?(args: JsonObject): number;
  /**
   * What is there now of what a call with these arguments touches; changes nothing, and reaches nothing outside but a server
   * that the operator trusts and has named this read of. null: nothing can be looked up, or an argument that names the target is
   * not known yet.
   */
  inspect?(args: JsonObject, signal: AbortSignal): Promise<SeenState | null>;
  /** What a call with these arguments would change in the text that is there now, as a unified diff; null: nothing to compare. */
  compare?(args: JsonObject, signal: AbortSignal): Promise<string | null>;
  /** The file that a call with these arguments is about, as it is now; null: it cannot be looked at, or its name is not known yet. */
  preview?(args: JsonObject, signal: AbortSignal): Promise<FilePreview | null>;
  /** Names of what there is for the argument that names its target, for a form to choose from. */
  suggest?(signal: AbortSignal): Promise<string[]>;
  /** The fingerprint of the target once the call is made: what was done already is no change by somebody else. */
  fingerprintAfter?(args: JsonObject): string | null;
  call(args: JsonObject, context: ToolContext): Promise<ToolOutput | HumanHandover | LaterHandover>;
  /**
   * Of an operation whose calls may come back before their work is done: how that work stands. It is there or not before any call.
   * @throws what could not be asked now; the work goes on
   */
  checkLater?(handle: string, signal: AbortSignal): Promise<LaterState>;
  /** Asks for the work to be stopped. That it was asked says nothing about how far it got. */
  cancelLater?(handle: string, signal: AbortSignal): Promise<void>;
};

/** The tools of this process that one organisation can use. */
export type ToolRegistry = {
  /** Every operation that can be offered now, in a stable order. */
  list(): OperationSpec[];
  get(name: string): Operation | undefined;
  /**
   * Problems of `args` against the operation's schema, as sentences; empty when they fit.
   * `unknown` names top-level arguments whose values come later: they count as present and are not checked.
   */
  validate(name: string, args: JsonObject, unknown?: string[]): string[];
  /** Whether the tool answers now; a sentence when it does not. */
  check(tool: string): Promise<{ ok: true } | { ok: false; reason: string }>;
  /** The state of each tool or MCP server, for `doctor` and the start banner. */
  status(): ToolStatus[];
};

/** Opens the tools for one organisation at a time: its folder, its calendars, its servers. */
export type ToolHost = Pick<ToolRegistry, 'list' | 'status' | 'check'> & {
  /** @param tenant as plans and runs name it; null: the instance itself */
  of(tenant: string | null): ToolRegistry;
  close(): Promise<void>;
};

/** An operation as far as it is known where it may not be called; its own rules are there only in a process that has it. */
export type KnownOperation = Omit<Operation, 'call'>;

/**
 * Every operation that a plan may name: those of this process, and those that live workers offer. Where two describe
 * one differently, the more careful effect counts.
 */
export type Catalogue = Pick<ToolRegistry, 'list' | 'validate'> & {
  get(name: string): KnownOperation | undefined;
  /** Whether the tool answers here, or a live worker offers something of it; a sentence when neither. */
  check(tool: string): Promise<{ ok: true } | { ok: false; reason: string }>;
};

/** Opens the catalogue for one organisation at a time. */
export type Catalogues = {
  /** @param tenant as plans and runs name it; null: the instance itself */
  of(tenant: string | null): Catalogue;
  /** Why steps cannot use this model; null: they can, or this process has no model server to ask. */
  findModelProblem(name: string): string | null;
  /** Learns what workers offer now. @param readManifests what each offers; the same list again as long as it has not changed */
  refresh(readManifests: () => Promise<readonly OperationSpec[][]>): Promise<void>;
};

/** An MCP server as this process knows it. Times are ISO 8601. */
export type ServerHealth = {
  /** Connected since; null: it is not. */
  since: string | null;
  /** What the server calls itself. */
  name: string | null;
  version: string | null;
  /** The version of MCP that was agreed on. */
  protocol: string | null;
  /** What went wrong last, also when it has passed. */
  last_problem: { at: string; text: string } | null;
  /** Whether a person has to sign in at the server first, or has; null: it takes no sign-in, as far as is known. */
  sign_in: 'needed' | 'done' | null;
};

export type ToolStatus = {
  tool: string;
  source: ToolSource;
  /** The file that the settings name, as they name it. */
  file?: string;
  ok: boolean;
  operations: number;
  /** What is wrong and what to do, when it is not ok. */
  reason?: string;
  /** How an MCP server says it is to be used. */
  instructions?: string;
  /** What of its tools is not offered, or not checked here, in sentences that say what to do. */
  notes?: string[];
  /** Of an MCP server. */
  health?: ServerHealth;
};

/** `${tool}_${operation}` */
export function operationName(tool: string, operation: string): string {
  return `${tool}_${operation}`;
}
