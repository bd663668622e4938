// Types of the Adaptive Cards renderer, loaded as a classic script.

export type RenderedInput = {
  id?: string;
  value?: unknown;
  renderedInputControlElement?: HTMLElement;
};

export type RenderedAction = {
  title?: string;
  /** The part that the action opens. */
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

/** Without Markdown: texts are literal. */
export function getRenderer(): Renderer {
  const renderer = globalThis.AdaptiveCards;
  if (renderer === undefined) throw new Error('The card renderer was not loaded. Reload the page.');
  renderer.AdaptiveCard.onProcessMarkdown ??= () => {};
  return renderer;
}
