// Parses the inbox search: words, and `from:` and `tool:` before a person or a tool.

export type Search = { words: string; person: string; tool: string };

const fields: Record<string, 'person' | 'tool'> = { from: 'person', tool: 'tool' };
const parts = /(?:(from|tool):)?(?:"([^"]*)"?|(\S+))/giu;

/** `from:"Ana Lopez" tool:http march` → person, tool and word; the last of several persons or tools counts. */
export function parseSearch(text: string): Search {
  const search: Search = { words: '', person: '', tool: '' };
  for (const [whole, key = '', quoted, plain] of text.matchAll(parts)) {
    const value = (quoted ?? plain ?? '').trim();
    // A prefix without a value is ignored.
    if (value === '' || /^(?:from|tool):$/iu.test(whole)) continue;
    const field = fields[key.toLowerCase()];
    if (field !== undefined) search[field] = value;
    else search.words = `${search.words} ${value}`.trim();
  }
  return search;
}

/** The API's query parameters; empty without a search. */
export function toQuery(text: string): Record<string, string> {
  return Object.fromEntries(Object.entries(parseSearch(text)).filter(([, value]) => value !== ''));
}
