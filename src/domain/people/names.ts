// Names as written ("@Ben"), compared ("ben") and shown.

/** A to Z only, so that no two letters merge. */
export function lowerAscii(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** `slack:T1:U1`, `corp:SUBJECT`; not groups. */
const accountId = /^(?!group:)[a-z][a-z0-9-]*:[\s\S]/;

/** Account IDs exactly; others without A–Z case, a leading `@` and surrounding blanks. */
export function personKey(name: string): string {
  if (isAccountId(name)) return name;
  const [written = ''] = /[^\t\n\r ](?:[\s\S]*[^\t\n\r ])?/.exec(name) ?? [];
  const plain = written.replace(/^@/, '');
  const lower = lowerAscii(plain);
  return isAccountId(lower) ? plain : lower;
}

export function isSamePerson(a: string, b: string): boolean {
  return a === b || personKey(a) === personKey(b);
}

/** Null if no address or like an account ID. */
export function readAddress(text: string): string | null {
  return /^[^@\s:]+@[^@\s:]+$/.test(text) && text.length <= 200 ? lowerAscii(text) : null;
}

/** As it looks. Not for decisions. */
const readingOf = (name: string): string =>
  name.normalize('NFKC').trim().replace(/^@/, '').toLowerCase();

export function isAccountId(name: string): boolean {
  return accountId.test(name);
}

/** It looks like an address or account ID, so a sign-in must prove it. */
export function needsPlatform(name: string): boolean {
  const plain = readingOf(name);
  return plain.includes('@') || /^(?!group:)[a-z][a-z0-9-]*:\S/.test(plain.trim());
}

/** `called`: display name; `shared`: someone else's too. */
export type Called = { name: string; person: string; called: string | null; shared: boolean };

/** Without style and invisible characters. */
export function foldName(name: string): string {
  const plain = readingOf(name.normalize('NFKC').replace(/\p{Default_Ignorable_Code_Point}/gu, ''));
  // Many signs and blanks look alike (- and ‐, ' and ’, Braille blank).
  return plain.replace(/[^\p{L}\p{N}\p{M}\p{Extended_Pictographic}]/gu, '') || plain;
}

const words = new Set([
  ...[
    'you',
    'i',
    'me',
    'anyone',
    'anybody',
    'everyone',
    'everybody',
    'someone',
    'somebody',
    'nobody',
  ],
  ...[
    'a person',
    'a decision',
    'the system',
    'system',
    'countersign',
    'the planner',
    'someone in this conversation',
    'a configured approver',
  ].map(foldName),
]);

/** Keeps the account after it uncut. */
const maxQualified = 30;

function qualifyName(displayName: string, name: string): string {
  const letters = [...displayName];
  const kept = letters.slice(0, maxQualified).join('').trimEnd();
  return `${letters.length > maxQualified ? `${kept}…` : displayName} (${name})`;
}

/** Alike names get the identifying one too. */
export function chooseShown(people: Called[]): Map<string, string> {
  const claims = new Map<string, Set<string>>();
  const claim = (text: string, person: string) => {
    const folded = foldName(text);
    claims.set(folded, (claims.get(folded) ?? new Set()).add(person));
  };
  for (const { name, person, called } of people) {
    claim(name, person);
    if (called !== null) claim(called, person);
  }
  return new Map(
    people.flatMap(({ name, called, shared }) => {
      if (called === null || called === name) return [];
      const folded = foldName(called);
      // Needs the account if it reads as several people, an account or part of the sentence.
      const whole = !/[\p{Ps}\p{Pe},;:·“”"]|\b(?:and|or|by|but)\b/iu.test(called.normalize('NFKC'));
      const alone = whole && !shared && !words.has(folded) && claims.get(folded)?.size === 1;
      return [[name, alone ? called : qualifyName(called, name)] as const];
    }),
  );
}
