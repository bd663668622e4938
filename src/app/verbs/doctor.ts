// `doctor`: checks each part and suggests fixes.
import { loadConfig } from '../config.ts';
import { createLog } from '../logging.ts';
import { print, printJson } from '../print.ts';

export async function run({ json }: { json?: true }): Promise<void> {
  // Configuration errors first.
  const config = loadConfig(process.env, process.cwd());
  const { describeFindings, examine } = await import('../doctor.ts');
  const findings = await examine(config, createLog(config, true));
  if (json === true) printJson(findings, 2);
  else print(describeFindings(findings));
  process.exitCode = findings.some(({ state }) => state === 'broken') ? 1 : 0;
}
