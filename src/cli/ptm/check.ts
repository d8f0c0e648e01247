/**
 * `quorate ptm check`: checks that all payloads of a manager can be decrypted; also formats the
 * repair's report.
 */
import { toBase64 } from '../../core/base/base64.ts';
import { installCrypto } from '../../io/crypto/crypto.ts';
import { type CheckReport, checkPtm } from '../../services/ptm/check.ts';
import { ptmConfig } from '../../services/ptm/config.ts';
import { PTM_CONFIG_ROWS, VERBOSITY_ROW } from '../../services/ptm/options.ts';
import type { Command } from '../command.ts';
import { stderrLog } from '../log.ts';
import { CONFIG_SECRETS } from './secrets.ts';

/** Exit status: damage was found. 1 means that the command failed. */
const NOT_WHOLE_EXIT_CODE = 2;
const LINES_MAX = 100;

const MEANING = {
  disordered: 'opens, but other boxes do not: "quorate ptm repair" puts it in order',
  unopened:
    'names a key of this manager, but does not open: "quorate ptm repair" requests it from the peers',
  damaged: 'is damaged: "quorate ptm repair" requests it from the peers',
  foreign: 'is for no key of this manager: for a removed key, or junk',
} as const;

export const ptmCheckCommand: Command = {
  name: 'ptm check',
  about:
    'Checks that all payloads of a private transaction manager can be decrypted; it may be running.',
  examples: [
    {
      does: 'after an attack, a crash of the disk, or an upgrade from 0.1.0',
      line: 'quorate ptm check --configfile config.json',
    },
  ],
  rows: [...PTM_CONFIG_ROWS, VERBOSITY_ROW],
  async run(options) {
    await installCrypto();
    const say = stderrLog(options.number('verbosity')!);
    const config = await ptmConfig(options, { command: 'ptm check', say, secrets: CONFIG_SECRETS });
    const report = await checkPtm(config, { say, env: process.env });
    return tellCheck(report);
  },
};

/** Prints hashes and counts, which are on the chain, but no content of a payload. */
export function tellCheck({ payloads, raw, owedMissing, findings }: CheckReport): number {
  for (const { kind, hash, condition } of findings.slice(0, LINES_MAX)) {
    console.log(`${kind} ${toBase64(hash)} ${MEANING[condition as keyof typeof MEANING]}`);
  }
  if (findings.length > LINES_MAX) console.log(`and ${findings.length - LINES_MAX} more`);
  const told = (counts: typeof payloads) =>
    Object.entries(counts)
      .filter(([, count]) => count > 0)
      .map(([condition, count]) => `${count} ${condition}`)
      .join(', ') || 'none';
  console.log(`Payloads: ${told(payloads)}. Raw payloads: ${told(raw)}.`);
  if (owedMissing > 0) console.log(`${owedMissing} deliveries wait for missing payloads.`);
  const isBad = [payloads, raw].some(
    (counts) => counts.disordered + counts.unopened + counts.damaged > 0,
  );
  return isBad ? NOT_WHOLE_EXIT_CODE : 0;
}
