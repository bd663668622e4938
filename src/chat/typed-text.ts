// Text as people type it in chats. Pure.

const blank = /[\s\u200b\u2060\ufeff]/;

/** Without the blanks around it, of which some clients send invisible ones. */
export function trimBlanks(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && blank.test(text.charAt(from))) from += 1;
  while (to > from && blank.test(text.charAt(to - 1))) to -= 1;
  return text.slice(from, to);
}
