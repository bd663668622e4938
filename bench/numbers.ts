// Statistics of a run: reports medians and percentiles, never bests or means.

/** The nearest measured value at rank `q` (0 to 1). @throws for no values */
export function quantile(values: number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const value = sorted[Math.max(0, Math.ceil(q * sorted.length) - 1)];
  if (value === undefined) throw new Error('nothing was measured');
  return value;
}

/** @throws for no values */
export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  if (low === undefined || high === undefined) throw new Error('nothing was measured');
  return (low + high) / 2;
}

/** Epoch milliseconds of an ISO time in UTC, with microseconds. */
export function toMilliseconds(iso: string): number {
  const [, whole = '', fraction = '0'] = /^(.{19})\.?(\d*)Z$/.exec(iso) ?? [];
  return Date.parse(`${whole}Z`) + Number(`0.${fraction}`) * 1000;
}

/** Epoch milliseconds, finer than `Date.now()`. */
export function preciseNow(): number {
  return performance.timeOrigin + performance.now();
}

/** Milliseconds of a monotonic clock shared by all threads. */
export function monotonicNow(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
