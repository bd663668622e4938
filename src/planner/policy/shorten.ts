// Shortening that never cuts inside a path, a number, a web address, quoted words or code.

/** What is one piece: code, quoted words, or anything without blanks. */
const piece = /`[^`\n]*`|"[^"\n]*"|“[^”\n]*”|«[^»\n]*»|\d+(?:[ \u00a0]\d{3})+|[^\s"“«`]+|["“«`]/gu;

/** `text` in about `most` characters, cut between pieces, with `…` where something is missing. A single piece stays whole. */
export function shortenSentence(text: string, most: number): string {
  const plain = text.trim();
  if (plain.length <= most) return plain;
  let end = 0;
  for (const found of plain.matchAll(piece)) {
    const after = found.index + found[0].length;
    // What follows without a blank belongs to the same piece: “a b”.md
    const whole = after + (/^\S*/.exec(plain.slice(after))?.[0].length ?? 0);
    if (end > 0 && whole > most - 1) break;
    end = Math.max(end, whole);
  }
  if (end >= plain.length) return plain;
  return `${plain.slice(0, end).replace(/[\s,;:–—-]+$/, '')}…`;
}
