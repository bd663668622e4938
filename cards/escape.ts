// Plan text must stay text on every platform: no pings, no markup, no macros.

/**
 * For Slack's mrkdwn and its fallback text: `<!channel>` and `<@U…>` become plain characters.
 * https://docs.slack.dev/messaging/formatting-message-text#escaping
 */
export function escapeMrkdwn(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

const wordJoiner = '\u2060';

/** For Adaptive Cards: text runs know no markdown, but `{{DATE(…)}}` and `{{TIME(…)}}` are replaced in them too. */
export function escapeMacros(text: string): string {
  return text.replace(/\{\{(?=\s*(?:DATE|TIME)\b)/giu, `{${wordJoiner}{`);
}

/** Every string inside `value` changed by `change`; keys named in `except` are left as they are. */
export function mapStrings<T>(value: T, change: (text: string) => string, except: string[]): T {
  const walk = (node: unknown): unknown => {
    if (typeof node === 'string') return change(node);
    if (Array.isArray(node)) return node.map(walk);
    if (typeof node !== 'object' || node === null) return node;
    return Object.fromEntries(
      Object.entries(node).map(([key, item]) => [key, except.includes(key) ? item : walk(item)]),
    );
  };
  // The shape is kept; only strings are exchanged for strings.
  return walk(value) as T;
}
