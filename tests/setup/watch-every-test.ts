// Fails tests that hold the event loop without a reason.
import { afterEach, beforeEach } from 'vitest';
import { endWatch, startWatch } from './watch-loop.ts';

beforeEach(startWatch);
afterEach(() => endWatch());
