// What files will say when a later instruction of the same request reaches them, as far as that is known.
import { tidyPath } from './paths.ts';
import type { Intent } from './reading.ts';

export type FileState =
  | { kind: 'text'; text: string }
  /** What the file at `path` says now. */
  | { kind: 'as_now'; path: string }
  | { kind: 'gone' }
  | { kind: 'unknown' };

export class FileHistory {
  readonly #states = new Map<string, FileState>();

  stateOf(path: string): FileState {
    const clean = tidyPath(path);
    const own = this.#states.get(clean);
    if (own) return own;
    // Its folder was moved, deleted or put there.
    const inside = [...this.#states.keys()].some((key) => clean.startsWith(`${key}/`));
    return inside ? { kind: 'unknown' } : { kind: 'as_now', path };
  }

  apply(intent: Intent): void {
    switch (intent.act) {
      case 'write':
        this.#set(
          intent.path,
          intent.content.kind === 'text'
            ? { kind: 'text', text: intent.content.text }
            : { kind: 'unknown' },
        );
        return;
      case 'move':
        this.#set(intent.to, this.stateOf(intent.from));
        this.#set(intent.from, { kind: 'gone' });
        return;
      case 'copy':
        this.#set(intent.to, this.stateOf(intent.from));
        return;
      case 'delete':
        this.#set(intent.path, { kind: 'gone' });
        return;
      default:
        return;
    }
  }

  #set(path: string, state: FileState): void {
    this.#states.set(tidyPath(path), state);
  }
}
