/** `ots_*` about one account: its code, its creator, and its transaction with a given nonce. */
import { type Address, equalBytes } from '../../../../core/base/bytes.ts';
import { toHex } from '../../../../core/base/hex.ts';
import { EMPTY_CODE_HASH } from '../../../../core/base/keccak.ts';
import { findAccount, type ViewedState } from '../../view/party-view.ts';
import { type ReadContext, readMethod } from '../context.ts';
import { stateAt } from '../eth/state.ts';
import { BOOL, HASH, OBJECT, orNull } from '../results.ts';
import { address, blockTag, named, number } from '../shapes.ts';

function hasCode(state: ViewedState, wanted: Address): boolean {
  const found = findAccount(state, wanted);
  return found !== undefined && !equalBytes(found.account.codeHash, EMPTY_CODE_HASH);
}

/**
 * Number of the block with the sender's transaction that has this nonce. Throws
 * STORE_STATE_NOT_MIGRATED or STORE_STATE_PRUNED.
 */
function blockOfNonce({ view }: ReadContext, sender: Uint8Array, nonce: bigint) {
  const nonceAt = (at: number) => view.stateAt(at).public.account(sender)?.nonce ?? 0n;
  let high = view.head().number;
  if (nonceAt(high) <= nonce) return undefined;
  let low = view.firstState;
  if (nonceAt(low) > nonce) {
    // The transaction is older than the first stored state, if it exists.
    if (low > 0) view.stateAt(low - 1);
    return undefined;
  }
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (nonceAt(middle) > nonce) high = middle;
    else low = middle;
  }
  return high;
}

export const otsAccountMethods = [
  readMethod('ots_hasCode', {
    params: [address, blockTag],
    result: BOOL,
    about: 'Whether the account is a contract at a block.',
    isHeavy: true,
    call: (context, [wanted, tag]) => hasCode(stateAt(context, tag), wanted),
  }),
  readMethod('ots_getTransactionBySenderAndNonce', {
    params: [address, named('nonce', number)],
    result: orNull(HASH),
    about: 'Hash of the transaction that an account sent with a nonce.',
    isHeavy: true,
    call(context, [sender, nonce]) {
      const wanted = BigInt(nonce);
      const at = blockOfNonce(context, sender, wanted);
      const found = at === undefined ? undefined : context.view.block(at);
      const sent = found?.transactions.find(
        (each) => each.nonce === wanted && toHex(each.sender) === toHex(sender),
      );
      return sent ? toHex(sent.hash) : null;
    },
  }),
  readMethod('ots_getContractCreator', {
    params: [address],
    result: orNull(OBJECT),
    about:
      'Transaction and account that created a contract; null where there is none. Needs --index.accounts.',
    isHeavy: true,
    call({ view, accounts }, [contract]) {
      const { number: head } = view.head();
      const found = accounts.creation(contract, head);
      const transaction = found && view.block(found.block)?.transactions[found.index];
      if (!transaction || !hasCode(view.stateAt(head), contract)) return null;
      return { hash: toHex(transaction.hash), creator: toHex(found.creator) };
    },
  }),
];
