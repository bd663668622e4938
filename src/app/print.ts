// Command-line output, safe for the terminal.
import { escapeJson, guardDrawn } from '#domain/shown-text.ts';

export const print = (text: string): void => console.log(guardDrawn(text));

export const warn = (text: string): void => console.error(guardDrawn(text));

export function printJson(value: unknown, indent = 0): void {
  console.log(escapeJson(JSON.stringify(value, null, indent)));
}
