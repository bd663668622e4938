// Statistics: medians and percentiles, never bests or means.

/** Nearest measured value at rank `q` (0 to 1). @throws for no values */
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

/** With microseconds. */
export function toMilliseconds(iso: string): number {
  const [, whole = '', fraction = '0'] = /^(.{19})\.?(\d*)Z$/.exec(iso) ?? [];
  return Date.parse(`${whole}Z`) + Number(`0.${fraction}`) * 1000;
}

/** Finer than `Date.now()`. */
export function preciseNow(): number {
  return performance.timeOrigin + performance.now();
}

/** Shared by all threads. */
export function monotonicNow(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
