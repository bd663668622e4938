// Preload that resolves imports as the program does, in half the time.
import { resolveQuickly } from '#app/quick-resolve.ts';

resolveQuickly();
