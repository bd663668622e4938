// Dependencies of `/mcp` besides the service.
import type { OperationSpec } from '#domain/tool.ts';
import type { Waiters } from './waiters.ts';

export type McpOptions = {
  /** As planners of an organisation see them. */
  operations(tenant: string | null): Promise<OperationSpec[]>;
  /** Marked on the card. */
  guarded: readonly string[];
  linkTo(planId: string): string | null;
  version: string;
  /** Waiting callers are then asked to retry. */
  closing: AbortSignal;
};

/** Shared by the tools of one process. */
export type ToolOptions = McpOptions & { waiters: Waiters };
