// Names of chat platforms, which `app/platforms.ts` lists.
import { z } from 'zod';

/** The prefix of a platform's accounts, tenants, queues and conversations. */
export const PlatformName = z.string().regex(/^[a-z][a-z0-9-]{0,30}$/);
export type PlatformName = z.infer<typeof PlatformName>;
