// People as they are named in a command.
import type { Read, Words } from './times.ts';

type Place = Words & { end: number };

const nobody = new Set(
  'everyone everybody all people the a an them him her it us we you they this that to for about if whether in on at when whenever how what which who why and or not no one anyone anybody someone somebody nobody here there only with he she they i both either neither again first please now then today tomorrow yesterday'.split(
    ' ',
  ),
);

function readPerson({ tokens, end }: Place, at: number): Read<string | null> | null {
  const token = at < end ? tokens[at] : undefined;
  if (token === undefined) return null;
  if (token.value === 'me') return { value: null, next: at + 1 };
  if (token.text === '@' && tokens[at + 1]?.kind === 'word' && at + 1 < end)
    return { value: tokens[at + 1]?.text ?? '', next: at + 2 };
  if (token.kind === 'path' && /^[^@/]+@[^@/]+$/.test(token.value))
    return { value: token.value, next: at + 1 };
  if (token.kind !== 'word' || nobody.has(token.value) || /'s$/.test(token.value)) return null;
  // A second name behind the first: "Ana García".
  const second = tokens[at + 1];
  const isName = (text: string) => /^\p{Lu}[\p{L}'’-]+$/u.test(text);
  const full = isName(token.text) && second?.kind === 'word' && at + 1 < end && isName(second.text);
  return full
    ? { value: `${token.text} ${second.text}`, next: at + 2 }
    : { value: token.text, next: at + 1 };
}

/** "Ana", "me", "@ben", "Ana, Ben and Clara". null in the list is the person who asks. */
export function readPeople(place: Place, at: number): Read<(string | null)[]> | null {
  const people: (string | null)[] = [];
  let i = at;
  for (;;) {
    const person = readPerson(place, i);
    if (person === null) break;
    people.push(person.value);
    i = person.next;
    const joint = /^(?:,|and)$/.test(place.tokens[i]?.value ?? '');
    const next = i + 1 + (place.tokens[i + 1]?.value === 'and' ? 1 : 0);
    if (!joint || readPerson(place, next) === null) break;
    i = next;
  }
  if (people.length > 0 && place.tokens[i]?.value === 'both' && people.length === 2) i += 1;
  return people.length === 0 ? null : { value: people, next: i };
}
