/**
 * A validator that proposes blocks which take minutes to execute, at each height, in round 0. The
 * others must continue without it.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { ZERO_HASH } from '../../../src/core/base/bytes.ts';
import { fromHex } from '../../../src/core/base/hex.ts';
import { EMPTY_ROOT } from '../../../src/core/base/keccak.ts';
import { type Block, blockOf, transactionsRoot } from '../../../src/core/chain/block.ts';
import { EMPTY_BLOOM } from '../../../src/core/chain/bloom.ts';
import { decodeHeader, type Header } from '../../../src/core/chain/header.ts';
import { signTransaction } from '../../../src/core/chain/signing.ts';
import { sortedValidators } from '../../../src/core/consensus/bft/validators.ts';
import { headerTemplate } from '../../../src/core/consensus/header-template.ts';
import { encodeMessage, signPreprepare } from '../../../src/core/consensus/qbft/messages.ts';
import { bftRules, keySigner, secretKey } from '../../support/bft-chain.ts';
import { CHAIN_ID } from '../../support/genesis-file.ts';
import type { Case } from '../case.ts';
import { creationOf } from '../code.ts';
import type { HostileNetwork } from '../network.ts';
import { honestTransfer, MUCH_GAS } from '../sending.ts';
import { Stranger } from '../stranger.ts';
import { PAIR } from './inputs.ts';

/** The index of the node that it replaces. */
const PLACE = 3;
const NUMBER = PLACE + 1;
const POLL_MS = 50;
/** A round of four seconds, and the time of the round change. */
const GAP_SECONDS = 9;

const endless = () =>
  signTransaction(
    { nonce: 0n, gasLimit: MUCH_GAS, data: fromHex(creationOf(8, PAIR.repeat(300))) },
    secretKey(200),
    { chainId: BigInt(CHAIN_ID) },
  );

/**
 * A well-formed block on `parent`: only a node that has executed it knows that its roots are wrong.
 */
function slowBlock(parent: Header, parentHash: Uint8Array): Block {
  const rules = bftRules('qbft');
  const validators = sortedValidators([1, 2, 3, 4].map((number) => keySigner(number).address));
  const template = headerTemplate({
    ...{ engine: 'qbft', parent, parentHash, validators, rules, parentRules: rules },
    ...{ proposer: keySigner(NUMBER).address, vote: undefined, vanity: ZERO_HASH },
    ...{ nowMs: Date.now(), notBeforeMs: 0 },
  });
  const transactions = [endless()];
  const header: Header = {
    ...template,
    ...{ stateRoot: parent.stateRoot, receiptsRoot: EMPTY_ROOT, bloom: EMPTY_BLOOM },
    ...{ transactionsRoot: transactionsRoot(transactions), gasLimit: parent.gasLimit },
    gasUsed: MUCH_GAS,
  };
  return blockOf(header, { transactions, uncles: [] });
}

async function propose(
  { nodes, bystander }: HostileNetwork,
  isOver: () => boolean,
): Promise<number> {
  const { rpc } = bystander;
  const honest = nodes.filter((_, at) => at !== PLACE).map(({ enode }) => enode);
  const liar = new Stranger(honest, secretKey(NUMBER));
  await liar.start();
  const proposed = new Set<number>();
  while (!isOver()) {
    const { hash } = await rpc.call<any>('eth_getBlockByNumber', 'latest', false);
    const parent = decodeHeader(fromHex(await rpc.call('debug_getRawHeader', hash)));
    const height = parent.number + 1;
    if (!proposed.has(height)) {
      proposed.add(height);
      const block = slowBlock(parent, fromHex(hash));
      const message = signPreprepare(keySigner(NUMBER), { height, round: 0 }, block, [], []);
      liar.say({ protocol: 'istanbul', code: message.code, bytes: encodeMessage(message) });
    }
    await pause(POLL_MS);
  }
  await liar.stop();
  return proposed.size;
}

export const PROPOSER_CASES: readonly Case[] = [
  {
    name: 'a Byzantine proposer of blocks that take minutes',
    group: 'proposer',
    absent: PLACE,
    seconds: 24,
    // It proposes one height in three or four, and each of these heights costs a round.
    bounds: { blockShare: 0.3, rounds: 24, gapSeconds: GAP_SECONDS },
    async attack(network, isOver) {
      const [heights, blocks] = await Promise.all([
        propose(network, isOver),
        honestTransfer(network, 24_000),
      ]);
      return `proposed at ${heights} heights; an honest transfer within ${blocks} blocks`;
    },
  },
];
