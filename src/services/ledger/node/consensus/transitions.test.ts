/** Networks on IBFT, and across transitions, over virtual links, disks and time. */
import { afterEach, describe, expect, it } from 'vitest';
import type { MemoryNode } from '../../../../../test/support/memory-network.ts';
import {
  addressWords,
  BY_CONTRACT,
  CONTRACT,
  contractOf,
  setWordInput,
} from '../../../../../test/support/validator-contract.ts';
import {
  MINUTE_MS,
  TOPOLOGY,
  ValidatorNetwork,
} from '../../../../../test/support/validator-network.ts';
import { EMPTY_BYTES, ZERO_HASH } from '../../../../core/base/bytes.ts';
import { fromHex, toHex } from '../../../../core/base/hex.ts';
import type { Log } from '../../../../core/base/ports.ts';
import { addressOfSecretKey } from '../../../../core/base/secp256k1.ts';
import {
  encodeIbftExtra,
  readBftExtra,
  withCommitSeals,
} from '../../../../core/chain/extra-data.ts';
import { type Genesis, genesisFromJson } from '../../../../core/chain/genesis.ts';
import type { Header } from '../../../../core/chain/header.ts';
import { signTransaction } from '../../../../core/chain/signing.ts';
import { sortedValidators } from '../../../../core/consensus/bft/validators.ts';
import { PUBLIC_SPACE } from '../../../../core/store/interface.ts';
import { devnetGenesis } from '../../../devnet/genesis.ts';
import type { Chain } from '../chain/chain.ts';
import { HOLD_MS } from './fork-readiness.ts';
import { HeaderVerifier } from './header-verifier.ts';

const VALIDATORS = sortedValidators(
  TOPOLOGY.nodes.map(({ nodeKey }) => addressOfSecretKey(nodeKey)),
);
const RICH = fromHex(TOPOLOGY.accounts[0]!.privateKey);
const FRIEND = fromHex(TOPOLOGY.accounts[1]!.address);

type Json = Record<string, any>;

function devnetJson(): Json {
  const options = { blockPeriodSeconds: 1, emptyBlockPeriodSeconds: 0 };
  return devnetGenesis(TOPOLOGY, options) as Json;
}

/** An IBFT chain of the four validators, one block per second. */
function ibftGenesis(transitions: readonly object[] = []): Genesis {
  const json = devnetJson();
  const { qbft, ...config } = json.config;
  const ibft = { ...qbft, blockperiodseconds: 1, requesttimeoutseconds: 4 };
  const extra = { vanity: ZERO_HASH, validators: VALIDATORS, proposerSeal: EMPTY_BYTES, seals: [] };
  const extraData = toHex(encodeIbftExtra(extra));
  return genesisFromJson({ ...json, extraData, config: { ...config, ibft, transitions } });
}

/** A QBFT chain of the four validators, one block per second. */
function qbftGenesis(transitions: readonly object[], alloc: object = {}): Genesis {
  const json = devnetJson();
  const config = { ...json.config, transitions };
  return genesisFromJson({ ...json, config, alloc: { ...json.alloc, ...alloc } });
}

/** Sets word `at` of the contract's answer. */
function setWord(nonce: number, at: bigint, value: bigint) {
  const data = fromHex(setWordInput(at, value));
  const fields = { nonce: BigInt(nonce), gasLimit: 100_000n, to: fromHex(CONTRACT), data };
  return signTransaction(fields, RICH, { chainId: 1337n });
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
    for (const [i, each] of sent.entries()) await network.nodes[i % 4]!.intake.submit(each);
    const isMined = ({ chain }: MemoryNode) =>
      sent.every(({ hash }) => chain.store.transactionByHash(hash) !== undefined);
    await network.until(() => network.nodes.every(isMined), 'transfers are mined');
    await network.reach(8);
    const { store } = network.nodes[0]!.chain;
    const times = Array.from({ length: 5 }, (_, i) => store.header(i + 3)!.timestamp);
    expect(times.slice(1).every((time, i) => time === times[i]! + 1n)).toBe(true);
    expect(kindsOf(network.nodes[0]!, 8)).toEqual(Array(8).fill('ibft'));
  });

  it('continue with three, and the fourth catches up', async () => {
    network = new ValidatorNetwork(ibftGenesis());
    await network.start();
    await network.reach(1);
    const [away] = network.nodes.splice(3, 1);
    await away!.stop();
    await network.reach(8, network.nodes, 5 * MINUTE_MS);
    network.nodes.push(await network.node(3, { disk: away!.disk }));
    await network.reach(network.nodes[0]!.chain.head().number + 4, network.nodes, 5 * MINUTE_MS);
  });

  it.each([64, 99])(
    'one of which shares istanbul/%i with the others, and no eth',
    async (version) => {
      network = new ValidatorNetwork(ibftGenesis());
      await network.start(3);
      await network.reach(5, network.nodes, 5 * MINUTE_MS);
      network.nodes.push(await network.node(3, { shared: new Map([['istanbul', version]]) }));
      await network.reach(8, network.nodes, 5 * MINUTE_MS);
      // Without the first node, blocks need the votes of the node with the old version.
      const [away] = network.nodes.splice(0, 1);
      await away!.stop();
      const [first, , last] = network.nodes as [MemoryNode, MemoryNode, MemoryNode];
      const [there, back] = [transfer(0), transfer(1)];
      await first.intake.submit(there);
      await last.intake.submit(back);
      const isMined = ({ chain }: MemoryNode) =>
        [there, back].every(({ hash }) => chain.store.transactionByHash(hash) !== undefined);
      await network.until(() => network.nodes.every(isMined), 'transfers are mined', 5 * MINUTE_MS);
      await network.reach(first.chain.head().number + 4, network.nodes, 5 * MINUTE_MS);
    },
  );

  it('stall with two, and continue with three', async () => {
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

  it('vote a validator out and in, and its log says so in the words of GoQuorum', async () => {
    const said: string[] = [];
    const log: Log = (_, line, fields) => said.push(`${line} ${fields?.err ?? ''}`);
    network = new ValidatorNetwork(ibftGenesis());
    await network.start(4, (index) => (index === 3 ? { log } : {}));
    const member = addressOfSecretKey(TOPOLOGY.nodes[3]!.nodeKey);
    const isMember = () => network.isValidator(member);
    await network.reach(1);
    for (const { bft } of network.nodes.slice(0, 3)) bft!.candidates.propose(member, false);
    expect(said.some((line) => line.startsWith('Imported new chain segment'))).toBe(true);
    await network.until(() => !isMember(), 'voted out');
    await network.until(() => said.includes('Block sealing failed unauthorized'), 'it is told');
    said.length = 0;
    for (const { bft } of network.nodes.slice(0, 3)) {
      bft!.candidates.discard(member);
      bft!.candidates.propose(member, true);
    }
    await network.until(isMember, 'voted in');
    await network.until(() => said.includes('Successfully sealed new block '), 'it seals again');
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

describe('validators of a contract', () => {
  const others = VALIDATORS.slice(0, 3);

  it('come from it at its block, follow it, and go back to the header', async () => {
    const alloc = contractOf(addressWords(VALIDATORS.map(toHex)));
    const back = {
      block: 16,
      validatorselectionmode: 'blockheader',
      validators: VALIDATORS.map(toHex),
    };
    network = new ValidatorNetwork(qbftGenesis([{ block: 4, ...BY_CONTRACT }, back], alloc));
    await network.start();
    const { chain, schedule, intake } = network.nodes[0]!;
    await network.reach(6);
    expect(schedule!.validatorsAfter(6)).toEqual(VALIDATORS);
    expect(readBftExtra(chain.store.header(6)!.extraData)!.validators).toEqual([]);
    await intake.submit(setWord(0, 1n, 3n));
    await network.until(
      () => schedule!.validatorsAfter(chain.head().number).length === 3,
      'one less',
    );
    expect(schedule!.validatorsAfter(chain.head().number)).toEqual(others);
    await network.reach(18, network.nodes, 5 * MINUTE_MS);
    expect(readBftExtra(chain.store.header(17)!.extraData)!.validators).toEqual(VALIDATORS);
    expect(schedule!.validatorsAfter(15)).toEqual(others);
    expect(schedule!.validatorsAfter(16)).toEqual(VALIDATORS);
    // A new node checks the whole chain, including seals.
    network.nodes.push(await network.stranger());
    await network.reach(20, network.nodes, 5 * MINUTE_MS);
  });

  it('are asked before a block of theirs is taken from a peer', async () => {
    const alloc = contractOf(addressWords(VALIDATORS.map(toHex)));
    network = new ValidatorNetwork(qbftGenesis([{ block: 2, ...BY_CONTRACT }], alloc));
    await network.start();
    await network.reach(4);
    const { chain, schedule } = network.nodes[0]!;
    const { header, hash, number } = chain.head();
    const verifier = new HeaderVerifier({
      chain,
      schedule,
      timers: network.time,
    });
    const child = {
      ...header,
      parentHash: hash,
      number: number + 1,
      timestamp: header.timestamp + 1n,
    };
    const stranger = { ...child, coinbase: new Uint8Array(20).fill(9) };
    const unsealed = withCommitSeals(child, 0, []);
    const foreign = withCommitSeals(child, 0, readBftExtra(header.extraData)!.seals);
    await network.time.pass(2000);
    // Before the parent's state exists the header cannot be checked; then every fault is found.
    expect(await verifier.verify([{ header: stranger, hash: child.parentHash }])).toBeUndefined();
    expect(chain.head().number).toBeGreaterThan(number);
    const at = (each: Header) =>
      new HeaderVerifier({
        chain: { ...chain, head: () => ({ header, hash, number }) } as Chain,
        schedule,
        timers: network.time,
      }).sealFault(each);
    expect([stranger, unsealed, foreign].map(at)).toEqual([
      'unauthorized',
      'zero committed seals',
      'invalid committed seals',
    ]);
  });

  it.each([
    ['reverts', '0x60006000fd', 'execution reverted'],
    ['is not there', '0x', 'no contract code at given address'],
    [
      'answers nothing',
      '0x00',
      'abi: attempting to unmarshall an empty string while arguments are expected',
    ],
    [
      'answers garbage',
      '0x60ff60005260206000f3',
      'abi: cannot marshal in to go slice: offset 287 would go over slice boundary (len=32)',
    ],
    ['names nobody', '0x602060005260406000f3', 'it names no validator'],
  ])('that %s stop the chain with a clear word, and nothing else', async (_, code, text) => {
    const alloc = { [CONTRACT]: { balance: '0x1', code } };
    const lines: string[] = [];
    network = new ValidatorNetwork(qbftGenesis([{ block: 3, ...BY_CONTRACT }], alloc));
    await network.start(4, () => ({
      log: (level, line, fields) => {
        if (level === 'error') lines.push(`${line}: ${fields?.err}`);
      },
    }));
    await network.reach(3);
    await network.time.pass(MINUTE_MS);
    expect(network.nodes.map(({ chain }) => chain.head().number)).toEqual([3, 3, 3, 3]);
    expect(new Set(lines)).toEqual(new Set([`BFT: invalid validator smart contract: ${text}`]));
  });
});

describe('other transitions', () => {
  it('change period, reward and beneficiary at their block', async () => {
    const beneficiary = `0x${'fe'.repeat(20)}`;
    const genesis = qbftGenesis([
      { block: 4, blockperiodseconds: 3, blockReward: '20', miningBeneficiary: beneficiary },
      { block: 7, blockperiodseconds: 1, blockReward: '0x0', emptyblockperiodseconds: 5 },
      { block: 9, emptyblockperiodseconds: 0 },
    ]);
    network = new ValidatorNetwork(genesis);
    await network.start();
    await network.reach(11);
    const { store } = network.nodes[0]!.chain;
    const gaps = Array.from({ length: 9 }, (_, i) =>
      Number(store.header(i + 3)!.timestamp - store.header(i + 2)!.timestamp),
    );
    expect(gaps).toEqual([1, 3, 3, 3, 5, 5, 1, 1, 1]);
    const reward = store.stateAt(PUBLIC_SPACE, 11).account(fromHex(beneficiary))?.balance;
    expect(reward).toBe(60n);
  });

  it('added by a newer file while the chain runs are crossed by all that know them', async () => {
    network = new ValidatorNetwork(ibftGenesis());
    await network.start();
    await network.reach(3);
    const disks = network.nodes.map(({ disk }) => disk);
    for (const node of network.nodes.splice(0)) await node.stop();
    const genesis = ibftGenesis([{ block: 12, algorithm: 'qbft' }]);
    for (const [index, disk] of disks.entries())
      network.nodes.push(await network.node(index, { disk, genesis }));
    await network.reach(15, network.nodes, 5 * MINUTE_MS);
    expect(kindsOf(network.nodes[0]!, 15).indexOf('qbft')).toBe(11);
  });

  it('are not crossed while a connected validator does not know them, and it is named beforehand', async () => {
    const lines: string[] = [];
    const later = ibftGenesis([{ block: 6, blockperiodseconds: 2 }]);
    network = new ValidatorNetwork(later);
    await network.start(3, () => ({
      log: (level, line, fields) => {
        if (level === 'warn' || level === 'error') lines.push(`${line} ${fields?.validator}`);
      },
    }));
    await network.reach(1, network.nodes, 5 * MINUTE_MS);
    const old = await network.node(3, { genesis: ibftGenesis() });
    network.nodes.push(old);
    const member = toHex(addressOfSecretKey(TOPOLOGY.nodes[3]!.nodeKey));
    await network.reach(2);
    expect(lines).toContain(
      `Validator does not know of a coming rule change: update its genesis file first ${member}`,
    );
    await network.reach(5, network.nodes, 5 * MINUTE_MS);
    await network.time.pass(MINUTE_MS);
    expect(network.nodes.map(({ chain }) => chain.head().number)).toEqual([5, 5, 5, 5]);
    expect(lines).toContain(
      `Not making a block from which other rules hold: a validator would not follow ${member}`,
    );
    network.nodes.pop();
    await old.stop();
    network.nodes.push(await network.node(3, { disk: old.disk, genesis: later }));
    await network.reach(8, network.nodes, 5 * MINUTE_MS);
  });

  it('are crossed after a while without one that says it does not know them, and would hold the network forever', async () => {
    const later = ibftGenesis([{ block: 4, blockperiodseconds: 2 }]);
    network = new ValidatorNetwork(later);
    await network.start(3);
    const old = await network.node(3, { genesis: ibftGenesis() });
    await network.reach(3, network.nodes, MINUTE_MS);
    await network.time.pass(HOLD_MS - MINUTE_MS);
    expect(network.nodes.map(({ chain }) => chain.head().number)).toEqual([3, 3, 3]);
    await network.reach(8, network.nodes, 5 * MINUTE_MS);
    await old.stop();
  });
});
