// Results of checks, by state.
import type { CheckResult } from '#domain/settings-view.ts';

const resultOf =
  (state: CheckResult['state']) =>
  (part: string, text: string, advice?: string): CheckResult => ({
    ...{ part, state, text },
    ...(advice === undefined ? {} : { advice }),
  });

export const okCheck = resultOf('ok');
export const offCheck = resultOf('off');
export const brokenCheck = resultOf('broken');
