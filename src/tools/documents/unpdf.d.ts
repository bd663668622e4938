// Types for reading text with unpdf: its own need those of browsers.
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
