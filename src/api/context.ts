// The context of route groups.
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';

export type ApiContext = {
  /** The server starts closing. */
  closing: AbortSignal;
  heartbeatMs: number;
  /** Of a stream. */
  recheckMs: number;
};

export type Routes = FastifyPluginAsyncZod<ApiContext>;

const megabyte = 1_048_576;
/** Bytes. */
export const bodyLimits = { plan: 64 * megabyte, other: megabyte };
