// People as they are named in a command, and the gates that stand for them: "only after Ana has confirmed".
import type { Gate } from './command.ts';
import type { Read, Words } from './times.ts';

type Place = Words & { end: number };

const nobody = new Set(
  'everyone everybody all people the a an them him her it us we you they this that to for about if whether in on at when whenever how what which who why and or not no one anyone anybody someone somebody nobody here there only with he she they i'.split(
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
  if (token.kind !== 'word' || nobody.has(token.value)) return null;
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

const agreed = new Set(
  'confirmed approved agreed accepted okayed confirms approves agrees accepts confirm approve agree accept'.split(
    ' ',
  ),
);
const answered = new Set('answered replied responded answers replies responds'.split(' '));
const yes = new Set('yes ok okay go so'.split(' '));

/** Behind "only if", "after", "once": who has to say so. */
function readCondition(place: Place, at: number): Read<Gate> | null {
  const own = place.tokens[at]?.value === 'i';
  const people = own ? { value: [null], next: at + 1 } : readPeople(place, at);
  if (people === null) return null;
  const value = (k: number) => (k < place.end ? (place.tokens[k]?.value ?? '') : '');
  let i = people.next;
  if (/^(?:has|have)$/.test(value(i))) i += 1;
  if (agreed.has(value(i))) {
    i += value(i + 1) === 'it' ? 2 : 1;
    return { value: { people: people.value, needs: 'yes' }, next: i };
  }
  if (/^(?:says?|said)$/.test(value(i)) && yes.has(value(i + 1)))
    return { value: { people: people.value, needs: 'yes' }, next: i + 2 };
  if (answered.has(value(i)))
    return { value: { people: people.value, needs: 'an answer' }, next: i + 1 };
  return null;
}

const openings = [
  ['but', 'only', 'if'],
  ['but', 'only', 'after'],
  ['but', 'only', 'once'],
  ['but', 'only', 'when'],
  ['only', 'if'],
  ['only', 'after'],
  ['only', 'once'],
  ['only', 'when'],
  ['once'],
  ['after'],
  ['when'],
  ['if'],
];

/** "only after Ana has confirmed", "if Ana says yes", "once Ana and Ben have approved". */
export function readGate(place: Place, at: number): Read<Gate> | null {
  const from = place.tokens[at]?.value === ',' ? at + 1 : at;
  for (const words of openings) {
    if (!words.every((word, k) => place.tokens[from + k]?.value === word)) continue;
    const found = readCondition(place, from + words.length);
    if (found !== null) return found;
  }
  return null;
}

/** "if he says yes,", "otherwise": about the answer of the person asked last. `names`: whom that was. */
export function readAnswer(
  place: Place,
  at: number,
  names: readonly (string | null)[],
): Read<'Yes' | 'No' | 'any'> | null {
  const value = (k: number) => (k < place.end ? (place.tokens[k]?.value ?? '') : '');
  if (/^(?:otherwise|else)$/.test(value(at)))
    return { value: 'No', next: at + (value(at + 1) === ',' ? 2 : 1) };
  if (!/^(?:if|once|when|after)$/.test(value(at))) return null;
  const known = names.some((name) => name !== null && name.toLowerCase() === value(at + 1));
  if (!known && !/^(?:he|she|they|i)$/.test(value(at + 1))) return null;
  let i = at + 2;
  if (/^(?:says?|said|answers?)$/.test(value(i)) && /^(?:yes|ok|okay|no)$/.test(value(i + 1))) {
    const said = value(i + 1) === 'no' ? 'No' : 'Yes';
    i += 2;
    return { value: said, next: i + (value(i) === ',' ? 1 : 0) };
  }
  if (/^(?:has|have)$/.test(value(i))) i += 1;
  if (answered.has(value(i))) return { value: 'any', next: i + 1 + (value(i + 1) === ',' ? 1 : 0) };
  if (agreed.has(value(i))) i += 1;
  else if (!/^(?:has|have)$/.test(value(i - 1))) return null;
  return { value: 'Yes', next: i + (value(i) === ',' ? 1 : 0) };
}
