// Names of what the cards that only Teams has send back: said once, for the cards and for who reads the presses.

/** Actions that are no decisions about a whole plan or session. */
export const verbs = { part: 'approve_part', settings: 'settings_save', list: 'list' } as const;

/** The tick of the step at this place among the steps of the card. */
export const stepInput = (place: number) => `part:${place}`;
export const sliderInput = (name: string) => `slider:${name}`;
