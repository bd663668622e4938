// Browser storage; optional, since it may be full, off or corrupt.

const prefix = 'countersign.';

export function recall(name: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(prefix + name) ?? 'null');
  } catch {
    return null;
  }
}

/** Null removes it. */
export function remember(name: string, value: unknown): void {
  try {
    if (value === null) localStorage.removeItem(prefix + name);
    else localStorage.setItem(prefix + name, JSON.stringify(value));
  } catch {
    // Kept until the page closes.
  }
}
