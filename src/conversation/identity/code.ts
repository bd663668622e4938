// The code by which two accounts are linked: short enough to type, too long to guess within its ten minutes. Pure.
import { hash } from 'node:crypto';
import type { Random } from '#contracts/clock.ts';

/** Without what looks alike: no 0 and O, no 1, I and L, no U beside V. */
const letters = '23456789ABCDEFGHJKMNPQRSTVWXYZ';
/** 30^10, about 49 bits: even whoever reads the hashes does not find a code while it holds. */
const length = 10;

/** `K7M2P-9QX4R`. */
export function drawCode(random: Random): string {
  // 128 bits for 49: the letters come out evenly to within 2^-79.
  let number = BigInt(`0x${random.hex(16)}`);
  let code = '';
  for (let i = 0; i < length; i++) {
    code += letters[Number(number % BigInt(letters.length))];
    number /= BigInt(letters.length);
  }
  return `${code.slice(0, length / 2)}-${code.slice(length / 2)}`;
}

/** The hash that is stored; case, blanks and dashes make no difference. */
export function hashCode(code: string): string {
  return hash('sha256', `link:${code.toUpperCase().replace(/[^0-9A-Z]/g, '')}`, 'hex');
}
