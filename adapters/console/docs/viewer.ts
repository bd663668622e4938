// Locates the viewer of the API reference: one file of a package that is used for nothing else.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { locateLibrary } from '../assets.ts';

/** Where the build puts it, from the root. The published package does not depend on the viewer's source. */
export const builtViewer = 'adapters/console/docs/viewer.min.js';
const built = join(import.meta.dirname, 'viewer.min.js');

/** @throws Error if its package is not installed */
export function locateViewer(): string {
  if (existsSync(built)) return built;
  return locateLibrary('openapi-explorer/dist/browser/openapi-explorer.min.js');
}
