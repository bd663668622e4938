// Preload that halves the time to resolve imports.
import { resolveQuickly } from '#app/quick-resolve.ts';

resolveQuickly();
