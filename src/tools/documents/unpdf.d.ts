// Types for the part of unpdf that reads text. Its own need those of browsers and a canvas library.
declare module 'unpdf' {
  type Item = { str?: string; hasEOL?: boolean };
  type Page = {
    getTextContent(): Promise<{ items: Item[] }>;
    cleanup(): void;
  };
  type PdfDocument = {
    numPages: number;
    getPage(number: number): Promise<Page>;
    loadingTask: { destroy(): Promise<void> };
  };
  export function getDocumentProxy(
    data: Uint8Array,
    options: { isEvalSupported: boolean; verbosity: number },
  ): Promise<PdfDocument>;
}
