// Instance-wide settings that the workers should agree on.
import { isDeepStrictEqual } from 'node:util';
import { type SharedSettings, sharedSettings } from '#domain/settings.ts';

export function findDifferences(
  own: SharedSettings,
  others: readonly { id: string; shared: SharedSettings }[],
): string[] {
  return sharedSettings.flatMap((name) => {
    // Compared as stored in JSON.
    const here: unknown = JSON.parse(JSON.stringify(own[name]));
    const other = others.find(({ shared }) => !isDeepStrictEqual(shared[name], here));
    if (other === undefined) return [];
    return [
      `The worker ${other.id} has other "${name}" in its settings file. Give every process the same.`,
    ];
  });
}
