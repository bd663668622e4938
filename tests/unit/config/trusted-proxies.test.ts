import { expect, it } from 'vitest';
import { loadConfig } from '#app/config.ts';

const load = (COUNTERSIGN_TRUSTED_PROXIES: string) =>
  loadConfig({ COUNTERSIGN_TRUSTED_PROXIES }, '/nowhere').env.COUNTERSIGN_TRUSTED_PROXIES;

it('are addresses and networks, with commas between them; none by default', () => {
  expect(load('')).toEqual([]);
  expect(load('10.0.0.0/8, 192.168.1.5,2001:db8::/32')).toEqual([
    ...['10.0.0.0/8', '192.168.1.5', '2001:db8::/32'],
  ]);
});

it.each(['0.0.0.0/0', 'any', 'proxy.internal', '10.0.0.0/33', '10.0.0', 'loopback'])(
  '%s is refused',
  (text) => {
    expect(() => load(text)).toThrow(
      /^COUNTERSIGN_TRUSTED_PROXIES: must be addresses and networks/,
    );
  },
);
