// Draws docs/console and the README's animation with the real program.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import sharp from 'sharp';
import { node, root } from '../setup/process.ts';
import { drawnConsole, fingerprintConsole } from './drawn.ts';
import { type Story, tellStory } from './story.ts';

const docs = join(root, 'docs');
const folder = join(docs, 'console');

const schemes = ['light', 'dark'] as const;
const sizes = { wide: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } };

type Shot = {
  about: string;
  at: (story: Story) => string;
  prepare?: (page: Page) => Promise<void>;
};

async function showInbox(page: Page): Promise<void> {
  const [tab] = await page.getByRole('button', { name: /Inbox/ }).locator('visible=true').all();
  await tab?.click();
}

const shots: Record<string, Shot> = {
  welcome: { about: 'A new conversation', at: () => '' },
  waiting: { about: 'A plan that waits for approval', at: ({ waiting }) => `?plan=${waiting}` },
  review: { about: 'Its steps, as a review', at: ({ waiting }) => `?plan=${waiting}&tab=steps` },
  graph: { about: 'Its graph', at: ({ waiting }) => `?plan=${waiting}&tab=graph` },
  timeline: { about: 'Its timeline', at: ({ waiting }) => `?plan=${waiting}&tab=timeline` },
  comment: {
    about: 'A comment on a step',
    at: ({ waiting }) => `?plan=${waiting}&tab=steps`,
    prepare: async (page) => {
      await page
        .getByRole('button', { name: /^Comment/ })
        .first()
        .click();
      await page.keyboard.type('Use the staging address first');
    },
  },
  'propose-changes': {
    about: 'Changes are proposed',
    at: ({ waiting }) => `?plan=${waiting}`,
    prepare: (page) => page.getByRole('button', { name: 'Propose changes' }).click(),
  },
  inbox: {
    about: 'The inbox',
    at: () => '',
    prepare: showInbox,
  },
  triage: {
    about: 'Several plans are decided at once',
    at: () => '',
    prepare: async (page) => {
      await showInbox(page);
      for (const title of ['Rename the brand folder', 'Write notes/a.md and notes/retro.md'])
        await page.getByLabel(`Select ${title}`).click({ force: true });
      await page
        .getByRole('button', { name: /^Approve \d/ })
        .first()
        .click();
    },
  },
  shortcuts: {
    about: 'The keyboard shortcuts',
    at: () => '',
    prepare: async (page) => {
      await page.locator('body').press('Escape');
      await page.evaluate('document.activeElement?.blur()');
      await page.keyboard.press('?');
    },
  },
  changes: {
    about: 'What changed since the last version',
    at: ({ revised }) => `?plan=${revised}&tab=changes`,
  },
  'side-by-side': {
    about: 'The two versions side by side',
    at: ({ revised }) => `?plan=${revised}&tab=changes`,
    prepare: (page) => page.getByRole('button', { name: 'Side by side' }).click(),
  },
  trace: { about: 'How it was planned', at: ({ revised }) => `?plan=${revised}&tab=trace` },
  audit: { about: 'Who did what', at: ({ revised }) => `?plan=${revised}&tab=audit` },
  question: { about: 'A question before a plan', at: ({ asking }) => `?c=${asking}` },
  running: { about: 'A plan that runs', at: ({ running }) => `?plan=${running}` },
  'large-graph': {
    about: 'A large plan, in groups',
    at: ({ large }) => `?plan=${large}&tab=graph`,
  },
  'large-timeline': {
    about: 'The timeline of a large plan',
    at: ({ large }) => `?plan=${large}&tab=timeline`,
  },
  'large-review': {
    about: 'The review of a large plan',
    at: ({ largeWaiting }) => `?plan=${largeWaiting}&tab=steps`,
  },
  task: { about: 'A task for a person', at: ({ task }) => `?plan=${task}` },
  failed: { about: 'A plan that failed', at: ({ failed }) => `?plan=${failed}` },
  done: { about: 'A plan that is done', at: ({ done }) => `?plan=${done}` },
  'settings-preferences': { about: 'Preferences', at: () => '?settings=preferences' },
  'settings-tools': { about: 'Tools and servers', at: () => '?settings=tools' },
  'settings-approvals': { about: 'Who approves what', at: () => '?settings=approvals' },
  'settings-models': { about: 'Models', at: () => '?settings=models' },
  'settings-execution': { about: 'How plans run', at: () => '?settings=running' },
  'settings-chats': { about: 'Chats', at: () => '?settings=chats' },
  'settings-access': { about: 'Access', at: () => '?settings=access' },
};

async function settle(page: Page): Promise<void> {
  const loading = page.locator('.loading');
  for (let quiet = 0; quiet < 5; ) {
    await page.waitForTimeout(100);
    quiet = (await loading.count()) === 0 ? quiet + 1 : 0;
  }
}

async function takeShots(browser: Browser, url: string, story: Story, named: string[]) {
  const wanted = Object.entries(shots).filter(
    ([name]) => named.length === 0 || named.includes(name),
  );
  for (const scheme of schemes) {
    for (const [size, viewport] of Object.entries(sizes)) {
      const context = await browser.newContext({ viewport, colorScheme: scheme, locale: 'en-GB' });
      const page = await context.newPage();
      for (const [name, { at, prepare }] of wanted) {
        await page.goto(`${url}/${at(story)}`);
        await settle(page);
        if (prepare !== undefined) {
          await prepare(page);
          await settle(page);
        }
        const png = await page.screenshot({ animations: 'disabled' });
        const file = `${name}-${size}-${scheme}.webp`;
        const { size: bytes } = await sharp(png)
          .webp({ quality: 80, effort: 6 })
          .toFile(join(folder, file));
        console.log(`${file}: ${bytes} bytes`);
      }
      await context.close();
    }
  }
}

const frame = { width: 1280, height: 800 };

async function takeAnimation(browser: Browser, url: string): Promise<void> {
  const context = await browser.newContext({ viewport: frame, colorScheme: 'light' });
  const page = await context.newPage();
  const frames: { png: Buffer; ms: number }[] = [];
  const take = async (ms: number) => {
    await settle(page);
    frames.push({ png: await page.screenshot({ animations: 'disabled' }), ms });
  };
  await page.goto(url);
  await take(800);
  const field = page.getByLabel('Your message');
  const request =
    'Write notes/standup.md saying "Standup at 9:30", then ask Ana "Please read notes/standup.md", then move notes/standup.md to archive/standup.md';
  for (const until of [40, 85, request.length]) {
    await field.fill(request.slice(0, until));
    await take(until === request.length ? 900 : 350);
  }
  await page.keyboard.press('Enter');
  const approve = page.locator('.review-bar').getByRole('button', { name: /^Approve/ });
  await approve.waitFor();
  await take(2500);
  await page.getByRole('tab', { name: 'Steps' }).click();
  await take(2500);
  await approve.hover();
  await take(700);
  await approve.click();
  await page.getByText('Waiting for Ana').first().waitFor();
  await page.getByRole('tab', { name: 'Overview' }).click();
  await take(2200);
  await page.getByRole('button', { name: 'Answer for Ana' }).click();
  await page.getByRole('button', { name: 'Done', exact: true }).last().click();
  await page.getByText('Done', { exact: true }).first().waitFor();
  await take(3500);
  await context.close();
  const animated = await sharp(
    frames.map(({ png }) => png),
    { join: { animated: true } },
  )
    .gif({ delay: frames.map(({ ms }) => ms), loop: 0, colours: 64, effort: 10 })
    .toFile(join(docs, 'console.gif'));
  console.log(`console.gif: ${animated.size} bytes, ${frames.length} frames`);
}

function describeIndex(): string {
  const kinds = Object.keys(sizes).flatMap((size) => schemes.map((scheme) => ({ size, scheme })));
  const rows = Object.entries(shots).map(([name, { about }]) => {
    const pictures = kinds.map(({ size, scheme }) => `![${about}](${name}-${size}-${scheme}.webp)`);
    return `| ${about} | ${pictures.join(' | ')} |`;
  });
  return [
    '# Console',
    '',
    'Every page of the console, taken by `npm run pictures console` from the running program.',
    '',
    '| Page | Wide, light | Wide, dark | Phone, light | Phone, dark |',
    '|---|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}

async function withProgram<T>(work: (url: string, home: string) => Promise<T>): Promise<T> {
  const home = await mkdtemp(join(tmpdir(), 'countersign-pictures-'));
  await writeFile(join(home, 'countersign.json'), '{}');
  await chmod(home, 0o711); // As root, the database runs as another user, who needs access.
  const program = spawn(node, [join(root, 'src', 'main.ts'), 'start'], {
    cwd: root,
    env: {
      ...process.env,
      PORT: '0',
      LOG_LEVEL: 'warn',
      COUNTERSIGN_HOME: home,
      COUNTERSIGN_CONFIG: join(home, 'countersign.json'),
      COUNTERSIGN_TIMEZONE: 'Europe/Madrid',
      COUNTERSIGN_NO_BROWSER: 'true',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    let output = '';
    const url = await new Promise<string>((resolve, reject) => {
      program.once('exit', () => reject(new Error(`the program ended: ${output}`)));
      program.stdout.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        const [, found] = /^ *Console +(http:\S+)$/m.exec(output) ?? [];
        if (found !== undefined) resolve(found);
      });
    });
    return await work(url.replace(/\/$/, ''), home);
  } finally {
    if (program.exitCode === null) {
      const ended = once(program, 'exit');
      program.kill('SIGTERM');
      await ended;
    }
    await rm(home, { recursive: true, force: true });
  }
}

/** Without names: all pages, their index and the animation. */
export async function drawConsole(browser: Browser, named: string[]): Promise<void> {
  await mkdir(folder, { recursive: true });
  if (named.length === 0 || named.includes('animation')) {
    await withProgram((url) => takeAnimation(browser, url));
  }
  if (named.length === 1 && named[0] === 'animation') return;
  await withProgram(async (url, home) => {
    const story = await tellStory(url, home);
    await takeShots(browser, url, story, named);
  });
  if (named.length > 0) return;
  await writeFile(join(folder, 'README.md'), describeIndex());
  await writeFile(join(root, drawnConsole), `${JSON.stringify(fingerprintConsole(), null, 2)}\n`);
}
