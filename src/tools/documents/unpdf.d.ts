// The part of unpdf that reads text. The package's own types need those of browsers and of a canvas library.
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
