// A shortcut through Node's module resolution. For every file of a package Node reads that package's manifest again, and
// parses all of its `exports` each time; drizzle-orm has a hundred files and 180 kB of manifest, which cost a start
// a second of processor time and left 170 MB of garbage. Its relative imports need none of it.
import { registerHooks } from 'node:module';

const own = /\/node_modules\/drizzle-orm\/.*\.js$/;

/** Resolves relative imports inside drizzle-orm by their path alone. Call it before the package is imported. */
export function resolveQuickly(): void {
  registerHooks({
    resolve(specifier, context, next) {
      const { parentURL } = context;
      if (parentURL === undefined || !specifier.startsWith('.') || !own.test(parentURL)) {
        return next(specifier, context);
      }
      return { url: new URL(specifier, parentURL).href, format: 'module', shortCircuit: true };
    },
  });
}
