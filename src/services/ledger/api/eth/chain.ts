/** `eth_*` about the chain and this node: id, prices, fees, syncing, mining. */
import { fail } from '../../../../core/base/errors.ts';
import { toHex, toQuantity } from '../../../../core/base/hex.ts';
import { blobBaseFee, nextExcessBlobGas } from '../../../../core/chain/fees.ts';
import { ETH_66 } from '../../../../core/wire/capabilities.ts';
import type { NodeAdmin } from '../../view/node-admin.ts';
import { method } from '../context.ts';
import { ADDRESS, BOOL, OBJECT, orNull, QUANTITY } from '../results.ts';

/** The minter of a Raft cluster is paid to the node's account, if it has one. */
function coinbase({ raft, info }: NodeAdmin): Uint8Array {
  if (!raft) return info().address;
  const etherbase = raft.etherbase();
  if (!etherbase) throw fail('ETHERBASE_UNSET', 'etherbase must be explicitly specified');
  return etherbase;
}

export const chainMethods = [
  method('eth_chainId', {
    params: [],
    result: QUANTITY,
    about: 'Chain id of replay-protected transactions.',
    call: ({ admin }) => toQuantity(admin.info().config.chainId ?? 0n),
  }),
  method('eth_protocolVersion', {
    params: [],
    result: QUANTITY,
    about: 'Newest version of the eth protocol that GoQuorum speaks too.',
    call: () => toQuantity(ETH_66.version),
  }),
  method('eth_blobBaseFee', {
    params: [],
    result: orNull(QUANTITY),
    about: 'Price of blob gas in the next block; null before Cancun.',
    call: ({ view }) => {
      const header = view.header(view.head().number)!;
      if (header.excessBlobGas === undefined) return null;
      return toQuantity(blobBaseFee(nextExcessBlobGas(header)));
    },
  }),
  method('eth_syncing', {
    params: [],
    result: { oneOf: [BOOL, OBJECT] },
    about: 'false, or how far the node is behind.',
    call: ({ admin }) => {
      const progress = admin.syncing();
      if (!progress) return false;
      return {
        currentBlock: toQuantity(progress.currentBlock),
        highestBlock: toQuantity(progress.highestBlock),
        knownStates: '0x0',
        pulledStates: '0x0',
        startingBlock: toQuantity(progress.startingBlock),
      };
    },
  }),
  method('eth_gasPrice', {
    params: [],
    result: QUANTITY,
    about: 'Gas price: zero unless the network charges for gas.',
    call: ({ gasPrices }) => toQuantity(gasPrices.suggest()),
  }),
  method('eth_maxPriorityFeePerGas', {
    params: [],
    result: QUANTITY,
    about: 'Tip that a transaction needs: zero unless the network charges for gas.',
    call: ({ view, gasPrices }) => {
      const price = gasPrices.suggest();
      const baseFee = view.header(view.head().number)?.baseFeePerGas ?? 0n;
      return toQuantity(price > baseFee ? price - baseFee : 0n);
    },
  }),
  method(['eth_coinbase', 'eth_etherbase'], {
    params: [],
    result: ADDRESS,
    about: 'Address that this node proposes blocks as.',
    call: ({ admin }) => toHex(coinbase(admin)),
  }),
  method('eth_mining', {
    params: [],
    result: BOOL,
    about: 'Whether this node takes part in consensus.',
    call: ({ admin }) => admin.isMining(),
  }),
  method('eth_hashrate', {
    params: [],
    result: QUANTITY,
    about: 'Zero: blocks are agreed on, not mined.',
    call: () => '0x0',
  }),
];
