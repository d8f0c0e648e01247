/**
 * Kind `consensus-rpc`: the answers of a recorded network's validator about validators, votes and
 * seals while the chain grew, before and after transitions. A node in memory imports the blocks up
 * to the head at that time, and gets the same requests.
 */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fromHex, toHex } from '../../src/core/base/hex.ts';
import { genesisFromJson } from '../../src/core/chain/genesis.ts';
import { OPEN } from '../../src/io/rpc/access.ts';
import { type RpcNode, rpcNode } from '../support/rpc-node.ts';
import { expectEqual, filesOf, readBeside, readChain } from './consensus-check.ts';
import { filesBelow } from './folders.ts';
import type { Report, VectorKind } from './kind.ts';
import { answerFault, KnownDifferences } from './rpc-compare.ts';
import { parseTranscript } from './rpc-transcript.ts';

/** Methods that read only the chain. */
const READS = /^(istanbul_(get|isValidator|status|nodeAddress)|eth_getTransactionReceipt)/;
/** We accept a JSON number as a block number, which GoQuorum refuses (known differences). */
const NUMBER_REFUSED = 'invalid argument 0: hex string without 0x prefix';

export const consensusRpc: VectorKind = {
  name: 'consensus-rpc',
  find: (root) => {
    const consensus = join(root, 'goquorum/consensus');
    const found = filesBelow(consensus, (path) => /\/rpc\.io$/.test(path));
    return found.filter((path) => !/\/consensus\/raft\//.test(path) && hasBlocks(dirname(path)));
  },
  async run(file, report) {
    const folder = dirname(file);
    const { blocks } = readChain(folder);
    const keys = readBeside(folder, 'keys.json').validators;
    const node = await rpcNode({
      genesis: genesisFromJson(readBeside(folder, 'genesis.json')),
      secretKey: fromHex(keys[0].priv),
    });
    try {
      for (const { head, text } of partsOf(readFileSync(file, 'utf8'))) {
        for (const block of blocks.slice(1, head + 1)) await node.node.chain.commit(block, 'group');
        await askAll(node, text, folder, report);
      }
      await checkEveryBlock(node, folder, report);
    } finally {
      await node.close();
    }
  },
};

function hasBlocks(folder: string): boolean {
  return filesOf(folder, ['blocks.json']).length > 0;
}

/** The parts from each `head N` to the next; text before the first one does not name its head. */
function partsOf(text: string): { head: number; text: string }[] {
  const lines = text.split('\n');
  const parts: { head: number; lines: string[] }[] = [];
  let isKnown = false;
  for (const line of lines) {
    const head = /^\/\/ .*head (\d+)/.exec(line)?.[1];
    // A request that changed the chain.
    if (line.startsWith('>>') && /eth_sendRaw|istanbul_propose|istanbul_discard/.test(line))
      isKnown = false;
    if (head !== undefined) {
      parts.push({ head: Number(head), lines: [] });
      isKnown = true;
    }
    if (isKnown) parts.at(-1)!.lines.push(line);
  }
  return parts.map(({ head, lines: own }) => ({ head, text: own.join('\n') }));
}

async function askAll(node: RpcNode, text: string, folder: string, report: Report): Promise<void> {
  const known = new KnownDifferences();
  for (const { request, reply } of parseTranscript('rpc.io', text).exchanges) {
    const { method } = JSON.parse(request);
    if (!READS.test(method) || reply === undefined) continue;
    const ours = spelled(await node.dispatcher.handle(request, CALLER));
    const recorded = withoutNulls(withoutCommitters(reply));
    const fault = answerFault('replay', JSON.parse(recorded), JSON.parse(ours));
    const name = `${folder.split('/').at(-1)} ${request.slice(0, 120)}`;
    const isNumber = /"params":\[\d/.test(request) && recorded.includes(NUMBER_REFUSED);
    const isKnown = isNumber ? ours.includes('"result"') : known.explain(method, recorded, ours);
    if (fault === undefined || isKnown) report.pass(name);
    else report.fail(name, fault);
  }
}

/** Each node has its own set of seals for a block. */
function withoutCommitters(reply: string): string {
  return reply.replace(/"Committers":\[[^\]]*\]/, '"Committers":[]');
}

/** An empty list is null in GoQuorum's answers, and [] in ours (known differences). */
function withoutNulls(reply: string): string {
  return reply.replace(/"(votes|Committers)":null/, '"$1":[]');
}

/** Our answers have the signers under two spellings (known differences); keeps GoQuorum's. */
function spelled(reply: string): string {
  const { result, ...envelope } = JSON.parse(reply);
  if (result?.committers === undefined) return reply;
  const { Number: number, Hash, Author, Committers } = result;
  const signers = { Number: number, Hash, Author, Committers };
  return withoutCommitters(JSON.stringify({ ...envelope, result: signers }));
}

/** Also for old blocks, on the whole chain. */
async function checkEveryBlock(node: RpcNode, folder: string, report: Report): Promise<void> {
  const { entries } = readChain(folder);
  for (const { number, hash, rpc, validatorsAfter } of entries) {
    if (!validatorsAfter || number > node.node.chain.head().number) continue;
    const name = `${folder.split('/').at(-1)} block ${number}`;
    const at = `0x${number.toString(16)}`;
    if (rpc) {
      const fault = answerFault('replay', rpc, await blockAsRecorded(node, at, rpc));
      if (fault === undefined) report.pass(`${name}: block`);
      else report.fail(`${name}: block`, fault);
    }
    const validators = await node.call('istanbul_getValidators', at);
    expectEqual(report, `${name}: validators`, validators, validatorsAfter);
    const { hash: ours } = await node.call('istanbul_getSnapshot', at);
    expectEqual(report, `${name}: hash`, ours, hash ?? toHex(node.node.chain.hashes(number)!));
  }
}

const CALLER = { transport: 'ipc', psi: undefined, access: OPEN, remote: 'test' } as const;

/** Omits inputs that the recording shortened (`…`). */
async function blockAsRecorded(node: RpcNode, at: string, recorded: any): Promise<any> {
  const block = await node.call('eth_getBlockByNumber', at, true);
  for (const [index, { input }] of recorded.transactions.entries())
    if (input.endsWith('…')) block.transactions[index].input = input;
  return block;
}
