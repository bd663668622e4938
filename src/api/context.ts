// What every group of routes is given, and the plugin shape they share.
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';

export type ApiContext = {
  /** Aborts when the server begins to close. */
  closing: AbortSignal;
  heartbeatMs: number;
  /** How often a stream looks whether its reader is still let in, in milliseconds. */
  recheckMs: number;
};

export type Routes = FastifyPluginAsyncZod<ApiContext>;

const megabyte = 1_048_576;
/** Limits of bodies, in bytes: of a proposed plan, and of everything else. */
export const bodyLimits = { plan: 64 * megabyte, other: megabyte };
