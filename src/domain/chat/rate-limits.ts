// What a chat platform wants to be left alone with, for all processes.

export type RateLimits = {
  /** Milliseconds until what `key` names may be asked for again; 0: now. */
  waitMs(key: string): Promise<number>;
  /** Nobody asks for it within `ms` milliseconds. */
  hold(key: string, ms: number): Promise<void>;
};
