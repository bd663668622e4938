// Pages under /docs, in menu order; unlisted ones last, under “More”.
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '..', '..', '..');

/** `slug`: address under /docs, '' for the first; `file`: path from the root. */
export type DocsPage = { slug: string; file: string; group: string };

/** Names under docs/; with an extension, paths elsewhere. */
const menu: Record<string, string[]> = {
  Start: ['README.md', 'MOTIVATION.md', 'deploy', 'console', 'commands', 'cli'],
  Connect: ['slack', 'teams', 'models', 'tools', 'tools-in-typescript', 'mcp', 'webhooks'],
  Use: ['planning', 'approvals'],
  Run: [
    'configuration',
    'identity',
    'operations',
    'observability',
    'keeping',
    'records',
    'scaling',
  ],
  Reference: ['api', 'security', 'SECURITY.md', 'CHANGELOG.md'],
  Inside: ['ARCHITECTURE.md', 'CONTRIBUTING.md'],
};

/** `README.md` → '', `docs/design/rules.md` → `design/rules`, `docs/console/README.md` → `console/pictures`. */
function slugOf(file: string): string {
  if (file === 'README.md') return '';
  // docs/security.md is the threat model.
  if (file === 'SECURITY.md') return 'security-policy';
  if (!file.startsWith('docs/')) return file.replace(/\.md$/, '').toLowerCase();
  return file
    .slice('docs/'.length)
    .replace(/README\.md$/, 'pictures')
    .replace(/\.md$/, '');
}

export function listPages(): DocsPage[] {
  const existing = [
    ...readdirSync(root).map((name) => name),
    ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).map(
      (path) => `docs/${path.replaceAll('\\', '/')}`,
    ),
  ].filter((path) => path.endsWith('.md'));
  const listed = Object.entries(menu).flatMap(([group, names]) =>
    names
      .map((name) => (name.endsWith('.md') ? name : `docs/${name}.md`))
      .filter((file) => existing.includes(file))
      .map((file) => ({ slug: slugOf(file), file, group })),
  );
  const inside = existing.filter((file) => file.startsWith('docs/design/'));
  const pictures = existing.filter((file) => /^docs\/.+\/README\.md$/.test(file));
  const others = existing.filter(
    (file) =>
      !listed.some((page) => page.file === file) &&
      !inside.includes(file) &&
      !pictures.includes(file) &&
      file.startsWith('docs/'),
  );
  const inGroup = (group: string, files: string[]) =>
    files.sort().map((file) => ({ slug: slugOf(file), file, group }));
  return [
    ...listed,
    ...inGroup('Inside', inside),
    ...inGroup('Pictures', pictures),
    ...inGroup('More', others),
  ];
}

/** Linked pictures and examples, by path from the root. */
export function isShown(path: string): boolean {
  return (
    /^docs\/(?:[\w-]+\/)?[\w-]+\.(?:gif|png|webp)$/.test(path) ||
    /^(?:deploy|examples)\/(?:[\w@-]+\/)?[\w@.-]+$/.test(path) ||
    /^(?:compose\.yaml|Dockerfile|LICENSE|manifest\.json|countersign\.example\.json)$/.test(path)
  );
}

export function readPage({ file }: DocsPage): Promise<string> {
  return readFile(join(root, file), 'utf8');
}
