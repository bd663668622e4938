// Parser of a text/event-stream (WHATWG HTML, 9.2.6), fed in chunks that may break anywhere.

export type ServerEvent = { id: string | null; event: string; data: string };

/** A parser that keeps what is unfinished between chunks. */
export function createEventParser(): (chunk: string) => ServerEvent[] {
  let rest = '';
  let id: string | null = null;
  let event = '';
  let data: string[] = [];

  const takeLine = (line: string): ServerEvent | null => {
    if (line === '') {
      const complete =
        data.length === 0 ? null : { id, event: event || 'message', data: data.join('\n') };
      event = '';
      data = [];
      return complete;
    }
    const colon = line.indexOf(':');
    if (colon === 0) return null;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'data') data.push(value);
    if (field === 'event') event = value;
    if (field === 'id' && !value.includes('\0')) id = value;
    return null;
  };

  return (chunk) => {
    const text = rest + chunk;
    // A carriage return at the very end may be half of a line end.
    const end = text.endsWith('\r') ? text.length - 1 : text.length;
    const lines = text.slice(0, end).split(/\r\n|\n|\r/);
    rest = (lines.pop() ?? '') + text.slice(end);
    return lines.map(takeLine).filter((found) => found !== null);
  };
}
