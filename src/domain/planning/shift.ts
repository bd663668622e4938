// How a running plan deviates from its schedule.

/** Times: ISO 8601, UTC. */
export type MovedWork = { node: string; title: string; ends_at: string; moved_to: string };

/** A deadline, fixed start, or the time of another person, `who`. */
export type BrokenPromise = {
  node: string;
  title: string;
  kind: 'deadline' | 'fixed' | 'person';
  who: string | null;
  limit: string;
};

export type Shift = { moved: MovedWork[]; broken: BrokenPromise[] };

/** From people's own calendars. `failed`: not all could be read. */
export type ReadBusy = (
  plan: { id: string; requester: string; tenant: string | null; timezone: string },
  people: string[],
  window: { from: number; to: number },
) => Promise<{ busy: { person: string; from: number; to: number }[]; failed: boolean }>;
