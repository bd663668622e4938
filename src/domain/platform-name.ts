// Names of chat platforms.
import { z } from 'zod';

/** Prefix of its accounts, tenants, queues and conversations. */
export const PlatformName = z.string().regex(/^[a-z][a-z0-9-]{0,30}$/);
export type PlatformName = z.infer<typeof PlatformName>;
