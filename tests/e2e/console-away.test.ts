// The console's load size, and a server that dies and returns.
import type { Page, Request } from 'playwright-core';
import { expect, it } from 'vitest';
import { expectAccessibleOnce } from '../setup/axe.ts';
import {
  button,
  context,
  openPage,
  page,
  server,
  startAgain,
  useConsole,
} from '../setup/console.ts';

useConsole();

it('loads under 300 KB, once, and says when it could be used', async () => {
  const fresh = await openPage();
  const session = await context.newCDPSession(fresh);
  await session.send('Network.enable');
  let bytes = 0;
  let files = 0;
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength;
    files += 1;
  });
  const measure = async () => {
    [bytes, files] = [0, 0];
    const began = performance.now();
    await fresh.goto(server.url);
    await fresh.getByText('What should be done?').first().waitFor();
    return { kilobytes: bytes / 1024, files, ms: Math.round(performance.now() - began) };
  };
  const first = await measure();
  const again = await measure();
  console.info(
    `first load: ${first.kilobytes.toFixed(0)} KB in ${first.files} files, ${first.ms} ms; again: ${again.kilobytes.toFixed(0)} KB, ${again.ms} ms`,
  );
  expect(first.kilobytes).toBeLessThan(300);
  expect(first.kilobytes).toBeGreaterThan(50);
  expect(again.kilobytes).toBeLessThan(first.kilobytes / 2);
  // Under a second on an idle machine.
  expect(again.ms).toBeLessThan(5000);
});

it('says when the server was killed, mends itself once it is back, and loses nothing typed', async () => {
  const port = String(new URL(server.url).port);
  await page.goto(`${server.url}/?c=console-killed`);
  await page.getByText('What should be done?').first().waitFor();
  const field = page.getByLabel('Your message');
  await field.fill('Create kept.txt saying "Kept"');
  await server.stop('SIGKILL');
  await page.getByText("The server isn't answering. Reconnecting…").waitFor();
  await expectAccessibleOnce(page, 'the console without its server');
  await field.press('Enter');
  await page.getByRole('alert').waitFor();
  expect(await field.inputValue()).toBe('Create kept.txt saying "Kept"');
  await startAgain({ PORT: port });
  await page.getByText('Reconnecting…').waitFor({ state: 'detached' });
  expect(await field.inputValue()).toBe('Create kept.txt saying "Kept"');
  await field.press('Enter');
  await button('Approve').waitFor();
  expect(await field.inputValue()).toBe('');
});

it('takes one connection per page, and none while hidden, so that others are answered', async () => {
  const address = `${server.url}/?c=console-crowd`;
  const crowd = await Promise.all(Array.from({ length: 5 }, openPage));
  const [first, ...rest] = crowd as [Page, ...Page[]];
  const open = new Set<Request>();
  const isStream = (request: Request) => /\/api\/.*\/events/.test(request.url());
  first.on('request', (request) => isStream(request) && open.add(request));
  first.on('requestfailed', (request) => open.delete(request));
  await first.goto(address);
  await first.getByLabel('Your message').fill('Create crowd.txt saying "Crowd"');
  await first.keyboard.press('Enter');
  await button('Approve', first).waitFor();
  for (const one of rest) {
    await one.goto(address);
    await button('Approve', one).waitFor();
  }
  await expect.poll(() => open.size).toBe(1);
  await button('Approve', first).click();
  for (const one of crowd) await one.locator('.card').getByText('Done').first().waitFor();
  const setHidden = (hidden: boolean) =>
    first.evaluate(
      `Object.defineProperty(document, 'hidden', { value: ${hidden}, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));`,
    );
  await setHidden(true);
  await expect.poll(() => open.size).toBe(0);
  await setHidden(false);
  await expect.poll(() => open.size).toBe(1);
});
