// Cards of Teams at the width of a phone, drawn by Microsoft's renderer.
import { expect, it } from 'vitest';
import { drawPage } from '../pictures/drawn.ts';
import { type CardState, cardStates } from '../pictures/states.ts';
import { openContext } from '../setup/chromium.ts';

it('cut no button and no text beyond their edge', async () => {
  const context = await openContext({ viewport: { width: 390, height: 844 } });
  const page = await context.newPage();
  const cut: string[] = [];
  for (const [name, state] of Object.entries<CardState>(cardStates)) {
    await page.setContent(drawPage('teams', state, 'light'));
    const found = await page.evaluate<string[]>(`(() => {
      const card = document.getElementById('card');
      const { right } = card.getBoundingClientRect();
      return [...card.querySelectorAll('button, .ac-textBlock')]
        .filter((one) => one.getBoundingClientRect().right > right || one.scrollWidth > one.clientWidth + 1)
        .map((one) => one.textContent);
    })()`);
    cut.push(...found.map((text) => `${name}: ${text}`));
  }
  await context.close();
  expect(cut).toEqual([]);
});
