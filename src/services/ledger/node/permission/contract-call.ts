/** Calls contracts on a state of this node, without a transaction. */
import { type Address, equalBytes } from '../../../../core/base/bytes.ts';
import { fail } from '../../../../core/base/errors.ts';
import { toHex } from '../../../../core/base/hex.ts';
import { EMPTY_CODE_HASH } from '../../../../core/base/keccak.ts';
import type { Header } from '../../../../core/chain/header.ts';
import { type CallSite, errorOf } from '../../../../core/execution/call.ts';
import { CallSeries } from '../../../../core/execution/call-series.ts';
import type { ContractCall } from '../../../../core/permission/contracts.ts';
import type { StateReader } from '../../../../core/state/reader.ts';
import type { Chain } from '../chain/chain.ts';

/** Gas limit of GoQuorum's own calls. */
const CALL_GAS = 25_000_000n;

/** The site for calls on the state after `header`, or on another one that `publicState` reads. */
export function siteAfter(chain: Chain, header: Header, publicState: StateReader): CallSite {
  return { rules: chain.rulesOf(header), header, hashes: chain.hashes, publicState };
}

/**
 * Valid as long as the state does not change. Throws PERMISSION_CONTRACT_MISSING if an address has
 * no code.
 */
export function contractCallOn(site: CallSite): ContractCall {
  const series = new CallSeries(site, CALL_GAS);
  return (to, data, from) => {
    const result = series.run(to, data, from);
    const error = errorOf(result);
    if (error) throw error;
    if (result.output.length === 0) checkCode(site.publicState, to);
    return result.output;
  };
}

export function checkCode(state: StateReader, address: Address): void {
  const account = state.account(address);
  if (account && !equalBytes(account.codeHash, EMPTY_CODE_HASH)) return;
  throw fail('PERMISSION_CONTRACT_MISSING', `no contract code at given address ${toHex(address)}`);
}
