// Encrypts file addresses, which alone give access on Teams.
import { fileWords } from '#cards/chat-words.ts';
import { readEventBody } from '#db/chat/inbox.ts';
import type { Database } from '#db/database.ts';
import type { Seal } from '#db/seal.ts';
import { maxAttached } from '#domain/attached-file.ts';
import type { InboxThread } from '#domain/chat/inbox.ts';
import { CountersignError } from '#domain/errors.ts';
import { createAddressRules, findUrlProblem } from '#tools/http/addresses.ts';

export type SealedFiles = {
  /** @returns the address to store; null if encryption is impossible */
  seal(thread: InboxThread, address: string): string | null;
  /** Null if gone. */
  readEvent(thread: InboxThread, id: number): Promise<Buffer | null>;
  /** @throws CountersignError that never names the address */
  fetch(thread: InboxThread, sealed: string, signal: AbortSignal): Promise<Buffer>;
};

const about = ({ tenant, thread }: InboxThread) => `a file of ${tenant} in ${thread}`;
const fetchWithinMs = 60_000;

/** @param openSeal the seal, or why there is none */
export function createSealedFiles(
  db: Database,
  openSeal: () => Seal | string,
  allowPrivate: readonly string[],
): SealedFiles {
  const rules = createAddressRules(allowPrivate);

  function open(thread: InboxThread, sealed: string): string {
    const seal = openSeal();
    if (typeof seal === 'string') throw new CountersignError('not_allowed', seal);
    return seal.open(Buffer.from(sealed, 'base64'), about(thread));
  }

  return {
    seal(thread, address) {
      const seal = openSeal();
      return typeof seal === 'string' ? null : seal.seal(address, about(thread)).toString('base64');
    },
    readEvent: (thread, id) => readEventBody(db.query, thread, id),
    async fetch(thread, sealed, signal) {
      const address = open(thread, sealed);
      const problem = findUrlProblem(address, rules);
      if (problem !== null) throw new CountersignError(problem.code, fileWords.notFetched);
      const { createGuardedFetch } = await import('#tools/http/guarded-fetch.ts');
      const get = createGuardedFetch(rules, null, {
        timeoutMs: fetchWithinMs,
        maxBytes: maxAttached,
      });
      const response = await get(address, { signal }).catch((error: unknown) => {
        // The cause may have the address.
        const { code, passesAfterMs } =
          error instanceof CountersignError
            ? error
            : ({ code: 'tool_unavailable', passesAfterMs: 0 } as const);
        throw new CountersignError(
          code,
          code === 'limit_exceeded'
            ? fileWords.tooLarge({ atMost: maxAttached })
            : fileWords.notFetched,
          { passesAfterMs },
        );
      });
      if (response.ok) return Buffer.from(await response.arrayBuffer());
      if (response.status < 500) throw new CountersignError('not_found', fileWords.expired);
      throw new CountersignError('tool_unavailable', fileWords.notFetched, { passesAfterMs: 0 });
    },
  };
}
