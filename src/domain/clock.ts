// Time and randomness, passed as parameters.
import { randomBytes } from 'node:crypto';

export type Clock = {
  now(): Date;
};

export type Random = {
  hex(bytes: number): string;
};

/** Uniform in [0, 1). */
export function drawFraction(random: Random): number {
  return Number.parseInt(random.hex(6), 16) / 2 ** 48;
}

/** When daily budgets restart. */
export function startOfUtcDay(now: Date): Date {
  return new Date(now.toISOString().slice(0, 10));
}

export const systemClock: Clock = { now: () => new Date() };
export const systemRandom: Random = { hex: (bytes) => randomBytes(bytes).toString('hex') };
