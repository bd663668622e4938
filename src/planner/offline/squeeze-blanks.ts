// Text of people before it is taken apart: patterns that look for the ends of clauses would try every way to divide a
// long run of blanks, which takes minutes for what somebody pasted from a table.

/** Each run of blanks as one, each run of line breaks with blanks around them as one line break. */
export function squeezeBlanks(text: string): string {
  return text.replace(/[^\S\n]+/g, ' ').replace(/ ?\n[ \n]*/g, '\n');
}
