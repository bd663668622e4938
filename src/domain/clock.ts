// Time and randomness are parameters: code that needs the time or a new id receives one of these.
import { randomBytes } from 'node:crypto';

export type Clock = {
  /** The present moment. */
  now(): Date;
};

export type Random = {
  /** `bytes` random bytes as lower-case hex (2 characters a byte). */
  hex(bytes: number): string;
};

/** Evenly from 0 to 1, without 1. */
export function drawFraction(random: Random): number {
  return Number.parseInt(random.hex(6), 16) / 2 ** 48;
}

/** Midnight UTC: where a day's budget begins. */
export function startOfDay(now: Date): Date {
  return new Date(now.toISOString().slice(0, 10));
}

export const systemClock: Clock = { now: () => new Date() };
export const systemRandom: Random = { hex: (bytes) => randomBytes(bytes).toString('hex') };
