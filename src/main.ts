#!/usr/bin/env node
// The entry. Compiled code is kept between starts, which saves a command of the terminal about a third of its start.
import { enableCompileCache } from 'node:module';
import { resolveQuickly } from './quick-resolve.ts';
import { keepHeapSmall } from './small-heap.ts';

if (process.argv[2] === 'worker') keepHeapSmall(import.meta.url);
enableCompileCache();
resolveQuickly();
await import('./commands.ts');
