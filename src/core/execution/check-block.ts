/**
 * Checks of a block before and after its execution, with GoQuorum's texts: its parent, its body,
 * its result. Consensus checks seals, proposers and difficulty. Each check returns the fault, or
 * undefined.
 */
import { equalBytes, type Hash32 } from '../base/bytes.ts';
import { bareHex } from '../base/hex.ts';
import { type Block, transactionsRoot, unclesHash, withdrawalsRoot } from '../chain/block.ts';
import { BLOB_GAS, BLOB_GAS_PER_BLOCK_MAX, nextBaseFee, nextExcessBlobGas } from '../chain/fees.ts';
import type { Header } from '../chain/header.ts';
import type { Rules } from '../chain/rules.ts';

const GAS_LIMIT_MAX = 0x7fff_ffff_ffff_ffffn;
const GAS_LIMIT_MIN = 5_000n;
const GAS_LIMIT_BOUND_DIVISOR = 1_024n;
const EXTRA_DATA_BYTES_MAX = 32;

/**
 * Checks number and parent, for every engine. `parentHash` is the hash of `parent` as its engine
 * defines it.
 */
export function checkAncestry(
  header: Header,
  parent: Header,
  parentHash: Hash32,
): string | undefined {
  if (!equalBytes(header.parentHash, parentHash)) return 'unknown ancestor';
  if (header.number !== parent.number + 1) return 'invalid block number';
  return undefined;
}

/**
 * Checks header fields against the parent, for chains without a GoQuorum engine (official tests,
 * imported Ethereum chains). COMPAT: the BFT engines and Raft of GoQuorum do not check the gas
 * limit against the parent, nor the length of extra.
 */
export function checkHeader(header: Header, parent: Header, rules: Rules): string | undefined {
  if (header.extraData.length > EXTRA_DATA_BYTES_MAX)
    return `extra-data too long: ${header.extraData.length} > ${EXTRA_DATA_BYTES_MAX}`;
  if (header.timestamp <= parent.timestamp) return 'timestamp older than parent';
  if (header.gasLimit > GAS_LIMIT_MAX)
    return `invalid gasLimit: have ${header.gasLimit}, max ${GAS_LIMIT_MAX}`;
  if (header.gasUsed > header.gasLimit)
    return `invalid gasUsed: have ${header.gasUsed}, gasLimit ${header.gasLimit}`;
  const isFirstLondon = rules.isLondon && parent.baseFeePerGas === undefined;
  const parentLimit = isFirstLondon ? parent.gasLimit * 2n : parent.gasLimit;
  return (
    checkGasLimit(header.gasLimit, parentLimit) ??
    checkBaseFee(header, parent, rules) ??
    checkShanghai(header, rules) ??
    checkCancun(header, parent, rules)
  );
}

function checkGasLimit(limit: bigint, parentLimit: bigint): string | undefined {
  const difference = limit > parentLimit ? limit - parentLimit : parentLimit - limit;
  const bound = parentLimit / GAS_LIMIT_BOUND_DIVISOR;
  if (difference >= bound || limit < GAS_LIMIT_MIN)
    return `invalid gas limit: have ${limit}, want ${parentLimit} += ${bound}`;
  return undefined;
}

function checkBaseFee(header: Header, parent: Header, rules: Rules): string | undefined {
  if (!rules.isLondon)
    return header.baseFeePerGas === undefined
      ? undefined
      : `invalid baseFee before fork: have ${header.baseFeePerGas}, expected 'nil'`;
  if (header.baseFeePerGas === undefined) return 'header is missing baseFee';
  const wanted = rules.isZeroBaseFee ? 0n : nextBaseFee(parent);
  if (header.baseFeePerGas !== wanted)
    return `invalid baseFee: have ${header.baseFeePerGas}, want ${wanted}, parentBaseFee ${parent.baseFeePerGas ?? 0n}, parentGasUsed ${parent.gasUsed}`;
  return undefined;
}

function checkShanghai(header: Header, rules: Rules): string | undefined {
  if (rules.isShanghai && header.withdrawalsRoot === undefined) return 'missing withdrawalsHash';
  if (!rules.isShanghai && header.withdrawalsRoot !== undefined)
    return `invalid withdrawalsHash: have ${bareHex(header.withdrawalsRoot)}, expected nil`;
  return undefined;
}

function checkCancun(header: Header, parent: Header, rules: Rules): string | undefined {
  if (!rules.isCancun) {
    if (header.excessBlobGas !== undefined)
      return `invalid excessBlobGas: have ${header.excessBlobGas}, expected nil`;
    if (header.blobGasUsed !== undefined)
      return `invalid blobGasUsed: have ${header.blobGasUsed}, expected nil`;
    if (header.parentBeaconBlockRoot !== undefined)
      return `invalid parentBeaconRoot, have 0x${bareHex(header.parentBeaconBlockRoot)}, expected nil`;
    return undefined;
  }
  if (header.parentBeaconBlockRoot === undefined) return 'header is missing beaconRoot';
  if (header.excessBlobGas === undefined) return 'header is missing excessBlobGas';
  if (header.blobGasUsed === undefined) return 'header is missing blobGasUsed';
  if (header.blobGasUsed > BLOB_GAS_PER_BLOCK_MAX)
    return `blob gas used ${header.blobGasUsed} exceeds maximum allowance ${BLOB_GAS_PER_BLOCK_MAX}`;
  if (header.blobGasUsed % BLOB_GAS !== 0n)
    return `blob gas used ${header.blobGasUsed} not a multiple of blob gas per blob ${BLOB_GAS}`;
  const wanted = nextExcessBlobGas(parent);
  if (header.excessBlobGas !== wanted)
    return `invalid excessBlobGas: have ${header.excessBlobGas}, want ${wanted}`;
  return undefined;
}

/** Compares the body with the roots in its header. */
export function checkBody(block: Block): string | undefined {
  const { header } = block;
  const uncles = unclesHash(block.uncles);
  if (!equalBytes(uncles, header.unclesHash))
    return `uncle root hash mismatch: have ${bareHex(uncles)}, want ${bareHex(header.unclesHash)}`;
  const root = transactionsRoot(block.transactions);
  if (!equalBytes(root, header.transactionsRoot))
    return `transaction root hash mismatch: have ${bareHex(root)}, want ${bareHex(header.transactionsRoot)}`;
  return checkWithdrawals(block) ?? checkBlobs(block);
}

function checkWithdrawals({ header, withdrawals }: Block): string | undefined {
  if (header.withdrawalsRoot === undefined)
    return withdrawals === undefined ? undefined : 'withdrawals present in block body';
  if (withdrawals === undefined) return 'missing withdrawals in block body';
  const root = withdrawalsRoot(withdrawals);
  if (!equalBytes(root, header.withdrawalsRoot))
    return `withdrawals root hash mismatch (header value ${bareHex(header.withdrawalsRoot)}, calculated ${bareHex(root)})`;
  return undefined;
}

function checkBlobs({ header, transactions }: Block): string | undefined {
  let gas = 0n;
  for (const tx of transactions) gas += BigInt(tx.blobVersionedHashes.length) * BLOB_GAS;
  if (header.blobGasUsed === undefined)
    return gas === 0n ? undefined : 'data blobs present in block body';
  if (gas !== header.blobGasUsed)
    return `blob gas used mismatch (header ${header.blobGasUsed}, calculated ${gas})`;
  return undefined;
}

/** Compares the results of execution with the header, in GoQuorum's order and words. */
export function checkResult(
  header: Header,
  result: {
    readonly gasUsed: bigint;
    readonly bloom: Uint8Array;
    readonly receiptsRoot: Hash32;
    readonly stateRoot: Hash32;
  },
): string | undefined {
  if (header.gasUsed !== result.gasUsed)
    return `invalid gas used (remote: ${header.gasUsed} local: ${result.gasUsed})`;
  if (!equalBytes(header.bloom, result.bloom))
    return `invalid bloom (remote: ${bareHex(header.bloom)}  local: ${bareHex(result.bloom)})`;
  if (!equalBytes(header.receiptsRoot, result.receiptsRoot))
    return `invalid receipt root hash (remote: ${bareHex(header.receiptsRoot)} local: ${bareHex(result.receiptsRoot)})`;
  if (!equalBytes(header.stateRoot, result.stateRoot))
    return `invalid merkle root (remote: ${bareHex(header.stateRoot)} local: ${bareHex(result.stateRoot)})`;
  return undefined;
}
