import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createThrottle } from '../../../adapters/console/page/live/throttle.ts';

describe('the throttle of redraws', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('runs at once, then at most once a second, with the last call never lost', async () => {
    const task = vi.fn(async () => {});
    const throttle = createThrottle(task, 1000);
    for (let ms = 0; ms < 2500; ms += 100) {
      throttle.request();
      await vi.advanceTimersByTimeAsync(100);
    }
    expect(task).toHaveBeenCalledTimes(3);
    await vi.advanceTimersByTimeAsync(1000);
    expect(task).toHaveBeenCalledTimes(4);
    await vi.advanceTimersByTimeAsync(5000);
    expect(task).toHaveBeenCalledTimes(4);
  });

  it('goes on after a task that failed', async () => {
    const task = vi.fn(async () => {
      throw new Error('no answer');
    });
    const failed = vi.fn();
    const throttle = createThrottle(() => task().catch(failed), 1000);
    throttle.request();
    await vi.advanceTimersByTimeAsync(1500);
    throttle.request();
    await vi.advanceTimersByTimeAsync(1500);
    expect(failed).toHaveBeenCalledTimes(2);
  });
});
