// `npm run publisher -- OWNER/REPOSITORY EMAIL`: sets the publisher in package.json and SECURITY.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { argv, stderr } from 'node:process';

const [repository = '', address = ''] = argv.slice(2);
if (!/^[\w.-]+\/[\w.-]+$/.test(repository) || !/^[^\s@]+@[^\s@]+$/.test(address)) {
  stderr.write(
    'Give the repository and an address: npm run publisher -- OWNER/REPOSITORY security@example.com\n',
  );
  process.exit(2);
}

const url = `https://github.com/${repository}`;
const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Record<string, unknown>;
const filled = {
  ...manifest,
  repository: { type: 'git', url: `git+${url}.git` },
  homepage: `${url}#readme`,
  bugs: { url: `${url}/issues` },
};
writeFileSync('package.json', `${JSON.stringify(filled, null, 2)}\n`);

const policy = readFileSync('SECURITY.md', 'utf8');
const report = /^\*\*Report vulnerabilities privately to [^*]+\*\*/m;
if (!report.test(policy)) throw new Error('SECURITY.md has no line that says where to report.');
writeFileSync(
  'SECURITY.md',
  policy.replace(report, `**Report vulnerabilities privately to ${address}**`),
);
