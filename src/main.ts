#!/usr/bin/env node
// The entry. Compiled code is kept between starts, which saves a command of the terminal about a third of its start.
import { enableCompileCache } from 'node:module';
import { beginWithFlags } from './app/heap-flags.ts';
import { resolveQuickly } from './app/quick-resolve.ts';

beginWithFlags(process.argv[2], import.meta.url);
enableCompileCache();
resolveQuickly();
(await import('./app/commands.ts')).runCommandLine();
