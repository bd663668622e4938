// Builds the reproducible Teams app package.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { domainToASCII } from 'node:url';
import schema from '@microsoft/app-manifest/build/json-schemas/teams/v1.30/MicrosoftTeams.schema.json' with {
  type: 'json',
};
import Ajv04 from 'ajv-draft-04';
import addFormats from 'ajv-formats';
import { strToU8, zipSync } from 'fflate';
import { z } from 'zod';
import { CountersignError } from '#domain/errors.ts';

// CommonJS: the default export has its own `default`.
const ajv = new Ajv04.default({ allErrors: true, strict: false });
addFormats.default(ajv);
const check = ajv.compile(schema);

/** @throws CountersignError `invalid_configuration`, naming all places */
export function validateManifest(manifest: unknown): void {
  if (check(manifest)) return;
  const faults = (check.errors ?? []).map(
    ({ instancePath, message }) =>
      `${instancePath.slice(1).replaceAll('/', '.') || 'manifest'} ${message}`,
  );
  throw new CountersignError(
    'invalid_configuration',
    `The manifest does not fit Microsoft's schema: ${faults.join('; ')}.`,
  );
}

const folder = import.meta.dirname;

export type PackageOptions = {
  /** The bot's Microsoft app ID. */
  id: string | undefined;
  domain: string;
  /** `1.2.3`; only a higher one updates. */
  version: string;
  /** Default: the host. */
  developer?: string | undefined;
  /** Default: the host. */
  website?: string | undefined;
  privacy?: string | undefined;
  terms?: string | undefined;
  /** Offers it in Microsoft 365 Copilot. */
  copilot?: boolean | undefined;
};

function refuse(sentence: string): never {
  throw new CountersignError('invalid_configuration', sentence);
}

function readId(id: string | undefined): string {
  if (id === undefined || id === '')
    return refuse('--id: give the Microsoft app id of the bot, or set MicrosoftAppId.');
  if (z.guid().safeParse(id).success) return id.toLowerCase();
  return refuse(
    `--id: "${id}" is not a Microsoft app id. It is the GUID that the Azure portal shows for the bot, such as 1f2e3d4c-5b6a-4789-8abc-def012345678.`,
  );
}

const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const hostName = new RegExp(`^(?=.{4,253}$)(?:${label}\\.)+(?!\\d+$)${label}$`);

function readDomain(domain: string): string {
  // domainToASCII drops everything after the host.
  const host = /[/\\?#@:\s]/.test(domain) ? '' : domainToASCII(domain.toLowerCase());
  if (hostName.test(host)) return host;
  return refuse(
    `--domain: "${domain}" is not a public host name. Give it as bot.example.com, without https://, port or path.`,
  );
}

function readVersion(version: string): string {
  if (/^(0|[1-9]\d*)(\.(0|[1-9]\d*)){2}$/.test(version)) return version;
  return refuse(`--app-version: "${version}" must be three numbers, such as 1.2.3.`);
}

const longestDeveloper = 32;

function readDeveloper(name: string | undefined, domain: string): string {
  if (name === undefined) return domain.slice(0, longestDeveloper);
  if (name.trim() !== '' && name.length <= longestDeveloper) return name.trim();
  return refuse(`--developer: a name has 1 to ${longestDeveloper} characters.`);
}

function readPage(option: string, address: string | undefined, domain: string): string {
  if (address === undefined) return `https://${domain}/`;
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url?.protocol === 'https:') return url.href;
  return refuse(`--${option}: "${address}" must be a whole address that begins with https://.`);
}

function fill(data: unknown, values: Record<string, string>): unknown {
  if (typeof data === 'string')
    return data.replace(/\{\{(\w+)\}\}/g, (whole, name: string) => values[name] ?? whole);
  if (Array.isArray(data)) return data.map((item) => fill(item, values));
  if (typeof data !== 'object' || data === null) return data;
  return Object.fromEntries(Object.entries(data).map(([key, item]) => [key, fill(item, values)]));
}

const disclaimer =
  'Countersign may use a language model to draft plans. Check a plan before you approve it: nothing runs until someone has.';

const Bots = z.looseObject({ bots: z.tuple([z.looseObject({ scopes: z.array(z.string()) })]) });

/** Answered by the same bot. */
function offerInCopilot(manifest: unknown, id: string): object {
  const { bots, ...rest } = Bots.parse(manifest);
  const [bot] = bots;
  return {
    ...rest,
    bots: [{ ...bot, scopes: [...bot.scopes, 'copilot'] }],
    copilotAgents: { customEngineAgents: [{ id, type: 'bot', disclaimer: { text: disclaimer } }] },
  };
}

// Zip times have no zone: local time is reproducible.
const stamp = new Date(2020, 0, 1, 12);

/** @throws CountersignError `invalid_configuration` */
export function buildPackage(options: PackageOptions): Uint8Array {
  const domain = readDomain(options.domain);
  const template: unknown = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
  const id = readId(options.id);
  const filled = fill(template, {
    id,
    domain,
    version: readVersion(options.version),
    developer: readDeveloper(options.developer, domain),
    website: readPage('website', options.website, domain),
    privacy: readPage('privacy', options.privacy, domain),
    terms: readPage('terms', options.terms, domain),
  });
  const manifest = options.copilot === true ? offerInCopilot(filled, id) : filled;
  validateManifest(manifest);
  const icons = ['color.png', 'outline.png'].map((name): [string, Uint8Array] => [
    name,
    readFileSync(join(folder, name)),
  ]);
  return zipSync(
    {
      'manifest.json': strToU8(`${JSON.stringify(manifest, null, 2)}\n`),
      ...Object.fromEntries(icons),
    },
    { level: 9, mtime: stamp },
  );
}
