// One line of the report.

export type Unit = 'steps/s' | 'rows/s' | 'ms' | 's' | 'MB' | 'B' | '%';

export type BenchRow = {
  name: string;
  what: string;
  unit: Unit;
  /** If null, `note` says why. */
  value: number | null;
  /** The baseline, from the same run and in the same unit. */
  compared_with?: string;
  baseline?: number;
  /** `value` / `baseline` */
  ratio?: number;
  /** For the ratio if there is a baseline, else the value. */
  reach: number | null;
  stretch: number | null;
  reached: boolean | null;
  stretch_reached: boolean | null;
  /** Next to a percentile. */
  p50?: number;
  note?: string;
};

type Measured = {
  name: string;
  what: string;
  unit: Unit;
  value: number | null;
  /** If null, `note` says why. */
  compared?: { with: string; value: number } | null;
  target?: { reach: number; stretch: number };
  p50?: number;
  note?: string;
};

const digits = 3;

function round(value: number): number {
  return Number(value.toFixed(digits));
}

/** Rates should be high, times and memory low. */
function reaches(unit: Unit, measured: number, target: number): boolean {
  return unit.endsWith('/s') ? measured >= target : measured <= target;
}

export function makeRow({ compared, target, value, p50, note, ...rest }: Measured): BenchRow {
  const rounded = value === null ? null : round(value);
  const baseline = compared === undefined || compared === null ? null : round(compared.value);
  const ratio = rounded === null || baseline === null ? null : rounded / baseline;
  const judged = compared === undefined ? rounded : ratio;
  const judge = (bound: number | null) =>
    judged === null || bound === null ? null : reaches(rest.unit, judged, bound);
  const { reach, stretch } = target ?? { reach: null, stretch: null };
  return {
    ...rest,
    value: rounded,
    ...(compared === undefined || compared === null ? {} : { compared_with: compared.with }),
    ...(baseline === null ? {} : { baseline }),
    ...(ratio === null ? {} : { ratio }),
    reach,
    stretch,
    reached: judge(reach),
    stretch_reached: judge(stretch),
    ...(p50 === undefined ? {} : { p50: round(p50) }),
    ...(note === undefined ? {} : { note }),
  };
}
