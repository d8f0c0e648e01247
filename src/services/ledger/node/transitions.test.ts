/** Networks on IBFT, and across transitions, over virtual links, disks and time. */
import { afterEach, describe, expect, it } from 'vitest';
import type { MemoryNode } from '../../../../test/support/memory-network.ts';
import {
  MINUTE_MS,
  TOPOLOGY,
  ValidatorNetwork,
} from '../../../../test/support/validator-network.ts';
import { EMPTY_BYTES, equalBytes, ZERO_HASH } from '../../../core/base/bytes.ts';
import { fromHex, toHex } from '../../../core/base/hex.ts';
import { addressOfSecretKey } from '../../../core/base/secp256k1.ts';
import { encodeIbftExtra, readBftExtra } from '../../../core/chain/extra-data.ts';
import { type Genesis, genesisFromJson } from '../../../core/chain/genesis.ts';
import { signTransaction } from '../../../core/chain/signing.ts';
import { sortedValidators } from '../../../core/consensus/bft/validators.ts';
import { devnetGenesis } from '../../devnet/genesis.ts';

const VALIDATORS = sortedValidators(
  TOPOLOGY.nodes.map(({ nodeKey }) => addressOfSecretKey(nodeKey)),
);
const RICH = fromHex(TOPOLOGY.accounts[0]!.privateKey);
const FRIEND = fromHex(TOPOLOGY.accounts[1]!.address);

/** An IBFT chain of the four, a block a second. */
function ibftGenesis(transitions: readonly object[] = []): Genesis {
  const json: any = devnetGenesis(TOPOLOGY, { blockPeriodSeconds: 1, emptyBlockPeriodSeconds: 0 });
  const { qbft, ...config } = json.config;
  const ibft = { ...qbft, blockperiodseconds: 1, requesttimeoutseconds: 4 };
  const extra = { vanity: ZERO_HASH, validators: VALIDATORS, proposerSeal: EMPTY_BYTES, seals: [] };
  const extraData = toHex(encodeIbftExtra(extra));
  return genesisFromJson({ ...json, extraData, config: { ...config, ibft, transitions } });
}

function transfer(nonce: number) {
  const fields = { nonce: BigInt(nonce), gasLimit: 21_000n, to: FRIEND, value: 1n };
  return signTransaction(fields, RICH, { chainId: 1337n });
}

function kindsOf({ chain }: MemoryNode, upTo: number): string[] {
  return Array.from(
    { length: upTo },
    (_, i) => readBftExtra(chain.store.header(i + 1)!.extraData)!.kind,
  );
}

let network: ValidatorNetwork;
afterEach(() => network.stop());

describe('four validators on IBFT', () => {
  it('make blocks with transactions, a second each', async () => {
    network = new ValidatorNetwork(ibftGenesis());
    await network.start();
    await network.reach(2);
    const sent = Array.from({ length: 20 }, (_, nonce) => transfer(nonce));
    for (const [i, each] of sent.entries()) await network.nodes[i % 4]!.door.submit(each);
    const isMined = ({ chain }: MemoryNode) =>
      sent.every(({ hash }) => chain.store.transactionByHash(hash) !== undefined);
    await network.until(() => network.nodes.every(isMined), 'transfers are mined');
    await network.reach(8);
    const { store } = network.nodes[0]!.chain;
    const times = Array.from({ length: 5 }, (_, i) => store.header(i + 3)!.timestamp);
    expect(times.slice(1).every((time, i) => time === times[i]! + 1n)).toBe(true);
    expect(kindsOf(network.nodes[0]!, 8)).toEqual(Array(8).fill('ibft'));
  });

  it('go on with three, and the fourth catches up', async () => {
    network = new ValidatorNetwork(ibftGenesis());
    await network.start();
    await network.reach(1);
    const [away] = network.nodes.splice(3, 1);
    await away!.stop();
    await network.reach(8, network.nodes, 5 * MINUTE_MS);
    network.nodes.push(await network.node(3, { disk: away!.disk }));
    await network.reach(network.nodes[0]!.chain.head().number + 4, network.nodes, 5 * MINUTE_MS);
  });

  it('stand still with two, and go on with three', async () => {
    network = new ValidatorNetwork(ibftGenesis());
    await network.start();
    await network.reach(2);
    const gone = network.nodes.splice(2, 2);
    for (const node of gone) await node.stop();
    const head = network.nodes[0]!.chain.head().number;
    await network.time.pass(MINUTE_MS);
    expect(network.nodes[0]!.chain.head().number).toBeLessThanOrEqual(head + 1);
    network.nodes.push(await network.node(2, { disk: gone[0]!.disk }));
    await network.reach(head + 3, network.nodes, 10 * MINUTE_MS);
  });

  it('vote a validator out and in', async () => {
    network = new ValidatorNetwork(ibftGenesis());
    await network.start();
    const member = addressOfSecretKey(TOPOLOGY.nodes[3]!.nodeKey);
    const isMember = () => {
      const { book, chain } = network.nodes[0]!;
      return book!.validatorsAfter(chain.head().number).some((each) => equalBytes(each, member));
    };
    await network.reach(1);
    for (const { bft } of network.nodes.slice(0, 3)) bft!.candidates.propose(member, false);
    await network.until(() => !isMember(), 'voted out');
    for (const { bft } of network.nodes.slice(0, 3)) {
      bft!.candidates.discard(member);
      bft!.candidates.propose(member, true);
    }
    await network.until(isMember, 'voted in');
    await network.reach(network.nodes[0]!.chain.head().number + 4);
  });
});

describe('transitions', () => {
  it('from IBFT to QBFT: the block of the transition is the first of QBFT', async () => {
    network = new ValidatorNetwork(ibftGenesis([{ block: 6, algorithm: 'qbft' }]));
    await network.start();
    await network.reach(10);
    const kinds = [...Array(5).fill('ibft'), ...Array(5).fill('qbft')];
    for (const node of network.nodes) expect(kindsOf(node, 10)).toEqual(kinds);
    const { store } = network.nodes[0]!.chain;
    expect(store.header(10)!.timestamp - store.header(2)!.timestamp).toBe(8n);
  });

  it('from IBFT to QBFT with a validator away, that comes back after it', async () => {
    network = new ValidatorNetwork(ibftGenesis([{ block: 6, algorithm: 'qbft' }]));
    await network.start();
    await network.reach(3);
    const [away] = network.nodes.splice(1, 1);
    await away!.stop();
    await network.reach(9, network.nodes, 5 * MINUTE_MS);
    network.nodes.push(await network.node(1, { disk: away!.disk }));
    await network.reach(network.nodes[0]!.chain.head().number + 4, network.nodes, 5 * MINUTE_MS);
  });
});
