// The names of chat platforms. Which there are, `app/platforms.ts` says.
import { z } from 'zod';

/** What accounts, tenants, queues and conversations of a chat platform begin with. */
export const PlatformName = z.string().regex(/^[a-z][a-z0-9-]{0,30}$/);
export type PlatformName = z.infer<typeof PlatformName>;
