// Opens the console in a browser where a person sits in front of one.
import type { Config } from '#config';
import { errorMessage } from '#contracts/errors.ts';

export async function openConsole(config: Config, url: string): Promise<void> {
  const graphical =
    process.platform === 'darwin' ||
    process.platform === 'win32' ||
    (process.env.DISPLAY ?? process.env.WAYLAND_DISPLAY) !== undefined;
  const wanted = process.stdout.isTTY && graphical && process.env.SSH_CONNECTION === undefined;
  if (!wanted || config.env.COUNTERSIGN_NO_BROWSER === true) return;
  const { default: open } = await import('open');
  await open(url).catch((error: unknown) =>
    console.error(
      `  The browser could not be opened (${errorMessage(error)}); open ${url} yourself.`,
    ),
  );
}
