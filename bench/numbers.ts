// The statistics of a run: what is reported is a median or a percentile, never a best or a mean.

/** The value at rank `q` (0 to 1) of `values`, the nearest one that was measured. @throws for no values */
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

/** Milliseconds since 1970 of an ISO time in UTC, with its microseconds. */
export function toMilliseconds(iso: string): number {
  const [, whole = '', fraction = '0'] = /^(.{19})\.?(\d*)Z$/.exec(iso) ?? [];
  return Date.parse(`${whole}Z`) + Number(`0.${fraction}`) * 1000;
}

/** Milliseconds since 1970 as this process's clock has them, finer than `Date.now()`. */
export function preciseNow(): number {
  return performance.timeOrigin + performance.now();
}

/** Milliseconds by a clock that all threads of this process share and nobody sets. */
export function monotonicNow(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
