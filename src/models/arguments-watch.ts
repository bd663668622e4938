// Watches a call's arguments while they stream.

export type ArgumentsWatch = {
  take(piece: string): void;
  /** Complete objects in a list. */
  items(): number;
  isWhole(): boolean;
};

export function watchArguments(): ArgumentsWatch {
  let depth = 0;
  let inList = false;
  let quoted = false;
  let escaped = false;
  let items = 0;
  let whole = false;

  function takeMark(mark: string): void {
    switch (mark) {
      case '"':
        quoted = true;
        return;
      case '{':
      case '[':
        depth += 1;
        if (depth === 2) inList = mark === '[';
        return;
      case '}':
      case ']':
        depth -= 1;
        if (depth === 2 && inList && mark === '}') items += 1;
        if (depth === 0) whole = true;
    }
  }

  return {
    take(piece) {
      for (const mark of piece) {
        if (!quoted) takeMark(mark);
        else if (escaped) escaped = false;
        else if (mark === '\\') escaped = true;
        else if (mark === '"') quoted = false;
      }
    },
    items: () => items,
    isWhole: () => whole,
  };
}
