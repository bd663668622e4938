// What this browser keeps for the person between visits. Where storage is full, switched off or spoiled, the page does without.

const prefix = 'countersign.';

export function recall(name: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(prefix + name) ?? 'null');
  } catch {
    return null;
  }
}

/** null forgets it. */
export function remember(name: string, value: unknown): void {
  try {
    if (value === null) localStorage.removeItem(prefix + name);
    else localStorage.setItem(prefix + name, JSON.stringify(value));
  } catch {
    // It holds until the page is closed.
  }
}
