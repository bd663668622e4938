import { describe, expect, it } from 'vitest';
import { hostConfig } from '#cards/host-config.ts';

/** WCAG 2.2 */
function luminance(hex: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a: string, b: string): number {
  const [high = 0, low = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (high + 0.05) / (low + 0.05);
}

describe.each([
  ['light', hostConfig('light')],
  ['dark', hostConfig('dark')],
])('%s', (_, config) => {
  it('every text colour can be read on every background', () => {
    const poor = Object.entries(config.containerStyles).flatMap(([style, container]) =>
      Object.entries(container.foregroundColors).flatMap(([color, shades]) =>
        Object.values(shades)
          .filter((shade) => contrast(shade, container.backgroundColor) < 4.5)
          .map((shade) => `${color} ${shade} on ${style}`),
      ),
    );
    expect(poor).toEqual([]);
  });
});
