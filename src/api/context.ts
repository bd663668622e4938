// The context of route groups.
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';

export type ApiContext = {
  /** Aborts when the server starts closing. */
  closing: AbortSignal;
  heartbeatMs: number;
  /** Milliseconds between access checks of a stream. */
  recheckMs: number;
};

export type Routes = FastifyPluginAsyncZod<ApiContext>;

const megabyte = 1_048_576;
/** Bytes. */
export const bodyLimits = { plan: 64 * megabyte, other: megabyte };
