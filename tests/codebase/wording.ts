// Wording of comments, checked by `npm run check`: openers and idioms that make a reader look twice.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');
const files = globSync('{src,adapters,cards,jobs,bench,scripts,tests}/**/*.{ts,css,sql}', {
  cwd: root,
});

/** A comment should start with its subject. */
const opener = /^(?:What|Of|Whose|So|Which|Nobody|Somebody|Whoever)\b/;

/** The text of a comment line, and whether it begins the comment. */
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
    if (comment === null || !comment.first || !opener.test(comment.text)) return [];
    return [`${path}:${index + 1}: begins with "${comment.text.split(' ', 1)}": ${comment.text}`];
  });
});
for (const problem of problems) console.error(problem);
console.log(`${files.length} files looked at, ${problems.length} comments to reword`);
process.exitCode = problems.length === 0 ? 0 : 1;
