// Fails tests that hold the event loop without a reason. Loaded for each file; the watch itself once.
import { afterEach, beforeEach } from 'vitest';
import { endWatch, startWatch } from './watch-loop.ts';

beforeEach(startWatch);
afterEach(() => endWatch());
