// Files the console's page may load, by address.
import { readdirSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname, extname, join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');
const page = join(import.meta.dirname, 'page');
/** `.js` in the built package. */
const ending = extname(import.meta.filename);

export const entry = `/console/page/main${ending}`;

export const docsSearch = `/console/page/docs-search${ending}`;

/** `ours`: types and comments get stripped. */
export type Asset = { file: string; type: string; ours: boolean };

/** Published libraries: a package and a path in it. */
const libraries: Record<string, string> = {
  '/console/lib/adaptivecards.js': 'adaptivecards/dist/adaptivecards.min.js',
  '/console/lib/adaptivecards.css': 'adaptivecards/dist/adaptivecards.css',
  '/console/lib/diff/diff/base.js': 'diff/libesm/diff/base.js',
  '/console/lib/diff/diff/word.js': 'diff/libesm/diff/word.js',
  '/console/lib/diff/util/string.js': 'diff/libesm/util/string.js',
  '/console/lib/elk-api.js': 'elkjs/lib/elk-api.js',
  '/console/lib/elk-worker.js': 'elkjs/lib/elk-worker.min.js',
  '/console/lib/eventsource-parser.js': 'eventsource-parser/dist/index.js',
  '/console/lib/lit-html/lit-html.js': 'lit-html/lit-html.js',
  '/console/lib/lit-html/directive.js': 'lit-html/directive.js',
  '/console/lib/lit-html/directive-helpers.js': 'lit-html/directive-helpers.js',
  '/console/lib/lit-html/directives/repeat.js': 'lit-html/directives/repeat.js',
};

/** Shared with the server; at run time they import only each other. */
const shared = [
  'cards/activity-words.ts',
  'cards/build-words.ts',
  'cards/calls.ts',
  'cards/dry-run.ts',
  'cards/evidence.ts',
  'cards/finding-words.ts',
  'cards/host-config.ts',
  'cards/input-ids.ts',
  'cards/memory-words.ts',
  'cards/plain.ts',
  'cards/policy-words.ts',
  'cards/recurring-words.ts',
  'cards/times.ts',
  'cards/trace-view.ts',
  'cards/trace-words.ts',
  'cards/version-words.ts',
  'cards/words.ts',
  'domain/chat/post-target.ts',
  'domain/coalesce.ts',
  'domain/exact-json.ts',
  'domain/length.ts',
  'domain/model-apis.ts',
  'domain/people/memory-note.ts',
  'domain/plan/answer.ts',
  'domain/plan/argument-kinds.ts',
  'domain/plan/argument-words.ts',
  'domain/plan/build.ts',
  'domain/plan/edge-ends.ts',
  'domain/plan/expected-step.ts',
  'domain/plan/form-entries.ts',
  'domain/plan/merge.ts',
  'domain/plan/operation-form.ts',
  'domain/plan/review-rank.ts',
  'domain/plan/step-edit.ts',
  'domain/plan/step-numbers.ts',
  'domain/plan/step-words.ts',
  'domain/plan/templates.ts',
  'domain/plan/call-words.ts',
  'domain/plan/condition-words.ts',
  'domain/same-json.ts',
  'domain/shown-text.ts',
  'domain/words.ts',
];

/** Import map of bare specifiers. */
export const importMap = {
  imports: {
    'diff/lib/': '/console/lib/diff/',
    'eventsource-parser': '/console/lib/eventsource-parser.js',
    'lit-html': '/console/lib/lit-html/lit-html.js',
    'lit-html/directives/repeat.js': '/console/lib/lit-html/directives/repeat.js',
    '#cards/': '/console/shared/cards/',
    '#domain/': '/console/shared/domain/',
  },
};

const types: Record<string, string> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
  ts: 'text/javascript; charset=utf-8',
};

function describeAsset(file: string, library: boolean): Asset | null {
  const extension = extname(file).slice(1);
  const type = types[extension];
  if (type === undefined || file.endsWith('.d.ts')) return null;
  return { file, type, ours: !library && /^[jt]s$/.test(extension) };
}

/** Packages may be siblings or nested. @throws Error if one is missing */
export function locateLibrary(path: string): string {
  const [name = '', ...rest] = path.split('/');
  const manifest = findPackageJSON(name, import.meta.url);
  if (manifest === undefined) throw new Error(`the package ${name} is not installed`);
  return join(dirname(manifest), ...rest);
}

function listPageFiles(): string[] {
  return readdirSync(page, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

export function listAssets(): Map<string, Asset> {
  const assets = new Map<string, Asset>();
  const add = (address: string, file: string, library = false) => {
    const asset = describeAsset(file, library);
    if (asset !== null) assets.set(address, asset);
  };
  for (const [address, path] of Object.entries(libraries)) {
    add(address, locateLibrary(path), true);
  }
  for (const source of shared) {
    const path = source.replace(/\.ts$/, ending);
    const file = path.startsWith('domain/') ? join('src', path) : path;
    add(`/console/shared/${path}`, join(root, file));
  }
  for (const file of listPageFiles()) {
    add(`/console/page/${file.slice(page.length + 1).replaceAll('\\', '/')}`, file);
  }
  return assets;
}

export const pageFile = join(page, 'index.html');
