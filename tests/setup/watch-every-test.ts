// No test may hold the event loop, unless it says why it may. Read again for each file, and the watch itself once.
import { afterEach, beforeEach } from 'vitest';
import { endWatch, startWatch } from './watch-loop.ts';

beforeEach(startWatch);
afterEach(() => endWatch());
