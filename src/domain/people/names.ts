// Names of people: as plans write them ("Ben", "@ben"), as they are compared ("ben"), and as readers see them.

/** A to Z in lower case; every other character as it is, so that no two letters become one. */
export function lowerAscii(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** An account as its chat platform or sign-in provider names it: `slack:T1:U1`, `corp:SUBJECT`. A group's name is nobody's account. */
const accountId = /^(?!group:)[a-z][a-z0-9-]*:[\s\S]/;

/**
 * What people are compared by, everywhere: ids of accounts byte for byte, addresses and typed names but for the case of A to Z, a
 * leading `@` and blanks around them. Everything else is another person.
 */
export function personKey(name: string): string {
  if (isAccountId(name)) return name;
  // From the first character that is no blank to the last.
  const [written = ''] = /[^\t\n\r ](?:[\s\S]*[^\t\n\r ])?/.exec(name) ?? [];
  const plain = written.replace(/^@/, '');
  const lower = lowerAscii(plain);
  return isAccountId(lower) ? plain : lower;
}

/** Whether both names mean the same person. */
export function isSamePerson(a: string, b: string): boolean {
  return a === b || personKey(a) === personKey(b);
}

/** A verified address as it is stored; null: it is none, or reads as the id of an account. */
export function readAddress(said: string): string | null {
  return /^[^@\s:]+@[^@\s:]+$/.test(said) && said.length <= 200 ? lowerAscii(said) : null;
}

/** A name as it reads, in any code points. Decides nothing. */
const readingOf = (name: string): string =>
  name.normalize('NFKC').trim().replace(/^@/, '').toLowerCase();

/** Whether a name is the id of an account, as it is stored. */
export function isAccountId(name: string): boolean {
  return accountId.test(name);
}

/**
 * Whether only a chat platform or a sign-in can say that somebody is this one, however it is written: what looks like an address or
 * the id of an account once it is read as names are compared.
 */
export function needsPlatform(name: string): boolean {
  const plain = readingOf(name);
  return plain.includes('@') || /^(?!group:)[a-z][a-z0-9-]*:\S/.test(plain.trim());
}

/**
 * A name that stands somewhere, the person it stands for, and what a chat platform calls them; `called` null: it has not said.
 * `shared`: somebody else, wherever they are, is called the same.
 */
export type Called = { name: string; person: string; called: string | null; shared: boolean };

/** A name as it reads, without its writing style and invisible characters. */
export function foldName(name: string): string {
  const plain = readingOf(name.normalize('NFKC').replace(/\p{Default_Ignorable_Code_Point}/gu, ''));
  // Signs and blanks look alike by the dozen (- and ‐, ' and ’, the blank of Braille).
  return plain.replace(/[^\p{L}\p{N}\p{M}\p{Extended_Pictographic}]/gu, '') || plain;
}

/** Words that stand in the place of a name and mean nobody in particular, or somebody else. */
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

/** Of a name that does not say who it is; the account beside it does, and must not be what a card cuts off. */
const maxBeside = 30;

function standBeside(called: string, name: string): string {
  const letters = [...called];
  const kept = letters.slice(0, maxBeside).join('').trimEnd();
  return `${letters.length > maxBeside ? `${kept}…` : called} (${name})`;
}

/**
 * What readers are shown in the place of each name that a platform has said another for. Where two are called the same, or
 * one is called what another is known as, the name that decides stands beside it.
 */
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
      // What could be read as several people, as a name with its account or as the rest of the sentence does not stand alone
      // either, whichever of the signs that look alike it is written with.
      const whole = !/[\p{Ps}\p{Pe},;:·“”"]|\b(?:and|or|by|but)\b/iu.test(called.normalize('NFKC'));
      const alone = whole && !shared && !words.has(folded) && claims.get(folded)?.size === 1;
      return [[name, alone ? called : standBeside(called, name)] as const];
    }),
  );
}
