import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { strFromU8, unzipSync } from 'fflate';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { buildPackage, validateManifest } from '#adapters/teams/package/build-package.ts';

const root = join(import.meta.dirname, '..', '..', '..', '..');
const main = join(root, 'adapters', 'teams', 'package', 'main.ts');
const id = '1f2e3d4c-5b6a-4789-8abc-def012345678';
const options = { id, domain: 'bot.example.com', version: '1.2.3' };

const Manifest = z.looseObject({
  id: z.string(),
  version: z.string(),
  developer: z.record(z.string(), z.string()),
  icons: z.record(z.string(), z.string()),
  validDomains: z.array(z.string()),
  permissions: z.array(z.string()),
  bots: z.tuple([
    z.looseObject({
      botId: z.string(),
      scopes: z.array(z.string()),
      supportsFiles: z.boolean(),
      commandLists: z.array(
        z.object({
          scopes: z.array(z.string()),
          commands: z.array(z.object({ title: z.string(), description: z.string() })),
        }),
      ),
    }),
  ]),
});

const unpack = (bytes: Uint8Array) => unzipSync(bytes);
const readManifest = (bytes: Uint8Array) =>
  Manifest.parse(JSON.parse(strFromU8(unpack(bytes)['manifest.json'] ?? new Uint8Array())));

describe('the package', () => {
  test('holds the manifest and the icons that the manifest names, and nothing else', async () => {
    const files = unpack(buildPackage(options));
    const { icons } = readManifest(buildPackage(options));
    expect(Object.keys(files).sort()).toEqual(['manifest.json', ...Object.values(icons)].sort());
    for (const name of Object.values(icons)) {
      const committed = await readFile(join(root, 'adapters', 'teams', 'package', name));
      expect(Buffer.from(files[name] ?? []).equals(committed)).toBe(true);
    }
  });

  test('names the bot, the host and the version it was made for', () => {
    const manifest = readManifest(buildPackage(options));
    expect(manifest).toMatchObject({ id, version: '1.2.3', validDomains: ['bot.example.com'] });
    expect(manifest.bots[0].botId).toBe(id);
    expect(manifest.developer).toEqual({
      name: 'bot.example.com',
      websiteUrl: 'https://bot.example.com/',
      privacyUrl: 'https://bot.example.com/',
      termsOfUseUrl: 'https://bot.example.com/',
    });
  });

  test('leaves no placeholder unfilled', () => {
    expect(JSON.stringify(readManifest(buildPackage(options)))).not.toMatch(/\{\{\w*\}\}/);
  });

  test('says who runs it when that is given, as it was given', () => {
    const { developer } = readManifest(
      buildPackage({
        ...options,
        developer: 'Ana "{{id}}" & Söhne',
        website: 'https://example.com/about',
        privacy: 'https://example.com/privacy',
        terms: 'https://example.com/terms',
      }),
    );
    expect(developer).toEqual({
      name: 'Ana "{{id}}" & Söhne',
      websiteUrl: 'https://example.com/about',
      privacyUrl: 'https://example.com/privacy',
      termsOfUseUrl: 'https://example.com/terms',
    });
  });

  test('offers plans, each of its subcommands and help wherever the bot can be', () => {
    const { scopes, commandLists, supportsFiles } = readManifest(buildPackage(options)).bots[0];
    expect(scopes.toSorted()).toEqual(['groupChat', 'personal', 'team']);
    expect(supportsFiles).toBe(true);
    for (const scope of scopes) {
      const [list, ...more] = commandLists.filter((one) => one.scopes.includes(scope));
      expect(more).toEqual([]);
      expect(list?.commands.map(({ title }) => title)).toEqual([
        'plans',
        'plans new',
        'plans mine',
        'plans running',
        'plans all',
        'plans stats',
        'plans help',
        'help',
      ]);
      // Teams cuts longer menus.
      expect(list?.commands.length).toBeLessThanOrEqual(10);
    }
  });

  test('offers to plan a message, which Teams asks the bot about', () => {
    expect(readManifest(buildPackage(options))).toMatchObject({
      composeExtensions: [
        {
          botId: id,
          commands: [
            { id: 'build', context: ['compose', 'message'], fetchTask: true },
            { id: 'plan_this', context: ['message'], fetchTask: true },
          ],
        },
      ],
    });
  });

  test('is an agent of Copilot only where that is wanted', () => {
    expect(readManifest(buildPackage(options))).not.toHaveProperty('copilotAgents');
    const manifest = readManifest(buildPackage({ ...options, copilot: true }));
    expect(manifest.copilotAgents).toMatchObject({ customEngineAgents: [{ id, type: 'bot' }] });
    expect(manifest.bots[0].scopes).toEqual(['personal', 'team', 'groupChat', 'copilot']);
    expect(() => validateManifest(manifest)).not.toThrow();
  });

  test('is the same, byte by byte, from the same input', () => {
    const first = Buffer.from(buildPackage(options));
    const again = buildPackage({ ...options, id: id.toUpperCase(), domain: 'Bot.Example.COM' });
    expect(first.equals(again)).toBe(true);
    expect(first.equals(buildPackage({ ...options, version: '1.2.4' }))).toBe(false);
  });

  test.each(['Asia/Tokyo'])('is the same in %s', async (zone) => {
    const folder = await mkdtemp(join(tmpdir(), 'countersign-teams-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const out = join(folder, 'app.zip');
    await run(['--id', id, '--domain', 'bot.example.com', '--app-version', '1.2.3', '--out', out], {
      TZ: zone,
    });
    expect((await readFile(out)).equals(buildPackage(options))).toBe(true);
  });
});

describe("Microsoft's schema", () => {
  const manifest = readManifest(buildPackage(options));

  test('takes the manifest', () => {
    expect(() => validateManifest(manifest)).not.toThrow();
  });

  test.each([
    ['a field nobody knows', { ...manifest, colour: 'blue' }, 'manifest must NOT have additional'],
    ['a bot that is no bot', { ...manifest, bots: [{ botId: 'x', scopes: [] }] }, 'bots.0.botId'],
    ['a short description of 81 characters', describeWith(81), 'description.short'],
  ])('refuses %s by its place', (_name, wrong, place) => {
    expect(() => validateManifest(wrong)).toThrow(place);
  });

  test('takes a short description of 80 characters', () => {
    expect(() => validateManifest(describeWith(80))).not.toThrow();
  });

  function describeWith(length: number) {
    return { ...manifest, description: { short: 'x'.repeat(length), full: 'x' } };
  }
});

describe('what is not right', () => {
  const wrong: [string, Partial<Parameters<typeof buildPackage>[0]>, RegExp][] = [
    ['no id', { id: undefined }, /^--id: give .*MicrosoftAppId/],
    ['an empty id', { id: '' }, /^--id: give .*MicrosoftAppId/],
    ['a name for an id', { id: 'countersign' }, /^--id: "countersign" is not a Microsoft app id/],
    ['an id with a digit too many', { id: `${id}0` }, /^--id: /],
    ['an address for a host', { domain: 'https://bot.example.com' }, /^--domain: .*without https/],
    ['a host with a port', { domain: 'bot.example.com:3978' }, /^--domain: /],
    ['a host with a path', { domain: 'bot.example.com/x' }, /^--domain: /],
    ['a host with an account', { domain: 'ana@bot.example.com' }, /^--domain: /],
    ['a host of this machine', { domain: 'localhost' }, /^--domain: /],
    ['a number for a host', { domain: '10.0.0.1' }, /^--domain: /],
    ['a wildcard', { domain: '*.example.com' }, /^--domain: /],
    ['no host', { domain: '' }, /^--domain: /],
    ['a part of 64 characters', { domain: `${'a'.repeat(64)}.example.com` }, /^--domain: /],
    ['a version of two numbers', { version: '1.2' }, /^--app-version: /],
    ['a version with a word', { version: '1.2.3-beta' }, /^--app-version: /],
    ['a developer of 33 characters', { developer: 'x'.repeat(33) }, /^--developer: .*32/],
    ['a developer without a name', { developer: ' ' }, /^--developer: /],
    ['a page without https', { privacy: 'http://example.com' }, /^--privacy: .*https/],
    [
      'a page whose address is longer than Teams takes',
      { terms: `https://example.com/${'x'.repeat(2029)}` },
      /Microsoft's schema: developer\.termsOfUseUrl .*2048/,
    ],
    ['a page that is no address', { website: 'example.com' }, /^--website: .*https/],
  ];
  test.each(wrong)('%s is refused', (_name, change, sentence) => {
    expect(() => buildPackage({ ...options, ...change })).toThrow(sentence);
  });

  test.each([
    ['a part of 63 characters', { domain: `${'a'.repeat(63)}.example.com` }],
    ['a host with letters of another language', { domain: 'bücher.example' }],
    ['a page of 2,048 characters', { terms: `https://example.com/${'x'.repeat(2028)}` }],
    ['a developer of 32 characters', { developer: 'x'.repeat(32) }],
  ])('%s is taken', (_name, change) => {
    expect(() => buildPackage({ ...options, ...change })).not.toThrow();
  });
});

function run(args: string[], env: Record<string, string> = {}) {
  return promisify(execFile)(process.execPath, [main, ...args], { env });
}

describe('the command', () => {
  test('takes the id of the environment, and says where the package is', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'countersign-teams-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const out = join(folder, 'app.zip');
    const { stdout } = await run(['--domain', 'bot.example.com', '--out', out], {
      MicrosoftAppId: id,
    });
    expect(stdout).toContain(out);
    expect(readManifest(await readFile(out)).id).toBe(id);
  });

  test.each([
    ['no id', ['--domain', 'bot.example.com'], /^teams:package: --id: give/],
    ['no host', ['--id', id], /--domain/],
    [
      'a folder that is not there',
      ['--id', id, '--domain', 'bot.example.com', '--out', '/nowhere/app.zip'],
      /^teams:package: --out: \/nowhere\/app\.zip cannot be written/,
    ],
  ])('ends with 1 and one line about %s', async (_name, args, line) => {
    const failed = await run(args).then(
      () => null,
      (error: { code: number; stderr: string }) => error,
    );
    expect(failed).toMatchObject({ code: 1, stderr: expect.stringMatching(line) });
    expect(failed?.stderr.trim().split('\n')).toHaveLength(1);
  });
});
