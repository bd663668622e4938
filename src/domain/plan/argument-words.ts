// Labels of built-in operations' arguments.

/** More telling than the argument's name. */
const labels: Record<string, string> = {
  after: 'after (path)',
  around: 'lines around each match',
  budget_tokens: 'limit (tokens)',
  duration_minutes: 'duration (minutes)',
  from_line: 'first line',
  max_bytes: 'limit (bytes)',
  recursive: 'with subfolders',
  rrule: 'repeats by the rule',
  timezone: 'time zone',
  totals: 'counted by code',
  words: 'limit (words)',
};

export const nameArgument = (name: string): string =>
  (Object.hasOwn(labels, name) ? labels[name] : undefined) ?? name.replaceAll('_', ' ');
