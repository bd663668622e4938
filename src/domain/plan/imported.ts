// Where a plan comes from that was exported by another instance, or by this one earlier.

/** Its id and digest there, and when it was exported. `free`: the id is not taken here, and it keeps it. */
export type ImportedFrom = { id: string; digest: string; exported_at: string; free: boolean };
