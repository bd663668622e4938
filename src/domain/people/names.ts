// Names of people: as plans write them ("Ben", "@ben"), as they are compared ("ben"), and as readers see them.

/** Lower-cases A to Z only, so that no two letters become one. */
export function lowerAscii(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** Account IDs: `slack:T1:U1`, `corp:SUBJECT`. Group names aren't accounts. */
const accountId = /^(?!group:)[a-z][a-z0-9-]*:[\s\S]/;

/**
 * The key that people are compared by. Account IDs exactly; addresses and typed names without case of A to Z, a leading `@`, and
 * surrounding blanks.
 */
export function personKey(name: string): string {
  if (isAccountId(name)) return name;
  // Trims ASCII blanks only.
  const [written = ''] = /[^\t\n\r ](?:[\s\S]*[^\t\n\r ])?/.exec(name) ?? [];
  const plain = written.replace(/^@/, '');
  const lower = lowerAscii(plain);
  return isAccountId(lower) ? plain : lower;
}

export function isSamePerson(a: string, b: string): boolean {
  return a === b || personKey(a) === personKey(b);
}

/** A verified address as stored, or null if it is none or looks like an account ID. */
export function readAddress(text: string): string | null {
  return /^[^@\s:]+@[^@\s:]+$/.test(text) && text.length <= 200 ? lowerAscii(text) : null;
}

/** A name as it reads, in any code points. Not for decisions. */
const readingOf = (name: string): string =>
  name.normalize('NFKC').trim().replace(/^@/, '').toLowerCase();

export function isAccountId(name: string): boolean {
  return accountId.test(name);
}

/** Whether a name must be proven by a chat platform or sign-in, because it reads like an address or account ID. */
export function needsPlatform(name: string): boolean {
  const plain = readingOf(name);
  return plain.includes('@') || /^(?!group:)[a-z][a-z0-9-]*:\S/.test(plain.trim());
}

/** A name, its person, and the chat display name or null. `shared`: another person has the same one. */
export type Called = { name: string; person: string; called: string | null; shared: boolean };

/** A name as it reads, without style and invisible characters. */
export function foldName(name: string): string {
  const plain = readingOf(name.normalize('NFKC').replace(/\p{Default_Ignorable_Code_Point}/gu, ''));
  // Many signs and blanks look alike (- and ‐, ' and ’, Braille blank).
  return plain.replace(/[^\p{L}\p{N}\p{M}\p{Extended_Pictographic}]/gu, '') || plain;
}

/** Words that mean no one in particular when used as a name. */
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

/** Maximum characters of an ambiguous name, so that the account after it isn't cut off. */
const maxQualified = 30;

function qualifyName(displayName: string, name: string): string {
  const letters = [...displayName];
  const kept = letters.slice(0, maxQualified).join('').trimEnd();
  return `${letters.length > maxQualified ? `${kept}…` : displayName} (${name})`;
}

/** Display names for readers. If two are alike, or one equals another's known name, the identifying name is added. */
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
      // A name that could read as several people, as a name with an account, or as part of the sentence needs the account too.
      const whole = !/[\p{Ps}\p{Pe},;:·“”"]|\b(?:and|or|by|but)\b/iu.test(called.normalize('NFKC'));
      const alone = whole && !shared && !words.has(folded) && claims.get(folded)?.size === 1;
      return [[name, alone ? called : qualifyName(called, name)] as const];
    }),
  );
}
