/** A press on a card in a chat: the name under which it decides once, and when it was pressed. */
export type Pressed = { once: string; at: Date };
