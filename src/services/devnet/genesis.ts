/** Genesis of the devnet: a GoQuorum QBFT or Raft file, with newer forks active from the start. */

import { compareBytes, ZERO_ADDRESS, ZERO_HASH } from '../../core/base/bytes.ts';
import { fromHex, toHex } from '../../core/base/hex.ts';
import { encodeRlp } from '../../core/base/rlp.ts';
import { FORKS_FROM_START } from '../../core/chain/forks-from-start.ts';
import { CHAIN_ID, type DevnetConsensus } from './topology.ts';
import {
  runtimeCode,
  WELL_KNOWN_CONTRACTS,
  type WellKnownContract,
} from './well-known-contracts.ts';

const ISTANBUL_MIX_HASH = '0x63746963616c2062797a616e74696e65206661756c7420746f6c6572616e6365';
const BILLION_ETHER = `0x${(10n ** 27n).toString(16)}`;

export interface GenesisOptions {
  readonly blockPeriodSeconds: number;
  /** Less than a second; overrides `blockPeriodSeconds`. */
  readonly blockPeriodMs?: number | undefined;
  /** 0: empty blocks come at the block period. */
  readonly emptyBlockPeriodSeconds: number;
}

export interface GenesisParts {
  readonly consensus: DevnetConsensus;
  /** One node serves all members, each with its own private state. */
  readonly isDevelopment?: boolean;
  readonly nodes: readonly { readonly address: string }[];
  /** Addresses that start with a billion ether. */
  readonly funded: readonly string[];
}

export function devnetGenesis(
  { consensus, isDevelopment, nodes, funded }: GenesisParts,
  options: GenesisOptions,
): object {
  const isRaft = consensus === 'raft';
  const validators = nodes.map((node) => fromHex(node.address)).sort(compareBytes);
  const extraData = encodeRlp([ZERO_HASH, validators, [], new Uint8Array(0), []]);
  return {
    config: {
      chainId: CHAIN_ID,
      ...FORKS_FROM_START,
      isQuorum: true,
      ...(isDevelopment && { isMPS: true }),
      txnSizeLimit: 64,
      maxCodeSizeConfig: [{ block: 0, size: 64 }],
      privacyEnhancementsBlock: 0,
      privacyPrecompileBlock: 0,
      // Gas may have a price, so that clients' default fees are accepted; 0 is allowed.
      enableGasPriceBlock: 0,
      quorate: { londonBlock: 0, shanghaiBlock: 0, cancunBlock: 0 },
      ...(isRaft ? {} : { qbft: qbftBlock(options) }),
    },
    nonce: '0x0',
    timestamp: '0x0',
    gasLimit: '0x3b9aca00',
    difficulty: isRaft ? '0x0' : '0x1',
    number: '0x0',
    gasUsed: '0x0',
    mixHash: isRaft ? toHex(ZERO_HASH) : ISTANBUL_MIX_HASH,
    coinbase: toHex(ZERO_ADDRESS),
    extraData: toHex(isRaft ? ZERO_HASH : extraData),
    alloc: {
      ...Object.fromEntries(funded.map((each) => [each, { balance: BILLION_ETHER }])),
      ...Object.fromEntries(WELL_KNOWN_CONTRACTS.map(asDeployed)),
    },
  };
}

/** The state after deployment: the nonce of a contract begins at 1 (EIP-161). */
function asDeployed(contract: WellKnownContract) {
  return [contract.address, { balance: '0x0', nonce: '0x1', code: runtimeCode(contract) }];
}

function qbftBlock(options: GenesisOptions): object {
  const { blockPeriodMs } = options;
  return {
    policy: 0,
    epochLength: 30_000,
    ceil2Nby3Block: 0,
    blockPeriodSeconds: options.blockPeriodSeconds,
    ...(blockPeriodMs !== undefined && { xblockperiodmilliseconds: blockPeriodMs }),
    emptyBlockPeriodSeconds: options.emptyBlockPeriodSeconds,
    requestTimeoutSeconds: 4,
    maxRequestTimeoutSeconds: 60,
  };
}
