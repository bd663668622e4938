// Locates the viewer of the API reference.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { locateLibrary } from '../assets.ts';

/** The published package has the built file only. */
export const builtViewer = 'adapters/console/docs/viewer.min.js';
const built = join(import.meta.dirname, 'viewer.min.js');

/** @throws Error if its package is missing */
export function locateViewer(): string {
  if (existsSync(built)) return built;
  return locateLibrary('openapi-explorer/dist/browser/openapi-explorer.min.js');
}
