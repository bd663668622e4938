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
 * A call's effect, from harmless to careful: `read` changes nothing; `idempotent` gives the same state however often it runs;
 * `write` must not be repeated without a person's word.
 */
export const Effect = z.enum(['read', 'idempotent', 'write']);
export type Effect = z.infer<typeof Effect>;

const carefulness: Record<Effect, number> = { read: 0, idempotent: 1, write: 2 };

/** Whether `one` exceeds `other`, so that an approval of `other` doesn't cover it. */
export function doesMore(one: Effect, other: Effect): boolean {
  return carefulness[one] > carefulness[other];
}

/** A JSON Schema (draft 7 or 2020-12) of an object. */
export type JsonSchema = { [key: string]: unknown };

/** Where an operation comes from. */
export const ToolSource = z.enum(['builtin', 'mcp', 'file']);
export type ToolSource = z.infer<typeof ToolSource>;

/** An operation as planners and people see it. */
export type OperationSpec = {
  /** `workspace`, `http`, or an MCP server's name. */
  tool: string;
  /** The operation within the tool: `write`. */
  operation: string;
  /** `${tool}_${operation}`, as listed in scopes and `guardedTools`. */
  name: string;
  description: string;
  input: JsonSchema;
  output?: JsonSchema;
  effect: Effect;
  /** May destroy existing data (delete, overwrite). */
  destructive: boolean;
  /** The argument that names the target (`path`, `url`). */
  targetArgument?: string;
  /** Capabilities required of an executor. */
  capabilities?: string[];
  /** `builtin`, an MCP server, or a file under `tools` in the settings. */
  source: ToolSource;
  /**
   * Digests of the MCP server (command or URL, and its own name) and of the tool's annotations; for a tool file, its code's
   * digest replaces the server's.
   */
  identity?: { server: string; annotations: string };
  /** The operator vouches for the MCP server's annotations, so that its reads count as reads. */
  trusted?: boolean;
  /** Rarely needed: not listed in every planner call, but found by search. */
  seldom?: true;
  /** `output` is the shape of outputs that came, which the server does not declare. */
  seen?: true;
  /** Calls the plan's language model. */
  usesModel?: true;
  /** Hands the step to a person instead of running code. */
  human?: boolean;
  /** Only the system adds such steps. */
  internal?: boolean;
  /** For MCP servers and tool files: the organisations that can use it (`#domain/tenancy.ts`). */
  sharing?: Sharing;
};

/** The context of a call. */
export type ToolContext = {
  planId: string | null;
  stepId: string | null;
  /** The same for every attempt of a step, for deduplication. */
  idempotencyKey: string;
  user: string;
  /** Reads the busy time of `user`, who asks for a schedule or is someone else. Only this reads connected calendars. */
  busyOf?: 'requester' | 'other';
  conversation: string | null;
  /** IANA zone of the person the work is for. */
  timezone: string;
  /** The plan's model, or null for the process's. */
  model: string | null;
  /** Pays for model calls, or null outside a plan, where none may be made. */
  pay: PayForCall | null;
  /**
   * A callback URL for work that continues after the call (`#domain/callback.ts`), stable per call. Null without a waiting step.
   */
  callbackUrl: (() => Promise<string>) | null;
  signal: AbortSignal;
};

export function outsidePlan(
  given: Pick<ToolContext, 'idempotencyKey' | 'user' | 'busyOf' | 'timezone' | 'signal'>,
): ToolContext {
  const none = { planId: null, stepId: null, conversation: null };
  return { ...none, model: null, pay: null, callbackUrl: null, ...given };
}

/**
 * A call's result. `summary`: one line for the report; `data`: for later steps; `findings`: raised on its plan, by default about
 * the calling step.
 */
export type ToolOutput = { summary: string; data: Json; findings?: NewFinding[] };

/** A call that hands the step to a person, without output yet. */
export type HumanHandover = {
  waitFor: 'person';
  question: string;
  assignee: string | null;
  form: Json;
};

/**
 * A call whose work continues. `later`: the handle for `checkLater` and `cancelLater` in any process; `checkAfterMs`: when to
 * poll first. Without `checkLater` a callback is awaited.
 */
export type LaterHandover = { later: string; checkAfterMs?: number | undefined };

/**
 * State of continuing work. `elsewhere`: only the calling process knows; `lost`: unknown or interrupted, and it may have acted.
 * `message` is a sentence.
 */
export type LaterState =
  | { state: 'running'; checkAfterMs?: number | undefined }
  /** Milliseconds until it is done; polling earlier is useless. */
  | { state: 'running'; dueInMs: number }
  | { state: 'done'; output: ToolOutput }
  | { state: 'failed' | 'lost'; message: string }
  | { state: 'elsewhere' };

/**
 * A call's effect as data: words, and names of arguments to show. Values come from the call, so that what is shown is what runs.
 */
export type CallFacts = {
  /** The start of a sentence: `Sends an invoice to`. */
  verb: string;
  target?: string;
  /** Arguments with the main content: a text, a body. */
  payload?: string[];
  /** This call destroys existing data; implied by a destructive operation. */
  destructive?: boolean;
  /** Reaches beyond this installation. Default: unless it only reads. */
  outside?: boolean;
};

/** A registered operation. `call` gets arguments valid for `input`; it throws CountersignError with a sentence for the person. */
export type Operation = OperationSpec & {
  /**
   * Rules beyond the schema that depend only on arguments (a path outside the workspace, a private address). Unknown arguments
   * are missing; null if valid.
   */
  check?(args: JsonObject): { code: ErrorCode; message: string } | null;
  /** Why `user` may not make this call, or null. Checked when a plan is proposed, and by the call. */
  findRefusal?(args: JsonObject, user: string): Promise<string | null>;
  /** The output schema for these arguments, if more specific than `output`. */
  outputOf?(args: JsonObject): JsonSchema;
  /** Steps of the plan whose outputs the call reads besides references, and so waits for, or null. */
  readsSteps?(args: JsonObject): StepSelector | null;
  /** For a tool file: the call's effect. Some arguments may be references. */
  describe?(args: JsonObject): CallFacts;
  /** Inherent duration in seconds, added to the time limit. */
  expectedSeconds?(args: JsonObject): number;
  /**
   * The target's current state. Changes nothing, and reaches outside only to a trusted server with a configured read. Null if it
   * can't be looked up or the target is unknown.
   */
  inspect?(args: JsonObject, signal: AbortSignal): Promise<SeenState | null>;
  /** The call's change of the current text as a unified diff, or null. */
  compare?(args: JsonObject, signal: AbortSignal): Promise<string | null>;
  /** The call's file in its current state, or null if unreadable or unknown. */
  preview?(args: JsonObject, signal: AbortSignal): Promise<FilePreview | null>;
  /** Existing names for the target argument, for forms. */
  suggest?(signal: AbortSignal): Promise<string[]>;
  /** The target's fingerprint after the call, so that our own result isn't taken for another's change. */
  fingerprintAfter?(args: JsonObject): string | null;
  call(args: JsonObject, context: ToolContext): Promise<ToolOutput | HumanHandover | LaterHandover>;
  /**
   * Polls continuing work. Its presence must not depend on a call.
   * @throws if it can't be polled now; the work continues
   */
  checkLater?(handle: string, signal: AbortSignal): Promise<LaterState>;
  /** Asks the work to stop, without any guarantee. */
  cancelLater?(handle: string, signal: AbortSignal): Promise<void>;
};

/** The tools of this process that one organisation can use. */
export type ToolRegistry = {
  /** All operations available now, in a stable order. */
  list(): OperationSpec[];
  get(name: string): Operation | undefined;
  /**
   * Schema violations of `args`, as sentences. `unknown`: top-level arguments with later values, which count as present and
   * aren't checked.
   */
  validate(name: string, args: JsonObject, unknown?: string[]): string[];
  /** Whether the tool answers now, with the reason if not. */
  check(tool: string): Promise<{ ok: true } | { ok: false; reason: string }>;
  /** The state of each tool or MCP server, for `doctor` and the start banner. */
  status(): ToolStatus[];
};

/** Opens the tools per organisation: folder, calendars, servers. */
export type ToolHost = Pick<ToolRegistry, 'list' | 'status' | 'check'> & {
  /** @param tenant as in plans and runs, or null for the instance itself */
  of(tenant: string | null): ToolRegistry;
  close(): Promise<void>;
};

/** An operation that may not be callable here; its own rules exist only in a process that has it. */
export type KnownOperation = Omit<Operation, 'call'>;

/**
 * All operations that plans may name, from this process and live workers. If descriptions differ, the more cautious effect
 * counts.
 */
export type Catalogue = Pick<ToolRegistry, 'list' | 'validate'> & {
  get(name: string): KnownOperation | undefined;
  /** Whether the tool answers here or on a live worker, with the reason if not. */
  check(tool: string): Promise<{ ok: true } | { ok: false; reason: string }>;
};

/** Opens the catalogue per organisation. */
export type Catalogues = {
  /** @param tenant as in plans and runs, or null for the instance itself */
  of(tenant: string | null): Catalogue;
  /** Why steps can't use this model, or null if they can or this process has no model server. */
  findModelProblem(name: string): string | null;
  /** Updates workers' offers. @param readManifests returns the same list until it changes */
  refresh(readManifests: () => Promise<readonly OperationSpec[][]>): Promise<void>;
};

/** An MCP server as this process knows it. Times are ISO 8601. */
export type ServerHealth = {
  /** Connected since, or null. */
  since: string | null;
  /** The server's own name. */
  name: string | null;
  version: string | null;
  /** The negotiated MCP version. */
  protocol: string | null;
  /** The last error, even if resolved. */
  last_problem: { at: string; text: string } | null;
  /** Whether sign-in is required or done, or null if it takes none, as far as known. */
  sign_in: 'needed' | 'done' | null;
};

export type ToolStatus = {
  tool: string;
  source: ToolSource;
  /** The tool's file, as in the settings. */
  file?: string;
  ok: boolean;
  operations: number;
  /** The problem with advice, if not ok. */
  reason?: string;
  /** The MCP server's usage instructions. */
  instructions?: string;
  /** Operations not offered or not checked here, with advice. */
  notes?: string[];
  /** For MCP servers. */
  health?: ServerHealth;
};

export function operationName(tool: string, operation: string): string {
  return `${tool}_${operation}`;
}
