// Where a plan comes from that was exported by another instance, or by this one earlier.

/** Its id and digest there, and when it was exported. It keeps the id where that is free here. */
export type ImportedFrom = { id: string; digest: string; exported_at: string };
