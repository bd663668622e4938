// Names of people: as plans write them ("Ben", "@ben"), as they are compared ("ben"), and as readers see them.

/** The name by which it is compared: `Mallory`, `@mallory` and the same in other code points are one. */
export function plainName(name: string): string {
  return name.normalize('NFKC').trim().replace(/^@/, '').toLowerCase();
}

/** An account as its chat platform or sign-in provider names it: `slack:T1:U1`, `corp:SUBJECT`. A group's name is nobody's account. */
const accountId = /^(?!group:)[a-z][a-z0-9-]*:\S/;

/** Whether a name is the id of an account, as it is stored. */
export function isAccountId(name: string): boolean {
  return accountId.test(name);
}

/**
 * Whether only a chat platform or a sign-in can say that somebody is this one, however it is written: what looks like an address or
 * the id of an account once it is read as names are compared.
 */
export function needsPlatform(name: string): boolean {
  const plain = plainName(name);
  return plain.includes('@') || isAccountId(plain.trim());
}

/** The name an account is stored by: ids of accounts as they are, others as they are compared. */
export function accountName(name: string): string {
  return isAccountId(name) ? name : plainName(name);
}

/**
 * A name that stands somewhere, the person it stands for, and what a chat platform calls them; `called` null: it has not said.
 * `shared`: somebody else, wherever they are, is called the same.
 */
export type Called = { name: string; person: string; called: string | null; shared: boolean };

/** What a name reads as: how it is written, and what of it nobody sees, makes no difference. */
export function foldName(name: string): string {
  const plain = plainName(name.normalize('NFKC').replace(/\p{Default_Ignorable_Code_Point}/gu, ''));
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
const besideAtMost = 30;

function standBeside(called: string, name: string): string {
  const letters = [...called];
  const kept = letters.slice(0, besideAtMost).join('').trimEnd();
  return `${letters.length > besideAtMost ? `${kept}…` : called} (${name})`;
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

/** Whether both mean the same person: `@` and the case of letters make no difference. */
export function isSamePerson(a: string, b: string): boolean {
  return plainName(a) === plainName(b);
}
