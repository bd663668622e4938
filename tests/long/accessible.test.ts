// Every console page by WCAG 2.2 AA, themes and sizes included.
import { beforeAll, describe, it } from 'vitest';
import { expectAccessible } from '../setup/axe.ts';
import { page, server, useConsole } from '../setup/console.ts';
import { parts, type Story, showPane, tellStory } from '../setup/console-walk.ts';

useConsole();

let story: Story;
beforeAll(async () => {
  story = await tellStory(server.api);
});

describe('the console has no violation of WCAG 2.2 AA', () => {
  it.each(parts)('in %s', async (_name, walk) => {
    await walk({
      page,
      url: server.url,
      story,
      async look(what, pane) {
        if (pane !== undefined) await showPane(page, pane);
        await expectAccessible(page, what);
      },
    });
  });
});
