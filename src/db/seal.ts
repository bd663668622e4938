// Encrypts secrets in rows with AES-256-GCM, bound to their subject.
// Bytes: format (1) · key ID (8) · nonce (12) · tag (16) · ciphertext.
import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { CountersignError } from '#domain/errors.ts';

const format = 1;
const at = { key: 1, nonce: 9, tag: 21, text: 37 };

export type Seal = {
  seal(text: string, about: string): Buffer;
  /** @throws a transient error with a wrong key, as other processes may have the right one; `internal` if altered or misplaced */
  open(sealed: Buffer, about: string): string;
  fits(sealed: Buffer): boolean;
};

/** Time to restart the process that has the wrong key. */
const wrongKeyPassesMs = 60_000;

/** @param key 32 bytes */
export function createSeal(key: Buffer): Seal {
  // Identifies the key and reveals nothing of it.
  const keyId = createHmac('sha256', key).update('countersign key id').digest().subarray(0, 8);
  const idIn = (sealed: Buffer) => sealed.subarray(at.key, at.nonce);
  const fits = (sealed: Buffer) => sealed[0] === format && idIn(sealed).equals(keyId);
  return {
    fits,
    seal(text, about) {
      const nonce = randomBytes(at.tag - at.nonce);
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(about));
      const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([Buffer.of(format), keyId, nonce, cipher.getAuthTag(), encrypted]);
    },
    open(sealed, about) {
      if (!fits(sealed)) {
        const [theirs, ours] = [idIn(sealed), keyId].map((id) => id.toString('hex'));
        throw new CountersignError(
          'invalid_configuration',
          `COUNTERSIGN_ENCRYPTION_KEY is not the key that ${about} was encrypted with (that was ${theirs}, this is ${ours}). Start with the former key again.`,
          { passesAfterMs: wrongKeyPassesMs },
        );
      }
      try {
        const nonce = sealed.subarray(at.nonce, at.tag);
        const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: 16 })
          .setAAD(Buffer.from(about))
          .setAuthTag(sealed.subarray(at.tag, at.text));
        const opened = [decipher.update(sealed.subarray(at.text)), decipher.final()];
        return Buffer.concat(opened).toString('utf8');
      } catch (cause) {
        throw new CountersignError('internal', `What is stored of ${about} was changed.`, {
          cause,
        });
      }
    },
  };
}
