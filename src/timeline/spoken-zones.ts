// Zones after a time: "18:00 CET", "14:00 Berlin", "9:00 (UTC+2)".
import { Temporal } from 'temporal-polyfill';

const regions: Record<string, string> = {
  UTC: 'utc gmt z',
  'Europe/Berlin': 'cet cest met mez mesz',
  'Europe/London': 'bst uk british',
  'Europe/Helsinki': 'eet eest',
  'Europe/Lisbon': 'wet west',
  'Europe/Moscow': 'msk',
  'America/New_York': 'et est edt eastern',
  'America/Chicago': 'ct cst cdt central',
  'America/Denver': 'mt mst mdt mountain',
  'America/Los_Angeles': 'pt pst pdt pacific',
  'America/Anchorage': 'akst akdt',
  'Pacific/Honolulu': 'hst',
  'Asia/Tokyo': 'jst',
  'Asia/Seoul': 'kst',
  'Asia/Singapore': 'sgt',
  'Asia/Hong_Kong': 'hkt',
  'Australia/Sydney': 'aest aedt',
  'Pacific/Auckland': 'nzst nzdt',
};
const byWord = new Map(
  Object.entries(regions).flatMap(([zone, words]) => words.split(' ').map((word) => [word, zone])),
);
/** Last part of an IANA name. */
const byCity = new Map(
  Intl.supportedValuesOf('timeZone').map((zone) => [
    (zone.split('/').at(-1) ?? zone).replaceAll('_', ' ').toLowerCase(),
    zone,
  ]),
);

const named =
  /\(?(?:(?:UTC|GMT)\s*(?<offset>[+−-]\s*\d{1,2}(?::?\d{2})?)|(?<iana>[A-Z][A-Za-z]+(?:\/[A-Za-z_+-]+){1,2})|(?:US\s+)?(?<region>eastern|central|mountain|pacific)(?:\s+(?:standard|daylight))?(?:\s+time)?|(?<place>\p{L}+(?:[ _]\p{L}+)?)\s+time|(?<short>[A-Z]{2,5}|cet|cest|utc|gmt|est|edt|pst|pdt|bst|cst|jst|ist))\)?(?![\p{L}\p{N}/])/iuy;
const own = /^(?:local|my|our|your|this)$/i;

type SpokenZone = { zone: string | null; end: number };

/** The zone is null if ambiguous or unknown. @returns null without a zone */
export function readZone(text: string, at: number, ownZone: string): SpokenZone | null {
  named.lastIndex = at;
  const match = named.exec(text);
  if (match === null) return readCity(text, at);
  const end = at + match[0].length;
  const { offset, iana, region, place, short } = match.groups ?? {};
  if (offset !== undefined) {
    const [, sign, hours = '', minutes = '00'] = /([+−-])\s*(\d{1,2}):?(\d{2})?/.exec(offset) ?? [];
    return { zone: check(`${sign === '+' ? '+' : '-'}${hours.padStart(2, '0')}:${minutes}`), end };
  }
  if (iana !== undefined) return { zone: check(iana), end };
  if (region !== undefined) return { zone: byWord.get(region.toLowerCase()) ?? null, end };
  if (place !== undefined) {
    const words = place.toLowerCase().replaceAll('_', ' ');
    if (own.test(words)) return { zone: ownZone, end };
    return { zone: byCity.get(words) ?? byWord.get(words) ?? null, end };
  }
  // Other words may be in capitals too.
  const known = byWord.get((short ?? '').toLowerCase());
  const shouted = /^(?:[A-Z]{1,3}T|[A-Z]{2,3}[SD]T)$/.test(short ?? '') || short === 'ist';
  return known !== undefined || shouted ? { zone: known ?? null, end } : readCity(text, at);
}

const capitalised = /\p{Lu}\p{L}+(?: \p{Lu}\p{L}+)?(?![\p{L}\p{N}/])/uy;

function readCity(text: string, at: number): SpokenZone | null {
  capitalised.lastIndex = at;
  const [both = ''] = capitalised.exec(text) ?? [];
  for (const words of [both, both.split(' ', 1)[0] ?? '']) {
    const zone = byCity.get(words.toLowerCase());
    if (zone !== undefined) return { zone, end: at + words.length };
  }
  return null;
}

function check(name: string): string | null {
  try {
    return Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name).timeZoneId;
  } catch {
    return null; // Temporal throws for unknown names
  }
}
