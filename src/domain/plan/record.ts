// Which record of a plan somebody asks for in a chat.

/** `export`: the plan as Markdown; `log`: what ran; `trace`: how it was planned. */
export type Export = { plan: string; kind: 'export' | 'log' | 'trace' };
