// x
import type { EvalCase } from '../case.ts';

export const manyTools: EvalCase[] = [];
