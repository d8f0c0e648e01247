/** Checks that the options and the genesis file are compatible, with GoQuorum's texts. */
import { fail } from '../../../core/base/errors.ts';
import { checkStart } from '../../../core/chain/check-start.ts';
import { engineAt } from '../../../core/chain/consensus-rules.ts';
import type { Genesis } from '../../../core/chain/genesis.ts';
import type { LedgerConfig } from '../config.ts';

/** Throws GENESIS_INVALID, ENGINE_UNSUPPORTED and OPTION_…. */
export function checkGenesis(config: LedgerConfig, genesis: Genesis): void {
  checkStart(genesis);
  if (genesis.config.isQuorum && config.networkId === 1n) {
    throw fail('OPTION_VALUE_INVALID', '--networkid: Cannot have chain id or network id as 1.');
  }
  checkMarkers(config, genesis);
  checkEngine(config, genesis);
}

/** As in GoQuorum, a file without an engine is a Raft chain and needs --raft. */
function checkEngine({ isRaft }: LedgerConfig, { config }: Genesis): void {
  const engine = engineAt(config, 1);
  if (engine === 'none' || (engine === 'raft' && !isRaft)) {
    throw fail('ENGINE_UNSUPPORTED', 'Consensus not specified. Exiting!!');
  }
  if (engine !== 'raft' && isRaft) {
    throw fail(
      'OPTION_CONFLICT',
      `--raft: the genesis file has ${engine.toUpperCase()} consensus. Omit --raft, or start a chain whose file has no consensus block`,
    );
  }
}

function checkMarkers({ consensus }: LedgerConfig, { config }: Genesis): void {
  const isPossible =
    config.privacyPrecompileBlock !== undefined ||
    config.transitions.some((each) => each.isPrivacyPrecompile);
  if (!consensus.wantsMarkers || isPossible) return;
  throw fail(
    'GENESIS_INVALID',
    'Privacy marker transactions require privacyPrecompileBlock to be set in genesis.json',
  );
}
