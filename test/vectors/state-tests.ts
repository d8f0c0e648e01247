/**
 * Official EVM state tests, Byzantium to Cancun: one transaction on a small state, then the state
 * root and the logs.
 */
import { basename } from 'node:path';
import { fromHex, toHex } from '../../src/core/base/hex.ts';
import { keccak256 } from '../../src/core/base/keccak.ts';
import { gasPace, type Pace } from '../../src/core/base/pace.ts';
import { encodeRlp } from '../../src/core/base/rlp.ts';
import { EMPTY_UNCLES_HASH } from '../../src/core/chain/block.ts';
import { EMPTY_BLOOM } from '../../src/core/chain/bloom.ts';
import type { Header } from '../../src/core/chain/header.ts';
import type { Rules } from '../../src/core/chain/rules.ts';
import { checkSigner } from '../../src/core/chain/signing.ts';
import { decodeTransaction } from '../../src/core/chain/transaction.ts';
import { blockEnvironment } from '../../src/core/execution/environment.ts';
import type { Message } from '../../src/core/execution/message.ts';
import { applyMessage } from '../../src/core/execution/public-transaction.ts';
import { PublicWorld } from '../../src/core/state/public-world.ts';
import { rulesOfName } from '../support/fork-rules.ts';
import { bigintOf, stateOf } from './alloc.ts';
import { filesBelow, readJson } from './folders.ts';
import { type Report, Tally, type VectorKind } from './kind.ts';

const ZERO_HASH = new Uint8Array(32);

/** 2^32 rounds of BLAKE2b take most of a minute in each of its cases. */
export const LONG_TEST = 'stTimeConsuming/CALLBlake2f_MaxRounds';

/**
 * Loops of up to 500 million steps. All other tests are interrupted as often as possible; these
 * would take minutes of it.
 */
const PERFORMANCE = /^VMTests\/vmPerformance\//;

export const stateTests: VectorKind = {
  name: 'state-tests',
  find: (root) => filesBelow(root, (path) => /public\/state-tests\/.*\.json\.gz$/.test(path)),
  run: (file, report) => runStateTests(file, report, () => true),
};

/** Runs the cases of all files below `root` that `isWanted` accepts. */
export function tallyOfStateTests(root: string, isWanted: IsWanted): Tally {
  const tally = new Tally();
  for (const file of stateTests.find(root)) runStateTests(file, tally, isWanted);
  return tally;
}

/** Tells by the test's path, and the number of the case in its file. */
type IsWanted = (path: string, number: number) => boolean;

function runStateTests(file: string, report: Report, isWanted: IsWanted): void {
  let number = 0;
  for (const [path, test] of Object.entries<any>(readJson(file))) {
    for (const [fork, posts] of Object.entries<any[]>(test.post)) {
      const rules = rulesOfName(fork);
      posts.forEach((post, index) => {
        if (!isWanted(path, number++)) return;
        const pace = gasPace(PERFORMANCE.test(path) ? 1_000 : 1);
        const outcome = execute(test, post, rules, pace);
        judge(`${basename(file)} ${path} ${fork} ${index}`, outcome, post, report);
      });
    }
  }
}

function judge(name: string, { root, logs, fault }: Outcome, post: any, report: Report): void {
  const isRefused = fault !== undefined;
  if (isRefused !== (post.expectException !== undefined)) {
    report.fail(name, `expected ${post.expectException ?? 'no exception'}, found ${fault}`);
  } else if (root !== post.hash) {
    report.fail(name, `state root ${root}, expected ${post.hash}`);
  } else if (logs !== post.logs) {
    report.fail(name, `logs ${logs}, expected ${post.logs}`);
  } else {
    report.pass(name);
  }
}

interface Outcome {
  root: string;
  logs: string;
  fault: string | undefined;
}

/** Like geth's runner: the coinbase is touched even if the transaction was refused. */
function execute(test: any, post: any, rules: Rules, pace: Pace): Outcome {
  const { reader, trie } = stateOf(test.pre);
  const header = headerOf(test.env, rules);
  const shared = { ...blockEnvironment(header, header.coinbase, rules, hashOfNumber), pace };
  let world = new PublicWorld(reader, header.number);
  let fault: string | undefined;
  try {
    const message = messageOf(test, post, rules);
    world.beginTransaction();
    applyMessage(world, message, shared, { left: header.gasLimit });
  } catch (error) {
    fault = (error as Error).message;
    world = new PublicWorld(reader, header.number);
    world.beginTransaction();
  }
  world.addBalance(header.coinbase, 0n);
  world.finishTransaction(rules);
  const logs = world.logs.all().map(({ address, topics, data }) => [address, topics, data]);
  return {
    root: toHex(trie.update(world.writeSet()).root()),
    logs: toHex(keccak256(encodeRlp(logs))),
    fault,
  };
}

function hashOfNumber(number: number): Uint8Array {
  return keccak256(Uint8Array.from(Buffer.from(String(number))));
}

function headerOf(env: any, rules: Rules): Header {
  return {
    parentHash: ZERO_HASH,
    unclesHash: EMPTY_UNCLES_HASH,
    coinbase: fromHex(env.currentCoinbase),
    stateRoot: ZERO_HASH,
    transactionsRoot: ZERO_HASH,
    receiptsRoot: ZERO_HASH,
    bloom: EMPTY_BLOOM,
    difficulty: bigintOf(env.currentDifficulty),
    number: Number(env.currentNumber),
    gasLimit: bigintOf(env.currentGasLimit),
    gasUsed: 0n,
    timestamp: bigintOf(env.currentTimestamp),
    extraData: new Uint8Array(0),
    mixHash: rules.isParis ? fromHex(env.currentRandom) : ZERO_HASH,
    nonce: new Uint8Array(8),
    ...(rules.isLondon ? { baseFeePerGas: bigintOf(env.currentBaseFee ?? '0x0a') } : {}),
    ...(rules.isCancun ? { excessBlobGas: bigintOf(env.currentExcessBlobGas ?? '0x0') } : {}),
  };
}

function messageOf(test: any, post: any, rules: Rules): Message {
  if (post.txbytes !== undefined) {
    const tx = decodeTransaction(fromHex(post.txbytes), 'ethereum');
    checkSigner(tx, rules);
    return tx;
  }
  const fields = test.transaction;
  const gasPrice = bigintOf(fields.gasPrice);
  return {
    type: 0,
    sender: fromHex(fields.sender),
    nonce: bigintOf(fields.nonce),
    maxFeePerGas: gasPrice,
    maxPriorityFeePerGas: gasPrice,
    gasLimit: bigintOf(fields.gasLimit[post.indexes.gas]),
    to: fields.to === '' ? undefined : fromHex(fields.to),
    value: bigintOf(fields.value[post.indexes.value]),
    data: fromHex(fields.data[post.indexes.data]),
    accessList: [],
    maxFeePerBlobGas: 0n,
    blobVersionedHashes: [],
  };
}
