// What `/mcp` is given of the instance beside the service.
import type { OperationSpec } from '#domain/tool.ts';
import type { Waiters } from './waiters.ts';

export type McpOptions = {
  /** The operations that plans of an organisation can use now, as planners see them. */
  operations(tenant: string | null): Promise<OperationSpec[]>;
  /** Operations that are marked on the card. */
  guarded: readonly string[];
  /** Where a person reads a plan; null: nobody can say. */
  linkTo(planId: string): string | null;
  version: string;
  /** Aborts when the server begins to close: whoever waits is told to ask again. */
  closing: AbortSignal;
};

/** What the tools share in one process. */
export type ToolOptions = McpOptions & { waiters: Waiters };
