// Loaded before whatever else a process of the tests loads: it resolves imports as a start of the program does, which more
// than halves what they cost.
import { resolveQuickly } from '#app/quick-resolve.ts';

resolveQuickly();
