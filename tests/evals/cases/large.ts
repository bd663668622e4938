// x
import type { EvalCase } from '../case.ts';

export const large: EvalCase[] = [];
