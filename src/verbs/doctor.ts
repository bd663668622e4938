// `doctor`: looks at each part and says what to do about it.
import { loadConfig } from '#config';
import { describeFindings, examine } from '../doctor.ts';
import { createLog } from '../logging.ts';

export async function run({ json }: { json?: true }): Promise<void> {
  const config = loadConfig(process.env, process.cwd());
  const findings = await examine(config, createLog(config, true));
  console.log(json === true ? JSON.stringify(findings, null, 2) : describeFindings(findings));
  process.exitCode = findings.some(({ state }) => state === 'broken') ? 1 : 0;
}
