/**
 * The headers of simulated blocks: numbers and times that are not given follow from the parent
 * (go-ethereum internal/ethapi/simulate.go).
 */
import { EMPTY_BYTES, ZERO_ADDRESS, ZERO_HASH } from '../../../../core/base/bytes.ts';
import { EMPTY_ROOT } from '../../../../core/base/keccak.ts';
import { EMPTY_UNCLES_HASH } from '../../../../core/chain/block.ts';
import { EMPTY_BLOOM } from '../../../../core/chain/bloom.ts';
import { nextBaseFee, nextExcessBlobGas } from '../../../../core/chain/fees.ts';
import type { Header } from '../../../../core/chain/header.ts';
import type { Rules } from '../../../../core/chain/rules.ts';
import type { StateOverride } from '../../../../core/execution/overrides.ts';
import type { CallInBlock } from '../../../../core/execution/simulated-calls.ts';
import { RPC, RpcError } from '../../../../io/rpc/method.ts';
import type { SimulatedOverrides } from './block-overrides.ts';

/** One block of the request. */
export interface AskedBlock {
  readonly block: SimulatedOverrides;
  readonly overrides: readonly StateOverride[];
  readonly calls: readonly CallInBlock[];
}

export type PlacedBlock = AskedBlock & { readonly number: number; readonly timestamp: bigint };

/** Maximum number of blocks of one request, including those that fill gaps. */
export const SIMULATED_BLOCKS_MAX = 256;
const SECONDS_BETWEEN = 12n;

/** Error numbers, as in execution-apis. */
const SIMULATION_ERROR = {
  number: -38020,
  timestamp: -38021,
  tooMuch: -38026,
} as const;

export function tooMuch(text: string): RpcError {
  return new RpcError(SIMULATION_ERROR.tooMuch, text);
}

/**
 * Fills gaps between numbers with empty blocks. `unitsPerSecond`: unit of timestamps. Throws
 * RpcError.
 */
export function placeBlocks(
  asked: readonly AskedBlock[],
  base: Pick<Header, 'number' | 'timestamp'>,
  unitsPerSecond: bigint,
): PlacedBlock[] {
  const placed: PlacedBlock[] = [];
  let { number, timestamp } = base;
  for (const each of asked) {
    const wanted = each.block.number ?? number + 1;
    if (wanted <= number)
      throw new RpcError(
        SIMULATION_ERROR.number,
        `block numbers must be in order: ${wanted} <= ${number}`,
      );
    if (wanted - base.number > SIMULATED_BLOCKS_MAX) throw tooMuch('too many blocks');
    while (++number < wanted) {
      timestamp += SECONDS_BETWEEN * unitsPerSecond;
      placed.push({ block: {}, overrides: [], calls: [], number, timestamp });
    }
    const time = each.block.timestamp ?? timestamp + SECONDS_BETWEEN * unitsPerSecond;
    if (time <= timestamp)
      throw new RpcError(
        SIMULATION_ERROR.timestamp,
        `block timestamps must be in order: ${time} <= ${timestamp}`,
      );
    timestamp = time;
    placed.push({ ...each, number, timestamp });
  }
  return placed;
}

/** The child of `parent`, without the results of its calls. */
export function headerAfter(
  parent: { readonly header: Header; readonly hash: Uint8Array; readonly rules: Rules },
  { block, number, timestamp }: PlacedBlock,
  rules: Rules,
  settings: { readonly isValidated: boolean; readonly isFeeless: boolean },
): Header {
  const { header } = parent;
  if (block.difficulty !== undefined && header.difficulty === 0n)
    throw new RpcError(
      RPC.invalidParams,
      `block ${number}: difficulty override is not allowed after the merge`,
    );
  const baseFee = settings.isValidated && !settings.isFeeless ? nextBaseFee(header) : 0n;
  return {
    parentHash: parent.hash,
    unclesHash: EMPTY_UNCLES_HASH,
    coinbase: block.coinbase ?? header.coinbase ?? ZERO_ADDRESS,
    stateRoot: ZERO_HASH,
    transactionsRoot: EMPTY_ROOT,
    receiptsRoot: EMPTY_ROOT,
    bloom: EMPTY_BLOOM,
    difficulty: block.difficulty ?? header.difficulty,
    number,
    gasLimit: block.gasLimit ?? header.gasLimit,
    gasUsed: 0n,
    timestamp,
    extraData: EMPTY_BYTES,
    mixHash: block.mixHash ?? ZERO_HASH,
    nonce: new Uint8Array(8),
    ...(rules.isLondon ? { baseFeePerGas: block.baseFeePerGas ?? baseFee } : {}),
    ...(rules.isShanghai ? { withdrawalsRoot: EMPTY_ROOT } : {}),
    ...(rules.isCancun
      ? {
          blobGasUsed: 0n,
          excessBlobGas: parent.rules.isCancun ? nextExcessBlobGas(header) : 0n,
          parentBeaconBlockRoot: block.beaconRoot ?? ZERO_HASH,
        }
      : {}),
  };
}
