// The browser for the console's tests is found, and a browser can be driven.
import { afterEach, expect, test, vi } from 'vitest';
import { findChromium, listPlaces, openBrowser } from '../../setup/chromium.ts';

afterEach(() => void vi.unstubAllEnvs());

test('the place named in the environment comes before the usual ones', () => {
  const places = listPlaces({ platform: 'linux', env: { CHROMIUM_PATH: '/opt/c', PATH: '/a' } });
  expect(places.slice(0, 2)).toEqual(['/opt/c', '/a/chromium']);
  expect(places).toContain('/usr/bin/google-chrome');
});

test('on a Mac the applications are looked at, on Windows the program folders', () => {
  expect(listPlaces({ platform: 'darwin', env: {} })).toContain(
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  );
  const windows = listPlaces({ platform: 'win32', env: { PROGRAMFILES: 'C:/Programs' } });
  expect(windows[0]).toMatch(/Chrome.Application.chrome\.exe$/);
});

test('a wrong place in the environment is an error, not a reason to take another browser', async () => {
  vi.stubEnv('CHROMIUM_PATH', '/nowhere/chromium');
  await expect(findChromium()).rejects.toThrow(/CHROMIUM_PATH is \/nowhere\/chromium/);
});

test('a page is drawn and its scripts run', async () => {
  const browser = await openBrowser();
  try {
    const page = await browser.newPage();
    await page.setContent('<p id="p">no</p><script>p.textContent = "yes"</script>');
    expect(await page.textContent('#p')).toBe('yes');
  } finally {
    await browser.close();
  }
}, 300_000); // It may have to be installed first.
