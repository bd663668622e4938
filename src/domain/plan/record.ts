// The records of a plan that can be requested in a chat.

/** `export`: the plan as Markdown; `log`: what ran; `trace`: how it was planned. */
export type Export = { plan: string; kind: 'export' | 'log' | 'trace' };
