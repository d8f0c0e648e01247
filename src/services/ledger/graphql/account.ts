/** An account in the state after a block. */
import { type Address, EMPTY_BYTES, ZERO_HASH } from '../../../core/base/bytes.ts';
import { bigIntToFixed, bytesToBigInt } from '../../../core/base/quantity.ts';
import { stateAt } from '../api/eth/state.ts';
import { type BlockTag, LATEST } from '../view/block-tag.ts';
import { findAccount, type ViewedAccount } from '../view/party-view.ts';
import type { QueryContext } from './context.ts';

/** Number of the block, a GraphQL `Long`. */
export interface AtBlock {
  readonly block?: bigint | null;
}

/**
 * COMPAT: an account of a transaction or log is shown in its latest state, unless a block is given.
 */
export function blockOrLatest({ block }: AtBlock): BlockTag {
  return block === undefined || block === null ? LATEST : numberTag(block);
}

/** A number out of range is treated as higher than every block. */
export function numberTag(number: bigint): BlockTag {
  const isOfBlock = number >= 0n && number <= Number.MAX_SAFE_INTEGER;
  return { kind: 'number', number: isOfBlock ? Number(number) : Number.MAX_SAFE_INTEGER };
}

export class AccountNode {
  private readonly context: QueryContext;
  readonly address: Address;
  private readonly tag: BlockTag;

  constructor(context: QueryContext, address: Address, tag: BlockTag) {
    this.context = context;
    this.address = address;
    this.tag = tag;
  }

  balance(): bigint {
    return this.found()?.account.balance ?? 0n;
  }

  transactionCount(): bigint {
    return this.found()?.account.nonce ?? 0n;
  }

  code(): Uint8Array {
    const found = this.found();
    return found ? found.reader.code(found.account.codeHash) : EMPTY_BYTES;
  }

  storage({ slot }: { readonly slot: Uint8Array }): Uint8Array {
    const found = this.found();
    if (!found) return ZERO_HASH;
    const content = found.reader.slot(this.address, found.account, bytesToBigInt(slot));
    return bigIntToFixed(content, 32);
  }

  private found(): ViewedAccount | undefined {
    return findAccount(stateAt(this.context, this.tag), this.address);
  }
}
