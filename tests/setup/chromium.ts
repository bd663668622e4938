// The console tests' browser: found, installed, or the tests fail.
import { access, constants } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
} from 'playwright-core';
import { installPackage } from './debian.ts';

const flags = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

const variables = ['CHROMIUM_PATH', 'CHROME_PATH', 'PLAYWRIGHT_CHROMIUM_EXECUTABLE_PATH'];
const commands = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const applications = ['Google Chrome', 'Chromium', 'Microsoft Edge'].map((name) =>
  join('Applications', `${name}.app`, 'Contents', 'MacOS', name),
);
const windowsPrograms = [
  join('Google', 'Chrome', 'Application', 'chrome.exe'),
  join('Microsoft', 'Edge', 'Application', 'msedge.exe'),
];

type Machine = { platform: NodeJS.Platform; env: NodeJS.ProcessEnv };
const here: Machine = { platform: process.platform, env: process.env };

/** Best first. */
export function listPlaces({ platform, env }: Machine = here): string[] {
  const named = variables.flatMap((name) => env[name] ?? []);
  const inPath = (env.PATH ?? '').split(delimiter).filter(Boolean);
  const places: Partial<Record<NodeJS.Platform, string[]>> = {
    darwin: ['/', homedir()].flatMap((root) => applications.map((path) => join(root, path))),
    win32: ['PROGRAMFILES', 'PROGRAMFILES(X86)', 'LOCALAPPDATA'].flatMap((name) =>
      windowsPrograms.map((path) => join(env[name] ?? '', path)),
    ),
  };
  const usual = [...inPath, '/usr/bin', '/snap/bin'].flatMap((folder) =>
    commands.map((command) => join(folder, command)),
  );
  return [...named, ...(places[platform] ?? usual)];
}

async function isProgram(path: string): Promise<boolean> {
  return await access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

async function find(): Promise<string | null> {
  for (const name of variables) {
    const path = process.env[name];
    if (path !== undefined && path !== '' && !(await isProgram(path)))
      throw new Error(`${name} is ${path}, which is no program. Correct it or take it away.`);
  }
  for (const path of listPlaces()) if (await isProgram(path)) return path;
  return null;
}

/** @throws Error that says how to install Chromium */
export async function findChromium(): Promise<string> {
  const found = await find();
  if (found !== null) return found;
  await installPackage('chromium', async () => (await find()) !== null);
  const installed = await find();
  if (installed !== null) return installed;
  throw new Error(
    'The console is tested in Chromium, and none was found. Install it ("apt-get install chromium", "dnf install chromium", "brew install --cask chromium") or set CHROMIUM_PATH to one.',
  );
}

export async function openBrowser(): Promise<Browser> {
  return await chromium.launch({ executablePath: await findChromium(), args: flags });
}

/** Outside this module, which is loaded again for each test file. */
const shared = globalThis as { testBrowser?: Promise<Browser> };

/** Without motion: an animated page draws sixty times a second while a plan runs. */
export async function openContext(options: BrowserContextOptions = {}): Promise<BrowserContext> {
  shared.testBrowser ??= openBrowser();
  const browser = await shared.testBrowser;
  return browser.newContext({ reducedMotion: 'reduce', ...options });
}
