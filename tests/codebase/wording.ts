// Wording of comments and names, for `npm run check`.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');
const files = globSync('{src,adapters,cards,jobs,bench,scripts,tests}/**/*.{ts,css,sql}', {
  cwd: root,
});

const opener = /^(?:What|Of|Whose|So|Which|Nobody|Somebody|Whoever)\b/;

/** Idioms with a plainer word: is, continues, again, alongside, ended, up to N, anyone. */
const idiom = /\b(?:stands?|stood|goes on|go on|anew|beside|is over|so many|whoever|whatever)\b/i;

/** Field terms: input, text, shown, notified, state, access, maxX, handleX. */
const oddName =
  /\b(?:const|let|function\*?|class|type|interface) (said|told|deed|wish|fate|heard|hear|saying|stands|standing|standings|beside|anew|\w+AtMost\w*|\w+Told|hear[A-Z]\w*|\w+Said|said[A-Z]\w*|Heard\w*|Said\w*)\b/;

function readComment(line: string, before: string): { text: string; first: boolean } | null {
  const found = /^\s*(\/\/|\/\*\*?|\*|--)\s+(\S.*)$/.exec(line);
  if (found === null) return null;
  const [, mark = '', text = ''] = found;
  const continues =
    mark === '*' ? !/^\s*\/\*\*?\s*$/.test(before) : before.trimStart().startsWith(mark);
  return { text, first: !continues };
}

const problems = files.flatMap((path) => {
  const lines = readFileSync(join(root, path), 'utf8').split('\n');
  return lines.flatMap((line, index) => {
    const comment = readComment(line, lines[index - 1] ?? '');
    if (comment === null) {
      const name = path.startsWith('tests/') ? undefined : oddName.exec(line)?.[1];
      return name === undefined ? [] : [`${path}:${index + 1}: "${name}" is a name of no field`];
    }
    const { text, first } = comment;
    const prose = text.replace(/`[^`]*`|"[^"]*"|“[^”]*”/g, '');
    const word = (first ? opener.exec(text) : null)?.[0] ?? idiom.exec(prose)?.[0];
    return word === undefined ? [] : [`${path}:${index + 1}: "${word}": ${text}`];
  });
});
for (const problem of problems) console.error(problem);
console.log(`${files.length} files looked at, ${problems.length} to reword`);
process.exitCode = problems.length === 0 ? 0 : 1;
