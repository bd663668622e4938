// Import rules.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix, relative, sep } from 'node:path';
import { parseSync } from 'oxc-parser';

const world = ['domain', 'db', 'models', 'tools', 'timeline', 'graph'];
const planning = [...world, 'cards', 'plans', 'planner'];
const talk = [...planning, 'executor', 'messages', 'people', 'notices', 'runs', 'conversation'];
const everything = [
  ...talk,
  'chat',
  'retention',
  'api',
  'jobs',
  'app',
  'adapters/console',
  'adapters/terminal',
];
const adapter = ['domain', 'cards', 'people', 'chat', 'conversation', 'api'];

/** `main` is the files directly in src/. */
export const modules: Record<string, string[]> = {
  domain: [],
  db: ['domain'],
  models: ['domain'],
  tools: ['domain', 'timeline'],
  timeline: ['domain', 'graph'],
  graph: ['domain'],
  plans: world,
  planner: [...world, 'cards'],
  executor: planning,
  messages: [...world, 'cards', 'plans'],
  people: [...planning, 'messages'],
  notices: [...planning, 'messages', 'people'],
  runs: [...planning, 'messages', 'people', 'notices'],
  conversation: [...planning, 'executor', 'messages', 'people', 'notices', 'runs'],
  chat: talk,
  api: talk,
  cards: ['domain'],
  retention: ['domain', 'db', 'plans'],
  jobs: [...talk, 'chat', 'retention'],
  'adapters/console': adapter,
  'adapters/console/page': ['domain', 'cards'],
  'adapters/terminal': adapter,
  'adapters/slack': adapter,
  'adapters/teams': adapter,
  bench: everything,
  app: [...everything, 'adapters/slack', 'adapters/teams', 'bench'],
  main: ['app'],
};

const fenced: { packages: RegExp; modules: string[] }[] = [
  { packages: /^@slack\//, modules: ['adapters/slack', 'bench'] },
  { packages: /^pg(-copy-streams)?$/, modules: ['db'] },
  { packages: /^openai$/, modules: ['models'] },
  { packages: /^@modelcontextprotocol\//, modules: ['tools', 'api'] },
  { packages: /^@dbos-inc\//, modules: ['bench'] },
  { packages: /^@opentelemetry\//, modules: ['app'] },
];

/** Only these folders know a library that may be replaced one day. */
const seams = [
  {
    folder: 'adapters/teams/connector/',
    packages: /^(botbuilder|botframework)/,
    seam: ['adapters/teams/connector/connector.ts'],
    openers: ['adapters/teams/platform.ts'],
  },
];

export type Source = { path: string; text: string };
type Import = { from: string; to: string };

/** Null outside the instance. */
export function moduleOf(path: string): string | null {
  const [top = '', second = '', third = ''] = path.split('/');
  if (top === 'src') return third === '' ? 'main' : second;
  if (top === 'cards' || top === 'jobs' || top === 'bench') return top;
  if (top !== 'adapters') return null;
  return third === 'page' ? `${top}/${second}/page` : `${top}/${second}`;
}

/** Type-only imports and re-exports too. */
function specifiersOf({ path, text }: Source): string[] {
  const { module, errors } = parseSync(path, text);
  const [error] = errors;
  if (error !== undefined) throw new Error(`${path} cannot be parsed: ${error.message}`);
  const handedOn = module.staticExports
    .flatMap(({ entries }) => entries)
    .flatMap(({ moduleRequest }) => (moduleRequest === null ? [] : [moduleRequest.value]));
  const dynamic = module.dynamicImports
    .map(
      ({ moduleRequest }) =>
        /^(['"`])(.*)\1$/.exec(text.slice(moduleRequest.start, moduleRequest.end))?.[2],
    )
    .filter((name) => name !== undefined);
  return [
    ...module.staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...handedOn,
    ...dynamic,
  ];
}

/** A path from the root, or the name of a package. */
function resolveImport(specifier: string, from: string, aliases: Record<string, string>): string {
  if (specifier.startsWith('.')) return posix.join(posix.dirname(from), specifier);
  for (const [alias, target] of Object.entries(aliases)) {
    const [head = '', tail] = alias.split('*');
    if (tail === undefined ? specifier !== alias : !specifier.startsWith(head)) continue;
    return posix.normalize(target.replace('*', specifier.slice(head.length)));
  }
  return specifier;
}

function judgeSeam({ from, to }: Import): string | null {
  for (const { folder, packages, seam, openers } of seams) {
    if (from.startsWith(folder)) continue;
    if (packages.test(to)) return `${from} imports ${to}, which belongs to ${folder}`;
    const behind = to.startsWith(folder) && !seam.includes(to);
    if (behind && !openers.some((opener) => from.startsWith(opener)))
      return `${from} imports ${to}, which is behind ${seam.join(', ')}`;
  }
  return null;
}

function judge({ from, to }: Import): string | null {
  const module = moduleOf(from);
  if (module === null) return null;
  const crossed = judgeSeam({ from, to });
  if (crossed !== null) return crossed;
  const allowed = modules[module];
  if (allowed === undefined)
    return `${from} stands in no module: add ${module} to tests/codebase/modules.ts`;
  const fence = fenced.find(({ packages }) => packages.test(to));
  if (fence !== undefined && !fence.modules.includes(module))
    return `${from} imports ${to}, which belongs to ${fence.modules.join(', ')}`;
  if (to.startsWith('tests/')) return `${from} imports ${to}, which is only for tests`;
  const target = moduleOf(to);
  if (target === null || target === module || allowed.includes(target)) return null;
  return `${from} (${module}) may not import ${to} (${target})`;
}

const upward = [
  // Steps name operations, and an operation is described by what plans keep of its calls.
  { from: 'src/domain/tool.ts', to: 'src/domain/plan' },
];

/** Null outside the instance. */
function folderOf(path: string): string | null {
  const module = moduleOf(path);
  if (module === null) return null;
  const base =
    module.includes('/') || ['cards', 'jobs', 'bench'].includes(module) ? module : `src/${module}`;
  const [folder = '', file] = path.slice(base.length + 1).split('/');
  return file === undefined ? path : `${base}/${folder}`;
}

function findCircles(imports: Import[]): string[] {
  const next = Map.groupBy(imports, ({ from }) => from);
  const state = new Map<string, 'open' | 'done'>();
  const circles: string[] = [];
  const visit = (file: string, trail: string[]): void => {
    if (state.get(file) === 'done') return;
    if (state.get(file) === 'open') {
      circles.push(
        `imports go in a circle: ${[...trail.slice(trail.indexOf(file)), file].join(' → ')}`,
      );
      return;
    }
    state.set(file, 'open');
    for (const { to } of next.get(file) ?? []) visit(to, [...trail, file]);
    state.set(file, 'done');
  };
  for (const file of next.keys()) visit(file, []);
  return circles;
}

function betweenFolders(imports: Import[]): Import[] {
  return imports.flatMap((one) => {
    const from = folderOf(one.from);
    const to = folderOf(one.to);
    if (from === null || to === null || from === to || moduleOf(one.from) !== moduleOf(one.to))
      return [];
    return upward.some((one) => one.from === from && one.to === to) ? [] : [{ from, to }];
  });
}

export function findViolations(sources: Source[], aliases: Record<string, string>): string[] {
  const imports = sources.flatMap((source) =>
    specifiersOf(source).map((name) => ({
      from: source.path,
      to: resolveImport(name, source.path, aliases),
    })),
  );
  const broken = imports.map(judge).filter((sentence) => sentence !== null);
  return [
    ...new Set([...broken, ...findCircles(imports), ...findCircles(betweenFolders(imports))]),
  ].sort();
}

export function readInstance(root: string): Source[] {
  return ['src', 'adapters', 'cards', 'jobs', 'bench']
    .flatMap((top) => readdirSync(join(root, top), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({
      path: relative(root, path).split(sep).join('/'),
      text: readFileSync(path, 'utf8'),
    }));
}

export function readAliases(root: string): Record<string, string> {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    imports: Record<string, string>;
  };
  return manifest.imports;
}

if (import.meta.main) {
  const root = join(dirname(import.meta.filename), '..', '..');
  const sources = readInstance(root);
  const violations = findViolations(sources, readAliases(root));
  for (const sentence of violations) console.error(sentence);
  console.log(`${sources.length} files looked at, ${violations.length} imports out of place`);
  process.exitCode = violations.length > 0 ? 1 : 0;
}
