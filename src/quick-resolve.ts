// A shortcut through Node's module resolution, which makes a start 0.8 s shorter (2.2 s instead of 3.0 s). For every import Node looks for the manifest around the file again, and
// parses all of its `imports` or `exports` each time; a start has three thousand imports, and drizzle-orm alone has 180 kB of
// manifest. Nothing is guessed here: Node is asked first, once for each folder and each package, and what it said is said
// again.
import { registerHooks } from 'node:module';
import manifest from '../package.json' with { type: 'json' };

type Hook = NonNullable<Parameters<typeof registerHooks>[0]['resolve']>;
type Resolved = ReturnType<Hook>;

const root = new URL('../', import.meta.url).href;
/** A file by its path alone, of a kind whose format is decided by its folder. */
const plainFile = /^\.{1,2}\/[^?#%\\]*\.(?:js|ts)$/;

/** `#store/plans.ts` → its address, as package.json says; null when it does not say so plainly. */
function createAliases(imports: Record<string, string>): (specifier: string) => string | null {
  const folders = new Map<string, string>();
  for (const [alias, target] of Object.entries(imports)) {
    if (alias.endsWith('/*') && target.endsWith('/*'))
      folders.set(alias.slice(0, -1), new URL(target.slice(0, -1), root).href);
  }
  return (specifier) => {
    const end = specifier.indexOf('/') + 1;
    const folder = folders.get(specifier.slice(0, end));
    const rest = `./${specifier.slice(end)}`;
    return folder !== undefined && plainFile.test(rest) ? new URL(rest, folder).href : null;
  };
}

/** The hook; it remembers what Node has answered. Symbolic links among the files of one package are the only thing it would miss. */
export function createQuickResolver(): Hook {
  const findAlias = createAliases(manifest.imports);
  /** Formats of files by folder and ending, where they are ES modules. */
  const formats = new Map<string, string>();
  /** Answers to names of packages, asked for by files of this one. */
  const packages = new Map<string, Resolved>();

  return (specifier, context, next) => {
    const { parentURL, conditions, importAttributes } = context;
    const usual =
      parentURL?.startsWith('file:') === true &&
      conditions.includes('import') &&
      Object.keys(importAttributes).length === 0;
    if (!usual) return next(specifier, context);
    const own =
      parentURL.startsWith(root) && !parentURL.includes('/node_modules/', root.length - 1);

    if (!specifier.startsWith('.') && !specifier.startsWith('#')) {
      const known = own ? packages.get(specifier) : undefined;
      if (known !== undefined) return { ...known, shortCircuit: true };
      const found = next(specifier, context);
      if (own) packages.set(specifier, found);
      return found;
    }

    const url = specifier.startsWith('#')
      ? own
        ? findAlias(specifier)
        : null
      : plainFile.test(specifier)
        ? new URL(specifier, parentURL).href
        : null;
    if (url === null) return next(specifier, context);
    const kind = url.slice(0, url.lastIndexOf('/')) + url.slice(-3);
    const format = formats.get(kind);
    if (format !== undefined) return { url, format, shortCircuit: true };
    const found = next(specifier, context);
    if (found.url === url && (found.format === 'module' || found.format === 'module-typescript'))
      formats.set(kind, found.format);
    return found;
  };
}

/** Begins to resolve so. Call it before anything else is imported. */
export function resolveQuickly(): void {
  registerHooks({ resolve: createQuickResolver() });
}
