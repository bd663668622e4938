// The tool interface: operations with a schema and an effect.
import { z } from 'zod';
import type { ErrorCode } from './errors.ts';
import type { NewFinding } from './plan/finding.ts';
import type { FilePreview } from './plan/preview.ts';
import type { SeenState } from './plan/seen.ts';
import type { StepSelector } from './plan/step-selector.ts';
import type { Sharing } from './tenancy.ts';
import type { Json, JsonObject } from './text.ts';
import type { PayForCall } from './text-model.ts';

/** `idempotent`: repeating leaves the same state; `write`: needs a person's word to repeat. */
export const Effect = z.enum(['read', 'idempotent', 'write']);
export type Effect = z.infer<typeof Effect>;

const carefulness: Record<Effect, number> = { read: 0, idempotent: 1, write: 2 };

/** An approval of `other` doesn't cover `one`. */
export function doesMore(one: Effect, other: Effect): boolean {
  return carefulness[one] > carefulness[other];
}

/** Draft 7 or 2020-12, of an object. */
export type JsonSchema = { [key: string]: unknown };

export const ToolSource = z.enum(['builtin', 'mcp', 'file']);
export type ToolSource = z.infer<typeof ToolSource>;

/** As planners and people see it. */
export type OperationSpec = {
  /** `workspace`, `http`, or an MCP server. */
  tool: string;
  operation: string;
  /** `${tool}_${operation}`, as in `guardedTools`. */
  name: string;
  description: string;
  input: JsonSchema;
  output?: JsonSchema;
  effect: Effect;
  /** Deletes or overwrites. */
  destructive: boolean;
  targetArgument?: string;
  capabilities?: string[];
  /** `file`: under `tools` in the settings. */
  source: ToolSource;
  /** Digests of the MCP server, or a tool file's code, and of annotations. */
  identity?: { server: string; annotations: string };
  /** The operator vouches for the server's annotations: its reads count as reads. */
  trusted?: boolean;
  /** Not in every planner call; found by search. */
  seldom?: true;
  /** `output` was inferred from outputs. */
  seen?: true;
  usesModel?: true;
  /** Runs no code. */
  human?: boolean;
  internal?: boolean;
  /** For MCP servers and tool files (`#domain/tenancy.ts`). */
  sharing?: Sharing;
};

/** Internal ones are only for steps that the program itself writes. */
export const isOffered = ({ internal }: Pick<OperationSpec, 'internal'>): boolean =>
  internal !== true;

/** @param known operations of this process */
export function countOffered(
  { operations }: { operations: string[] },
  known: readonly Pick<OperationSpec, 'name' | 'internal'>[],
): number {
  const left = new Set(known.flatMap((one) => (isOffered(one) ? [] : one.name)));
  return operations.filter((name) => !left.has(name)).length;
}

export type ToolContext = {
  planId: string | null;
  stepId: string | null;
  /** Same for every attempt, for deduplication. */
  idempotencyKey: string;
  user: string;
  /** Only this reads connected calendars. `other`: `user` isn't the requester. */
  busyOf?: 'requester' | 'other';
  conversation: string | null;
  /** IANA; of the person the work is for. */
  timezone: string;
  model: string | null;
  /** Null outside a plan, where no model may be called. */
  pay: PayForCall | null;
  /** For work that continues (`#domain/callback.ts`), stable per call. Null without a waiting step. */
  callbackUrl: (() => Promise<string>) | null;
  signal: AbortSignal;
};

export function outsidePlan(
  given: Pick<ToolContext, 'idempotencyKey' | 'user' | 'busyOf' | 'timezone' | 'signal'>,
): ToolContext {
  const none = { planId: null, stepId: null, conversation: null };
  return { ...none, model: null, pay: null, callbackUrl: null, ...given };
}

/** `summary`: one line; `data`: for later steps; `findings`: by default about this step. */
export type ToolOutput = { summary: string; data: Json; findings?: NewFinding[] };

export type HumanHandover = {
  waitFor: 'person';
  question: string;
  assignee: string | null;
  form: Json;
};

/** Work continues. `later`: handle for any process; `checkAfterMs`: first poll. Without `checkLater` a callback is awaited. */
export type LaterHandover = { later: string; checkAfterMs?: number | undefined };

/** `elsewhere`: only the calling process knows; `lost`: unknown, may have acted. */
export type LaterState =
  | { state: 'running'; checkAfterMs?: number | undefined }
  /** Earlier polls are useless. */
  | { state: 'running'; dueInMs: number }
  | { state: 'done'; output: ToolOutput }
  | { state: 'failed' | 'lost'; message: string }
  | { state: 'elsewhere' };

/** Words and argument names; values come from the call, so that what is shown is what runs. */
export type CallFacts = {
  /** `Sends an invoice to`. */
  verb: string;
  target?: string;
  payload?: string[];
  /** Destroys data; implied by a destructive operation. */
  destructive?: boolean;
  /** Default: unless it only reads. */
  outside?: boolean;
};

/** `call` gets arguments valid for `input`; throws CountersignError. */
export type Operation = OperationSpec & {
  /** Rules beyond the schema. Unknown arguments are missing, and named by `later`; null if valid. */
  check?(args: JsonObject, later?: string[]): { code: ErrorCode; message: string } | null;
  /** Checked when proposed and by the call. */
  findRefusal?(args: JsonObject, user: string): Promise<string | null>;
  /** If more specific than `output`. */
  outputOf?(args: JsonObject): JsonSchema;
  /** Steps read besides references, and so awaited. */
  readsSteps?(args: JsonObject): StepSelector | null;
  /** For tool files. Some arguments may be references. */
  describe?(args: JsonObject): CallFacts;
  /** Added to the time limit. */
  expectedSeconds?(args: JsonObject): number;
  /** Changes nothing; goes outside only to a trusted server's configured read. Null if unknown. */
  inspect?(args: JsonObject, signal: AbortSignal): Promise<SeenState | null>;
  /** Unified diff of the current text. */
  compare?(args: JsonObject, signal: AbortSignal): Promise<string | null>;
  /** Null if unreadable or unknown. */
  preview?(args: JsonObject, signal: AbortSignal): Promise<FilePreview | null>;
  /** Names for the target argument. */
  suggest?(signal: AbortSignal): Promise<string[]>;
  /** The target after the call, so that our result isn't taken for another's change. */
  fingerprintAfter?(args: JsonObject): string | null;
  call(args: JsonObject, context: ToolContext): Promise<ToolOutput | HumanHandover | LaterHandover>;
  /** Must not appear or vanish with a call. @throws if not pollable now; the work continues */
  checkLater?(handle: string, signal: AbortSignal): Promise<LaterState>;
  cancelLater?(handle: string, signal: AbortSignal): Promise<void>;
};

/** Output shapes seen, for operations that declare none. */
export type SeenShapes = {
  note(name: string, data: Json): void;
  describe(spec: OperationSpec): OperationSpec;
};

export type ToolRegistry = {
  /** In a stable order. */
  list(): OperationSpec[];
  get(name: string): Operation | undefined;
  /** Sentences. `unknown`: arguments with later values, present but unchecked. */
  validate(name: string, args: JsonObject, unknown?: string[]): string[];
  check(tool: string): Promise<{ ok: true } | { ok: false; reason: string }>;
  /** For `doctor` and the start banner. */
  status(): ToolStatus[];
  /** Learned from the calls of planners and steps. */
  shapes?: SeenShapes;
};

/** Per organisation: folder, calendars, servers. */
export type ToolHost = Pick<ToolRegistry, 'list' | 'status' | 'check'> & {
  /** @param tenant null for the instance itself */
  of(tenant: string | null): ToolRegistry;
  close(): Promise<void>;
};

/** Maybe not callable here, and then without its own rules. */
export type KnownOperation = Omit<Operation, 'call'>;

/** From this process and live workers; the more cautious effect counts. */
export type Catalogue = Pick<ToolRegistry, 'list' | 'validate'> & {
  get(name: string): KnownOperation | undefined;
  check(tool: string): Promise<{ ok: true } | { ok: false; reason: string }>;
};

export type Catalogues = {
  /** @param tenant null for the instance itself */
  of(tenant: string | null): Catalogue;
  /** Why steps can't use it; null also without a model server. */
  findModelProblem(name: string): string | null;
  /** @param readManifests returns the same list until it changes */
  refresh(readManifests: () => Promise<readonly OperationSpec[][]>): Promise<void>;
};

/** Times: ISO 8601. */
export type ServerHealth = {
  since: string | null;
  name: string | null;
  version: string | null;
  protocol: string | null;
  last_problem: { at: string; text: string } | null;
  /** Null if it takes none, as far as known. */
  sign_in: 'needed' | 'done' | null;
};

export type ToolStatus = {
  tool: string;
  source: ToolSource;
  /** As in the settings. */
  file?: string;
  ok: boolean;
  operations: number;
  /** With advice, if not ok. */
  reason?: string;
  /** From the MCP server. */
  instructions?: string;
  /** On missing or unchecked operations. */
  notes?: string[];
  health?: ServerHealth;
};

export function operationName(tool: string, operation: string): string {
  return `${tool}_${operation}`;
}
