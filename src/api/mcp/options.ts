// Dependencies of `/mcp` besides the service.
import type { OperationSpec } from '#domain/tool.ts';
import type { Waiters } from './waiters.ts';

export type McpOptions = {
  /** Operations currently available to an organisation's plans, as planners see them. */
  operations(tenant: string | null): Promise<OperationSpec[]>;
  /** Operations marked on the card. */
  guarded: readonly string[];
  /** A plan's URL, or null if unknown. */
  linkTo(planId: string): string | null;
  version: string;
  /** Aborts when the server starts closing; waiting callers are asked to retry. */
  closing: AbortSignal;
};

/** Shared by the tools of one process. */
export type ToolOptions = McpOptions & { waiters: Waiters };
