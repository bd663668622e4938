// Time zones as people say them behind a time of day: "18:00 CET", "9 PM Eastern", "14:00 Berlin time", "9:00
// America/New_York". Abbreviations mean the local time of their region, in summer and in winter.
import { Temporal } from 'temporal-polyfill';

export type SaidZone = {
  /** IANA name or an offset; null: it means several zones, or none that is known. */
  zone: string | null;
  /** Where its words stand, with the blank before them. */
  index: number;
  length: number;
  /** The time of day and the zone, as they were said. */
  words: string;
};

const regions: Record<string, string[]> = {
  UTC: ['utc', 'gmt', 'z'],
  'Europe/Berlin': ['cet', 'cest', 'met', 'mez', 'mesz', 'central european'],
  'Europe/London': ['bst', 'uk', 'british'],
  'Europe/Helsinki': ['eet', 'eest', 'eastern european'],
  'Europe/Lisbon': ['wet', 'west', 'western european'],
  'Europe/Moscow': ['msk'],
  'America/New_York': ['et', 'est', 'edt', 'eastern', 'us eastern', 'boston', 'washington'],
  'America/Chicago': ['ct', 'cst', 'cdt', 'central', 'us central'],
  'America/Denver': ['mt', 'mst', 'mdt', 'mountain', 'us mountain'],
  'America/Los_Angeles': ['pt', 'pst', 'pdt', 'pacific', 'us pacific', 'san francisco', 'seattle'],
  'America/Anchorage': ['akst', 'akdt'],
  'Pacific/Honolulu': ['hst'],
  'Asia/Tokyo': ['jst'],
  'Asia/Seoul': ['kst'],
  'Asia/Singapore': ['sgt'],
  'Asia/Hong_Kong': ['hkt'],
  'Asia/Kolkata': ['mumbai', 'delhi', 'bangalore', 'indian'],
  'Australia/Sydney': ['aest', 'aedt'],
  'Pacific/Auckland': ['nzst', 'nzdt'],
};
const byWords = new Map(
  Object.entries(regions).flatMap(([zone, words]) => words.map((word) => [word, zone] as const)),
);
/** The last part of an IANA name is a city. */
const byCity = new Map(
  Intl.supportedValuesOf('timeZone').map((zone) => [
    (zone.split('/').at(-1) ?? zone).replaceAll('_', ' ').toLowerCase(),
    zone,
  ]),
);

const clock = String.raw`(?:\d{1,2}(?:[:.h]\d{2})?(?:\s*[aApP]\.?[mM]\b\.?)?|noon|midday|midnight)(?:\s*o['’]?clock)?`;
const iana = String.raw`[A-Z][A-Za-z]+(?:\/[A-Za-z_+-]+){1,2}`;
const offset = String.raw`(?:UTC|GMT)\s*[+−-]\s*\d{1,2}(?::?\d{2})?|[+−]\d{2}:?\d{2}`;
const region = String.raw`(?:US\s+)?(?:[Ee]astern|[Cc]entral|[Mm]ountain|[Pp]acific)(?:\s+[Ee]uropean)?(?:\s+(?:[Ss]tandard|[Dd]aylight))?(?:\s+[Tt]ime)?`;
const place = String.raw`\p{L}+(?:[ _]\p{L}+)?\s+time`;
const short = `(?:[A-Z]{1,3}T|[A-Z]{2}ST|[A-Z]{2}DT|CEST|EEST|WEST|UTC|GMT|MSK|MEZ|MESZ|Z|(?:cet|cest|utc|gmt|est|edt|pst|pdt|bst|cst|jst|ist))`;
const said = new RegExp(
  String.raw`(?<![\p{L}\p{N}.:])(${clock})(\s*,?\s*\(?(${offset}|${iana}|${region}|${place}|${short})\)?)(?![\p{L}\p{N}/])`,
  'gu',
);
/** "9 o'clock this time", "18:00 local time": no zone of its own. */
const own =
  /^(?:local|my|our|your|their|same|this|that|the|some|any|each|every|lunch|tea|closing|last|first|next|one|a)\b/i;

function zoneOf(words: string): string | null {
  const text = words.replaceAll(/\s+/g, ' ').trim();
  const shift = /^(?:UTC|GMT)?\s*([+−-])\s*(\d{1,2}):?(\d{2})?$/i.exec(text);
  if (shift !== null) {
    const sign = shift[1] === '+' ? '+' : '-';
    return readZone(`${sign}${shift[2]?.padStart(2, '0')}:${shift[3] ?? '00'}`);
  }
  if (text.includes('/')) return readZone(text);
  const bare = text
    .toLowerCase()
    .replaceAll('_', ' ')
    .replace(/\s+time$/, '')
    .replace(/\s+(?:standard|daylight)$/, '');
  return byWords.get(bare) ?? byCity.get(bare) ?? null;
}

/** null: there is no such zone. */
function readZone(name: string): string | null {
  try {
    return Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name).timeZoneId;
  } catch {
    return null; // Temporal throws for names it does not know
  }
}

/** The zones that stand behind times of day in `text`. */
export function findZones(text: string): SaidZone[] {
  return [...text.matchAll(said)].flatMap((match): SaidZone[] => {
    const [whole, time = '', tail = '', words = ''] = match;
    if (own.test(words)) return [];
    // "at 5 Chicago" says a place, "at 5 central" may be anything: only a plain time of day takes a bare word.
    if (/^\d{1,2}$/.test(time) && /^(?:[+−-]|Z$)/.test(words)) return [];
    return [
      {
        zone: zoneOf(words),
        index: match.index + time.length,
        length: tail.length,
        words: whole,
      },
    ];
  });
}

/** Whether both have the same time of day all year. */
export function isSameZone(zone: string, other: string, now: Date): boolean {
  return [0, 91, 182, 273].every((days) => {
    const at = Temporal.Instant.fromEpochMilliseconds(now.getTime() + days * 86_400_000);
    const [a, b] = [at.toZonedDateTimeISO(zone), at.toZonedDateTimeISO(other)];
    return a.offsetNanoseconds === b.offsetNanoseconds;
  });
}
