// The words that decide. They are exact; everything else is talk, and no model reads a decision into it.

export type Word =
  | { kind: 'approve' }
  | { kind: 'reject' }
  | { kind: 'cancel' }
  | { kind: 'status' }
  | { kind: 'propose_changes'; feedback: string }
  | { kind: 'talk' };

/** What `text` decides. Case and surrounding space do not matter; any other word around it makes it talk. */
export function readWord(text: string): Word {
  const trimmed = text.trim();
  switch (trimmed.toLowerCase()) {
    case 'approve':
      return { kind: 'approve' };
    case 'reject':
      return { kind: 'reject' };
    case 'cancel':
      return { kind: 'cancel' };
    case 'status':
      return { kind: 'status' };
    default: {
      const changes = /^propose changes\s*:?\s*$|^propose changes:([\s\S]*)$/i.exec(trimmed);
      return changes === null
        ? { kind: 'talk' }
        : { kind: 'propose_changes', feedback: (changes[1] ?? '').trim() };
    }
  }
}
