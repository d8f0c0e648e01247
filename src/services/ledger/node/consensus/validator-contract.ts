/**
 * Validators that a contract names: the result of getValidators() on the state after a block
 * (GoQuorum consensus/istanbul/backend/contract).
 */

import { abiAddresses } from '../../../../core/base/abi.ts';
import type { Address } from '../../../../core/base/bytes.ts';
import { assert, fail } from '../../../../core/base/errors.ts';
import { fromHex } from '../../../../core/base/hex.ts';
import type { ChainConfig } from '../../../../core/chain/chain-config.ts';
import { engineAt } from '../../../../core/chain/consensus-rules.ts';
import { blockAuthor } from '../../../../core/chain/extra-data.ts';
import { rulesAt } from '../../../../core/chain/rules.ts';
import { call, outputOf } from '../../../../core/execution/call.ts';
import type { StateReader } from '../../../../core/state/reader.ts';
import { type ChainReader, PUBLIC_SPACE } from '../../../../core/store/interface.ts';

const GET_VALIDATORS = fromHex('0xb7ab4db5');
/** Gas limit of GoQuorum's own calls. */
const CALL_GAS = 25_000_000n;

export type ContractChain = Pick<ChainReader, 'header' | 'hashOf' | 'stateAt'>;

/**
 * Throws VALIDATOR_CONTRACT with GoQuorum's text when there is no contract, or it does not
 * answer.
 */
export function contractValidators(
  chain: ContractChain,
  config: ChainConfig,
  number: number,
  contract: Address,
): Address[] {
  const header = chain.header(number);
  assert(header !== undefined, `block ${number} is on the chain`);
  const publicState = chain.stateAt(PUBLIC_SPACE, number);
  const site = {
    rules: rulesAt(config, number, header.timestamp),
    header,
    author: engineAt(config, number) === 'ibft' ? blockAuthor('ibft', header) : undefined,
    hashes: (wanted: number) => chain.hashOf(wanted),
    publicState,
  };
  try {
    const outcome = call({ to: contract, data: GET_VALIDATORS }, site, { gasCap: CALL_GAS });
    const output = outputOf(outcome);
    if (output.length === 0 && !hasContract(publicState, contract)) {
      throw fail('VALIDATOR_CONTRACT', 'no contract code at given address');
    }
    return abiAddresses(output);
  } catch (cause) {
    const { code, message } = cause as Error & { code?: string };
    const isContracts = ['EXECUTION_', 'ABI_', 'CALL_', 'VALIDATOR_'].some((prefix) =>
      code?.startsWith(prefix),
    );
    if (!isContracts) throw cause;
    throw fail('VALIDATOR_CONTRACT', message, { cause });
  }
}

function hasContract(state: StateReader, address: Address): boolean {
  const account = state.account(address);
  return account !== undefined && state.code(account.codeHash).length > 0;
}
