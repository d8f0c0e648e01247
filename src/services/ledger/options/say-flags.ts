/** At the start, logs each flag that has no effect, with what it needs. */
import { join } from 'node:path';
import { type Address, equalBytes } from '../../../core/base/bytes.ts';
import { hasCode } from '../../../core/base/errors.ts';
import { toHex } from '../../../core/base/hex.ts';
import type { Log } from '../../../core/base/ports.ts';
import { engineAt } from '../../../core/chain/consensus-rules.ts';
import { isThere } from '../../../io/host/files.ts';
import { sayInVain } from '../../../io/options/needs.ts';
import type { ParsedOptions } from '../../../io/options/options.ts';
import type { LedgerNode } from '../node/compose.ts';
import { flagRemarks, neededFlags } from './flag-notes.ts';

export function sayFlags(
  node: LedgerNode,
  given: { options: ParsedOptions; hasManager: boolean; address: Address; log: Log },
): void {
  const { options, log } = given;
  const { config } = node.chain;
  const number = node.chain.head().number + 1;
  const world = {
    ...given,
    config,
    number,
    address: toHex(given.address),
    engine: engineAt(config, number),
    isValidator: isValidator(node, given.address),
    hasFile: (name: string) => isThere(join(options.string('datadir')!, name)),
  };
  sayInVain(neededFlags(world), log);
  for (const remark of flagRemarks(world)) log('warn', remark);
}

/** undefined: the chain has no validators, or a contract names them and does not answer. */
function isValidator({ chain, schedule }: LedgerNode, address: Address): boolean | undefined {
  try {
    return schedule?.validatorsAfter(chain.head().number).some((each) => equalBytes(each, address));
  } catch (error) {
    if (!hasCode(error, 'VALIDATOR_CONTRACT')) throw error;
    return undefined;
  }
}
