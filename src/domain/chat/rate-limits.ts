// Rate limits imposed by a chat platform, shared by all processes.

export type RateLimits = {
  /** Milliseconds until what `key` names may be asked for again; 0: now. */
  waitMs(key: string): Promise<number>;
  /** Nobody asks for it within `ms` milliseconds. */
  hold(key: string, ms: number): Promise<void>;
};
