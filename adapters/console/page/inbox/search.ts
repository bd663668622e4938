// What a person types into the search of the inbox: words, and `from:` and `tool:` before what stands for a person or a tool.

export type Search = { words: string; person: string; tool: string };

const fields: Record<string, 'person' | 'tool'> = { from: 'person', tool: 'tool' };
const parts = /(?:(from|tool):)?(?:"([^"]*)"?|(\S+))/giu;

/** `from:"Ana Lopez" tool:http march` → the person, the tool and the word; of several persons or tools the last counts. */
export function parseSearch(text: string): Search {
  const search: Search = { words: '', person: '', tool: '' };
  for (const [whole, key = '', quoted, plain] of text.matchAll(parts)) {
    const value = (quoted ?? plain ?? '').trim();
    // A prefix that nothing follows yet searches for nothing.
    if (value === '' || /^(?:from|tool):$/iu.test(whole)) continue;
    const field = fields[key.toLowerCase()];
    if (field !== undefined) search[field] = value;
    else search.words = `${search.words} ${value}`.trim();
  }
  return search;
}

/** The same as a query of the API; empty where nothing is searched. */
export function toQuery(text: string): Record<string, string> {
  return Object.fromEntries(Object.entries(parseSearch(text)).filter(([, value]) => value !== ''));
}
