// A press on any card of ours: a plan's or a planning session's.
import { z } from 'zod';
import { SessionPress } from '../planning/session-card.ts';
import { CardPress } from './card.ts';

export const AnyPress = z.union([CardPress, SessionPress]);
export type AnyPress = z.infer<typeof AnyPress>;
