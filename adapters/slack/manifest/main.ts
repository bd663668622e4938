// `npm run slack:manifest`: prints the manifest that is pasted into Slack when the app is made.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { CountersignError } from '#contracts/errors.ts';
import { chooseWay, fillManifest, type SlackManifest } from './fill-manifest.ts';

const template: SlackManifest = JSON.parse(
  readFileSync(join(import.meta.dirname, '..', '..', '..', 'manifest.json'), 'utf8'),
);

const program = new Command('npm run slack:manifest --')
  .description('Prints the manifest of the Slack app.')
  .option(
    '--url <address>',
    'the public address of this Countersign; COUNTERSIGN_PUBLIC_URL when not given; without either, for Socket Mode',
  )
  .option(
    '--socket',
    'for Socket Mode, whatever address is set; that is then only where people add the app to workspaces',
  )
  .option(
    '--organisation',
    'for an Enterprise organisation that installs it for all its workspaces',
  )
  .action(({ organisation, ...options }: { url?: string; socket?: true; organisation?: true }) => {
    const way = chooseWay(options, process.env);
    console.log(JSON.stringify(fillManifest(template, way, organisation), null, 2));
  });

try {
  program.parse();
} catch (error) {
  if (!(error instanceof CountersignError)) throw error;
  console.error(`slack:manifest: ${error.message}`);
  process.exitCode = 1;
}
