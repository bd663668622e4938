// The official Adaptive Cards renderer, loaded as a classic script by the page; this is the part of it we use.

export type RenderedInput = {
  id?: string;
  value?: unknown;
  renderedInputControlElement?: HTMLElement;
};

export type RenderedAction = {
  title?: string;
  /** The part of the card that the action opens, where it opens one. */
  card?: { getAllInputs(): RenderedInput[] };
  renderedElement?: HTMLElement;
  data?: unknown;
  verb?: string;
  url?: string;
  getJsonTypeName(): string;
};

export type AdaptiveCard = {
  version: unknown;
  hostConfig: unknown;
  onExecuteAction: ((action: RenderedAction) => void) | undefined;
  /** A part that was opened or closed by its button. */
  onInlineCardExpanded:
    | ((action: { card: { renderedElement?: HTMLElement } }, isExpanded: boolean) => void)
    | undefined;
  parse(json: unknown): void;
  render(): HTMLElement | undefined;
  getAllInputs(): RenderedInput[];
  getAllActions(): RenderedAction[];
};

export type Renderer = {
  AdaptiveCard: {
    new (): AdaptiveCard;
    onProcessMarkdown: ((text: string, result: { didProcess: boolean }) => void) | null;
  };
  HostConfig: new (json: unknown) => unknown;
};

declare global {
  var AdaptiveCards: Renderer | undefined;
}

/** The renderer. Markdown is not processed: every text of a card is shown as it is. */
export function getRenderer(): Renderer {
  const renderer = globalThis.AdaptiveCards;
  if (renderer === undefined) throw new Error('The card renderer was not loaded. Reload the page.');
  renderer.AdaptiveCard.onProcessMarkdown ??= () => {};
  return renderer;
}
