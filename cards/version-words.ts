// Version changes in words.
import { wordsFor } from '#domain/plan/step-words.ts';
import type { FieldChange, VersionDiff } from '#domain/plan/views.ts';
import { showLine, showWhole } from '#domain/shown-text.ts';
import { countOf, listOf } from '#domain/words.ts';
import { formatDuration, formatTime } from './times.ts';
import { formatCost } from './words.ts';

const maxNames = 5;

function nameSome(operations: string[]): string {
  const shown = operations.slice(0, maxNames).map((name) => showLine(name, 60));
  const hidden = operations.length - shown.length;
  return listOf(hidden > 0 ? [...shown, `${hidden} more`] : shown);
}

const durationOf = (minutes: number | null): string =>
  minutes === null ? 'an unknown time' : formatDuration(minutes * 60_000);

/** Besides steps, a phrase each. @param named as in `formatTime` */
export function describeDeltas(
  diff: VersionDiff,
  now: string,
  timezone: string,
  named = false,
): string[] {
  return [
    ...(diff.operations_added.length > 0 ? [`adds ${nameSome(diff.operations_added)}`] : []),
    ...(diff.operations_removed.length > 0 ? [`drops ${nameSome(diff.operations_removed)}`] : []),
    ...describeOthers(diff, now, timezone, named),
  ];
}

/** Leaves out what listed steps show. */
export function describeOthers(
  diff: VersionDiff,
  now: string,
  timezone: string,
  named = false,
): string[] {
  const { minutes, earliest, cost_usd: cost } = diff;
  const timeOf = (iso: string | null) =>
    iso === null ? 'right away' : formatTime(iso, now, timezone, named);
  const risks = diff.risks_added.length;
  const gone = diff.risks_removed.length;
  return [
    ...(minutes.from !== minutes.to
      ? [`takes ${durationOf(minutes.to)} instead of ${durationOf(minutes.from)}`]
      : []),
    ...(earliest.from !== earliest.to
      ? [`first date ${timeOf(earliest.to)} instead of ${timeOf(earliest.from)}`]
      : []),
    ...(diff.approvers === null ? [] : ['other approvers']),
    ...diff.terms.map(showWhole),
    ...(risks > 0 ? [countOf(risks, 'new risk')] : []),
    ...(gone > 0 ? [`${countOf(gone, 'risk')} fewer`] : []),
    ...(diff.title_changed ? ['new title'] : []),
    ...(formatCost(cost.from) === formatCost(cost.to)
      ? []
      : [`planning cost ${formatCost(cost.to)}, before ${formatCost(cost.from)}`]),
  ];
}

/** `+ 2 steps  − 1 step  ~ 1 changed` */
export function describeCounts({ counts }: VersionDiff): string {
  return [
    ...(counts.added > 0 ? [`+ ${countOf(counts.added, 'step')}`] : []),
    ...(counts.removed > 0 ? [`− ${countOf(counts.removed, 'step')}`] : []),
    ...(counts.changed > 0 ? [`~ ${counts.changed.toLocaleString('en-US')} changed`] : []),
  ].join('  ');
}

/** Arguments keep their name. */
export function nameField(field: string): string {
  const own = field.startsWith('args.') ? field.slice('args.'.length) : undefined;
  return showWhole(own ?? wordsFor(field).name ?? field);
}

/** `target: a.md → b.md` */
function describeField({ field, from, to }: FieldChange, now: string, timezone: string): string {
  const shown = (value: string | null) => {
    if (value === null || value === '') return '(nothing)';
    return field === 'not_before' ? formatTime(value, now, timezone) : showWhole(value);
  };
  return `${nameField(field)}: ${shown(from)} → ${shown(to)}`;
}

/** Target or description that only echoes an argument. */
function withoutEchoes(changes: FieldChange[]): FieldChange[] {
  const args = changes.filter(({ field }) => field.startsWith('args.'));
  const isEcho = ({ field, from, to }: FieldChange) =>
    (field === 'target' || field === 'description') &&
    args.some((arg) => arg.from && arg.to && from?.replaceAll(arg.from, arg.to) === to);
  return changes.filter((one) => !isEcho(one));
}

const maxShort = 60;
const maxFields = 2;

/** `09:00 → 10:00`, `content: "A" → "B", to: b.md → c.md and 1 more field` */
export function summariseFields(
  {
    changes,
    changes_total: total,
  }: Pick<VersionDiff['changed'][number], 'changes' | 'changes_total'>,
  now: string,
  timezone: string,
): string {
  const short = (value: string | null) => (value === null ? null : showLine(value, maxShort));
  const listed = withoutEchoes(changes);
  const lines = listed.slice(0, maxFields).map(({ field, from, to }) => {
    const isTime = field === 'not_before';
    const words = describeField(
      { field, from: isTime ? from : short(from), to: isTime ? to : short(to) },
      now,
      timezone,
    );
    if (isTime && from !== null && to !== null) {
      const [before, after] = [formatTime(from, now, timezone), formatTime(to, now, timezone)];
      const day = before.slice(0, before.lastIndexOf(', ') + 2);
      // A common day is named once.
      const until = after.startsWith(day) ? after.slice(day.length) : after;
      return `${listed.length === 1 ? '' : 'not before: '}${before} → ${until}`;
    }
    return isTime && listed.length === 1 ? words.replace(/^[^:]*: /, '') : words;
  });
  const hidden = total - changes.length + listed.length - lines.length;
  return listOf(hidden > 0 ? [...lines, countOf(hidden, 'more field')] : lines);
}

export function describeFields(
  {
    changes,
    changes_total: total,
  }: Pick<VersionDiff['changed'][number], 'changes' | 'changes_total'>,
  now: string,
  timezone: string,
): string[] {
  const hidden = total - changes.length;
  return [
    ...withoutEchoes(changes).map((change) => describeField(change, now, timezone)),
    ...(hidden === 0 ? [] : [`and ${countOf(hidden, 'more field')}`]),
  ];
}

/** `The first 100 of 2,000 added steps are listed.` */
export function describeCut(diff: VersionDiff): string[] {
  return (['added', 'removed', 'changed'] as const).flatMap((kind) => {
    const [listed, all] = [diff[kind].length, diff.counts[kind]];
    return listed < all
      ? [`The first ${listed} of ${all.toLocaleString('en-US')} ${kind} steps are listed.`]
      : [];
  });
}
