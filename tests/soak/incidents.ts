// A log of the incidents made, with times.

export type Incident = {
  /** Milliseconds since 1970. */
  at: number;
  until: number;
  /** `kill`, `stop`, `database fast`, `network database cut` etc. */
  kind: string;
  pid: number | null;
  name: string;
};

export type Incidents = {
  all: Incident[];
  note(
    kind: string,
    about: { pid?: number; name?: string },
    make: () => Promise<void>,
  ): Promise<void>;
};

export function openIncidents(): Incidents {
  const all: Incident[] = [];
  return {
    all,
    async note(kind, { pid, name = '' }, make) {
      const incident: Incident = {
        at: Date.now(),
        until: Number.POSITIVE_INFINITY,
        kind,
        pid: pid ?? null,
        name,
      };
      all.push(incident);
      await make();
      incident.until = Date.now();
    },
  };
}

export function countKinds(incidents: Pick<Incident, 'kind'>[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { kind } of incidents) counts[kind] = (counts[kind] ?? 0) + 1;
  return Object.fromEntries(Object.entries(counts).toSorted(([a], [b]) => a.localeCompare(b)));
}
