/**
 * Kind `consensus-networks`: recorded QBFT and IBFT networks: headers, seals, votes, snapshots,
 * istanbul_* answers, and all QBFT messages.
 */
import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { equalBytes, ZERO_ADDRESS } from '../../src/core/base/bytes.ts';
import { fromHex, toHex } from '../../src/core/base/hex.ts';
import { recoverAddress } from '../../src/core/base/secp256k1.ts';
import type { Block } from '../../src/core/chain/block.ts';
import type { BftEngine, ConsensusRules } from '../../src/core/chain/consensus-rules.ts';
import {
  blockAuthor,
  decodeQbftExtra,
  validatorsOf,
  withCommitSeals,
} from '../../src/core/chain/extra-data.ts';
import { proposerOf } from '../../src/core/consensus/bft/proposer.ts';
import { type Snapshot, snapshotJson } from '../../src/core/consensus/bft/snapshot.ts';
import { Snapshots } from '../../src/core/consensus/bft/snapshots.ts';
import { blockSigners, statusOf, statusRange } from '../../src/core/consensus/bft/status.ts';
import { authorOfHead } from '../../src/core/consensus/bft/step.ts';
import { committersOf, sealedHeaderFault } from '../../src/core/consensus/check-seals.ts';
import { decodeMessage, encodeMessage, signerOf } from '../../src/core/consensus/qbft/messages.ts';
import {
  attempt,
  expectEqual,
  filesOf,
  hexOf,
  type RecordedChain,
  readChain,
  reader,
} from './consensus-check.ts';
import { replay } from './consensus-replay.ts';
import { readJson } from './folders.ts';
import type { Report, VectorKind } from './kind.ts';

const LATER_MS = 4_000_000_000_000;

/** Networks whose transitions can be followed from headers alone. */
const TRANSITIONS = [
  'ibft-to-qbft',
  'legacy-istanbul-testQBFTBlock',
  'rewards',
  'gas-price',
  'limits',
  'block-period',
];

export const consensusNetworks: VectorKind = {
  name: 'consensus-networks',
  find(root) {
    const folder = join(root, 'goquorum/consensus');
    const files = ['blocks.json', 'events.json', 'rpc.io', 'wire.json'];
    return [
      ...['qbft', 'ibft'].flatMap((name) => filesOf(join(folder, name), files)),
      ...TRANSITIONS.flatMap((name) => filesOf(join(folder, 'transitions', name), ['blocks.json'])),
    ];
  },
  run(file, report) {
    const chain = readChain(dirname(file));
    const snapshots = snapshotsOf(chain);
    switch (basename(file, '.gz')) {
      case 'blocks.json':
        return checkBlocks(chain, snapshots, report);
      case 'events.json':
        return checkEvents(readJson(file), snapshots, report);
      case 'rpc.io':
        return checkAnswers(readFileSync(file, 'utf8'), chain, snapshots, report);
      default:
        return checkWire(file, chain, snapshots, report);
    }
  },
};

/**
 * The snapshots after each block, requested from the head down, so that the first request walks the
 * whole chain.
 */
function snapshotsOf({ blocks, rulesAt }: RecordedChain): Snapshot[] {
  const saved = new Map<string, Uint8Array>();
  const snapshots = new Snapshots({
    header: (number) => blocks[number]?.header,
    rulesAt,
    load: (hash) => saved.get(toHex(hash)),
    save: (hash, bytes) => saved.set(toHex(hash), bytes),
    contractValidators: () => {
      throw new Error('no contract names validators here');
    },
  });
  snapshots.at(blocks.length - 1, blocks.at(-1)!.hash);
  return blocks.map(({ header, hash }) => snapshots.at(header.number, hash));
}

function checkBlocks(chain: RecordedChain, snapshots: readonly Snapshot[], report: Report): void {
  const { blocks, entries, rulesAt } = chain;
  for (const { header, hash } of blocks) {
    const { number } = header;
    const entry = entries[number];
    const check = (what: string, actual: unknown, expected: unknown) =>
      expectEqual(report, `block ${number}: ${what}`, actual, expected);
    check('hash', toHex(hash), entry.hash);
    if (entry.validatorsAfter) {
      check('validators after', snapshots[number]!.validators.map(toHex), entry.validatorsAfter);
    }
    if (number === 0) continue;
    const parent = blocks[number - 1]!;
    const { validators } = snapshots[number - 1]!;
    const rules = rulesAt(number);
    const engine = engineOf(rules);
    const context = {
      engine,
      parent: parent.header,
      parentHash: parent.hash,
      validators,
      rules,
      nowMs: LATER_MS,
    } as const;
    check('header', sealedHeaderFault(header, context), undefined);
    check(
      'committers',
      committersOf(header, engine).map(hexOf),
      entry.decoded.committers.map(lower),
    );
    check('listed validators', validatorsOf(header).map(toHex), validators.map(toHex));
    const author = blockAuthor(engine, header)!;
    check('author', toHex(author), lower(entry.decoded.author ?? toHex(header.coinbase)));
    if (engine === 'ibft') continue;
    const { round } = decodeQbftExtra(header.extraData);
    const last = authorOfHead(parent.header, recoverAddress);
    const proposer = proposerOf(validators, rules.proposerPolicy, last, round);
    check('proposer', toHex(proposer), toHex(author));
  }
}

function engineOf({ engine }: ConsensusRules): BftEngine {
  return engine === 'ibft' ? 'ibft' : 'qbft';
}

function lower(text: string): string {
  return text.toLowerCase();
}

function checkEvents(events: any, snapshots: readonly Snapshot[], report: Report): void {
  for (const expected of events.snapshotsDuringVotes) {
    const name = `snapshot ${expected.number}`;
    expectEqual(report, name, snapshotJson(snapshots[expected.number]!), sorted(expected));
  }
}

/** The node's recorded answers, for methods that read only the chain. */
function checkAnswers(
  text: string,
  chain: RecordedChain,
  snapshots: readonly Snapshot[],
  report: Report,
): void {
  const queries = text.slice(text.indexOf('// --- queries'));
  for (const [, asked, answered] of queries.matchAll(/>> (.*)\n<< (.*)/g)) {
    const { method, params = [] } = JSON.parse(asked!);
    const { result, error } = JSON.parse(answered!);
    const answer = answerOf(method, params, chain, snapshots);
    if (!answer) continue;
    const name = `${method} ${JSON.stringify(params)}`;
    expectEqual(
      report,
      name,
      answer.error ?? sorted(answer.value),
      error?.message ?? sorted(result),
    );
  }
}

function answerOf(
  method: string,
  params: readonly any[],
  chain: RecordedChain,
  snapshots: readonly Snapshot[],
): { value?: unknown; error?: string } | undefined {
  const isReadable = params.every(
    (p) => p === null || /^(0x[0-9a-f]{1,3}|latest|earliest)$/.test(p),
  );
  if (!isReadable || (params[0] === 'latest' && params.length > 1)) return undefined;
  const head = chain.blocks.length - 1;
  const numbers = params.map((param) => numberOf(param, head));
  if (method === 'istanbul_status') {
    return attempt(() => {
      const range = statusRange(head, numbers[0], numbers[1]);
      const { validators } = snapshots[range.end]!;
      const authors = chain.blocks
        .slice(range.start, range.end)
        .map(({ header }) => blockAuthor(engineOf(chain.rulesAt(header.number)), header)!);
      return statusOf(range, validators, authors);
    });
  }
  const number = numbers[0] ?? head;
  const snapshot = snapshots[number];
  if (!snapshot) return undefined;
  if (method === 'istanbul_getValidators') return { value: snapshot.validators.map(toHex) };
  if (method === 'istanbul_getSnapshot') return { value: snapshotJson(snapshot) };
  if (method === 'istanbul_getSignersFromBlock')
    return attempt(() => signersJson(engineOf(chain.rulesAt(number)), chain.blocks[number]!));
  return undefined;
}

function signersJson(engine: BftEngine, { header }: Block) {
  const { number, hash, author, committers } = blockSigners(engine, header);
  return {
    Number: number,
    Hash: toHex(hash),
    Author: toHex(author),
    Committers: committers.map(toHex),
  };
}

function numberOf(param: string | null, head: number): number | undefined {
  if (param === null) return undefined;
  if (param === 'latest') return head;
  return param === 'earliest' ? 0 : Number(param);
}

/**
 * Nodes store different seals for one block: the number of committers is fixed, their choice and
 * order is not. Where GoQuorum returns null for an empty list, we return an empty list
 * (docs/known-differences.md).
 */
function sorted(value: any): any {
  if (value === null || typeof value !== 'object') return value;
  if ('votes' in value) return { ...value, votes: value.votes ?? [] };
  if (!('Committers' in value)) return value;
  return { ...value, Committers: value.Committers?.length ?? 0 };
}

/**
 * We encode every message byte for byte as recorded, and an engine that receives them all decides
 * every block.
 */
function checkWire(
  file: string,
  chain: RecordedChain,
  snapshots: readonly Snapshot[],
  report: Report,
): void {
  const recorded: any[] = readJson(file);
  for (const [i, { node, code, payload, sequence, round }] of recorded.entries()) {
    const message = decodeMessage(code, fromHex(payload));
    const fields = [
      hexOf(signerOf(reader(ZERO_ADDRESS), message)),
      message.view,
      toHex(encodeMessage(message)),
    ];
    expectEqual(report, `message ${i}`, fields, [
      node.toLowerCase(),
      { height: sequence, round },
      payload,
    ]);
  }
  const messages = recorded.map(({ code, payload }) => ({ code, bytes: fromHex(payload) }));
  const { decisions: all, faults } = replay(chain.blocks[0]!, messages, {
    signer: reader(ZERO_ADDRESS),
    // The recorded messages continue after the last recorded block.
    validatorsAfter: ({ header }) => (snapshots[header.number] ?? snapshots.at(-1)!).validators,
    rulesAt: chain.rulesAt,
  });
  expectEqual(report, 'nobody misbehaved', faults, []);
  const decisions = all.filter(({ block }) => chain.blocks[block.header.number]);
  expectEqual(report, 'blocks decided', decisions.length, chain.blocks.length - 1);
  for (const { block, round, seals } of decisions) {
    const known = chain.blocks[block.header.number]!;
    const isSame = equalBytes(known.hash, block.hash);
    const extra = decodeQbftExtra(known.header.extraData);
    expectEqual(report, `decision ${block.header.number}`, [isSame, round], [true, extra.round]);
    const header = withCommitSeals(block.header, round, seals);
    const parent = chain.blocks[block.header.number - 1]!;
    const fault = sealedHeaderFault(
      header,
      {
        engine: 'qbft',
        parent: parent.header,
        parentHash: parent.hash,
        validators: snapshots[parent.header.number]!.validators,
        rules: chain.rulesAt(block.header.number),
        nowMs: LATER_MS,
      },
      recoverAddress,
    );
    expectEqual(report, `seals of decision ${block.header.number}`, fault, undefined);
  }
}
