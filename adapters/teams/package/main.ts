// `npm run teams:package`: writes the package to upload.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { CountersignError, errorMessage } from '#domain/errors.ts';
import { readPublicUrl } from '#domain/public-url.ts';
import { buildPackage } from './build-package.ts';

type Options = {
  id?: string;
  domain?: string;
  out: string;
  appVersion: string;
  developer?: string;
  website?: string;
  privacy?: string;
  terms?: string;
  copilot?: boolean;
};

const project: { version: string } = JSON.parse(
  readFileSync(join(import.meta.dirname, '..', '..', '..', 'package.json'), 'utf8'),
);

function write(path: string, bytes: Uint8Array): void {
  try {
    writeFileSync(path, bytes);
  } catch (cause) {
    throw new CountersignError(
      'invalid_configuration',
      `--out: ${path} cannot be written (${errorMessage(cause)}). Name another file.`,
      { cause },
    );
  }
}

/** @throws CountersignError without a public address */
function hostOf(address: string | undefined): string {
  const url = readPublicUrl(address ?? '');
  if (url?.startsWith('https://') === true) return new URL(url).hostname;
  throw new CountersignError(
    'invalid_configuration',
    '--domain: missing. Give the public host name of this Countersign, or set COUNTERSIGN_PUBLIC_URL to its https address.',
  );
}

const program = new Command('npm run teams:package --')
  .description('Writes the app package that is uploaded to Microsoft Teams.')
  .option('--id <guid>', 'the Microsoft app id of the bot; MicrosoftAppId when not given')
  .option(
    '--domain <host>',
    'the public host name of this Countersign; that of COUNTERSIGN_PUBLIC_URL when not given',
  )
  .option('--out <file>', 'the file to write', 'countersign-teams.zip')
  .option(
    '--app-version <x.y.z>',
    'of the app; Teams takes an update only with a higher one',
    project.version,
  )
  .option('--developer <name>', 'who runs it, as Teams shows it; the host when not given')
  .option('--website <url>', 'a page about it; the host when not given')
  .option('--privacy <url>', 'the page on privacy; the host when not given')
  .option('--terms <url>', 'the terms of use; the host when not given')
  .option('--copilot', 'offer it as an agent in Microsoft 365 Copilot too')
  .action(({ out, appVersion, ...options }: Options) => {
    const { MicrosoftAppId, COUNTERSIGN_PUBLIC_URL } = process.env;
    const id = options.id ?? MicrosoftAppId;
    const domain = options.domain ?? hostOf(COUNTERSIGN_PUBLIC_URL);
    write(out, buildPackage({ ...options, domain, id, version: appVersion }));
    console.log(`${out} is ready. Upload it in Teams: Apps, Manage your apps, Upload an app.`);
  });

try {
  program.parse();
} catch (error) {
  if (!(error instanceof CountersignError)) throw error;
  console.error(`teams:package: ${error.message}`);
  process.exitCode = 1;
}
