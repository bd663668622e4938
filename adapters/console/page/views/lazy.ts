// Loads views when first drawn.
import { nothing, type TemplateResult } from '../lit.ts';
import { describeError } from '../live/api.ts';
import type { State } from '../live/state.ts';
import { change } from '../live/store.ts';

type Drawn = TemplateResult | typeof nothing;

/** Pause after a failed load. */
const retryAfterMs = 2000;

/** @param close closes what can't load */
export function drawLazily<Args extends unknown[]>(
  load: () => Promise<(...args: Args) => Drawn>,
  close: (state: State) => void = () => {},
): (...args: Args) => Drawn {
  let draw: ((...args: Args) => Drawn) | null = null;
  let loadFrom = 0;
  const begin = async () => {
    loadFrom = Number.POSITIVE_INFINITY;
    try {
      const loaded = await load();
      change(() => {
        draw = loaded;
      });
    } catch (error) {
      loadFrom = Date.now() + retryAfterMs;
      change((s) => {
        close(s);
        s.problem = describeError(error);
      });
    }
  };
  return (...args) => {
    if (draw !== null) return draw(...args);
    if (Date.now() >= loadFrom) void begin();
    return nothing;
  };
}
