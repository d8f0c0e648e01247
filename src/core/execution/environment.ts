/** The environment that all transactions of one block share. */
import type { Address, Hash32 } from '../base/bytes.ts';
import type { Pace } from '../base/pace.ts';
import { blobBaseFee } from '../chain/fees.ts';
import type { Header } from '../chain/header.ts';
import type { Rules } from '../chain/rules.ts';
import type { BlockContext, Environment } from '../evm/interpreter.ts';
import type { Precompile } from '../evm/precompiles/index.ts';
import type { Tracer } from '../evm/tracer.ts';
import type { World } from '../state/world.ts';
import type { Message } from './message.ts';
import type { ReachedAccounts } from './reached-accounts.ts';
import { rewardAccount } from './rewards.ts';

/** Hash of an ancestor by number; undefined beyond what is known. */
export type BlockHashes = (number: number) => Hash32 | undefined;

export interface BlockEnvironment {
  readonly rules: Rules;
  readonly block: BlockContext;
  readonly blockHash: BlockHashes;
  /** Account that receives the fees. */
  readonly feesTo: Address;
  readonly tracer?: Tracer | undefined;
  /** As Environment.precompileAt. */
  readonly precompileAt?: ((address: Address) => Precompile | undefined) | undefined;
  /** Creates a tracer for a private run, whose world exists for one transaction only. */
  readonly tracerOn?: ((world: World, data: Uint8Array) => Tracer) | undefined;
  /** As Environment.pace. */
  readonly pace?: Pace | undefined;
  /** Collects the accounts that the running transaction reaches. */
  readonly reached?: ReachedAccounts | undefined;
}

/** `author`: the account in COINBASE (header.coinbase, or the signer in IBFT). */
export function blockEnvironment(
  header: Header,
  author: Address,
  rules: Rules,
  blockHash: BlockHashes,
): BlockEnvironment {
  return {
    rules,
    block: {
      number: header.number,
      timestamp: header.timestamp,
      coinbase: author,
      gasLimit: header.gasLimit,
      difficulty: header.difficulty,
      prevRandao: header.mixHash,
      baseFee: header.baseFeePerGas ?? 0n,
      blobBaseFee: header.excessBlobGas === undefined ? 0n : blobBaseFee(header.excessBlobGas),
    },
    blockHash,
    feesTo: rewardAccount(rules, author),
  };
}

/** The EVM's environment for one message of the block. */
export function evmEnvironment(
  shared: BlockEnvironment,
  world: World,
  message: Pick<Message, 'sender' | 'blobVersionedHashes'>,
  gasPrice: bigint,
): Environment {
  return {
    world,
    rules: shared.rules,
    block: shared.block,
    blockHash: shared.blockHash,
    origin: message.sender,
    gasPrice,
    blobHashes: message.blobVersionedHashes,
    precompileAt: shared.precompileAt,
    tracer: shared.tracer,
    pace: shared.pace,
    onReach: shared.reached?.note,
  };
}
