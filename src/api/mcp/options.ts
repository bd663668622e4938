// Dependencies of `/mcp`.
import type { OperationSpec } from '#domain/tool.ts';
import type { Waiters } from './waiters.ts';

export type McpOptions = {
  operations(tenant: string | null): Promise<OperationSpec[]>;
  /** Marked on the card. */
  guarded: readonly string[];
  linkTo(planId: string): string | null;
  version: string;
  /** Callers are then asked to retry. */
  closing: AbortSignal;
};

export type ToolOptions = McpOptions & { waiters: Waiters };
