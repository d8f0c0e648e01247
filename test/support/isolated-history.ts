/**
 * Private transactions of nodes 1 and 2, full of marked words that nobody else may see; and a
 * public contract.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Transaction, Wallet } from 'ethers';
import { expect } from 'vitest';
import { toHex } from '../../src/core/base/hex.ts';
import { partyGroup } from '../../src/core/privacy/eea.ts';
import { type Canary, canary, canaryContract } from './canaries.ts';
import { type RpcReceipt, type TestDevnet, untilBlock, untilMined } from './devnet.ts';
import { signEea } from './eea.ts';
import { sealEnvelope, sendPrivate, signPrivate, storeRaw } from './private-transactions.ts';
import type { Target } from './target.ts';
import type { Open } from './tracing-probes.ts';

/** Index of the node that sends. */
export const PARTY = 0;
const PRECOMPILE = '0x000000000000000000000000000000000000007a';

const argument = canary('argument');
const returned = canary('returned');
const stored = canary('stored');
const topic = canary('topic');
const reverted = canary('reverted');
const marked = canary('marked');
const markedTopic = canary('markedtopic');
const refused = canary('refused');
const eeaArgument = canary('eeaargument');
const eeaStored = canary('eeastored');
const eeaTopic = canary('eeatopic');
/** Used in a public contract. */
export const open = canary('open');
export const openTopic = canary('opentopic');
export const EEA = [eeaArgument, eeaStored, eeaTopic];
export const FOUND_BY_PARTIES = [
  argument,
  returned,
  stored,
  topic,
  reverted,
  marked,
  markedTopic,
  ...EEA,
];
export const ALL: readonly Canary[] = [...FOUND_BY_PARTIES, refused];

/** Where the manager of a node serves `app`, according to its configuration. */
export function managerUrl(net: TestDevnet, at: number, app: string): string {
  const config = readFileSync(join(net.folder, `ptm${at + 1}`, 'config.json'), 'utf8');
  const { serverConfigs } = JSON.parse(config) as {
    serverConfigs: { app: string; serverAddress: string }[];
  };
  return serverConfigs.find((each) => each.app === app)!.serverAddress;
}

function input(...words: Canary[]): string {
  return `0x${words.map(({ hex }) => hex).join('')}`;
}

/** Deploys a public contract that logs. */
export async function publicHistory(net: TestDevnet): Promise<Open> {
  const rpc = net.rpc[PARTY]!;
  const { address: from } = net.accounts[0]!;
  const send = async (fields: object): Promise<RpcReceipt> => {
    const args = { from, gas: '0x100000', ...fields };
    return untilMined(rpc, await rpc.call('eth_sendTransaction', args));
  };
  const { contractAddress } = await send({ data: canaryContract(open, open) });
  const called = await send({ to: contractAddress, data: input(open, openTopic) });
  return { hash: called.transactionHash, contract: contractAddress! };
}

/**
 * Deploys a private contract, calls it, lets a call fail, and calls it inside a privacy marker; one
 * send is refused.
 */
export async function privateHistory(net: TestDevnet): Promise<Target[]> {
  const creation = await sendPrivate(net, { data: canaryContract(argument, returned) }, [1]);
  const contract = (await untilMined(net.rpc[PARTY]!, creation)).contractAddress!;
  const hashes = [creation];
  for (const data of [input(stored, topic), input(reverted, topic, reverted)]) {
    hashes.push(await sendPrivate(net, { to: contract, data }, [1]));
  }
  hashes.push(await sendMarked(net, contract));
  const unknown = Buffer.alloc(32, 7).toString('base64');
  const { address: from } = net.accounts[0]!;
  await expect(
    net.rpc[PARTY]!.call('eth_sendTransaction', {
      from,
      to: contract,
      data: input(refused),
      gas: '0x100000',
      privateFor: [unknown],
    }),
  ).rejects.toThrow();
  const all: Target[] = [];
  for (const hash of hashes) all.push(await targetOf(net, hash, contract));
  all.push(await eeaHistory(net));
  for (const rpc of net.rpc) await untilBlock(rpc, Number(all.at(-1)!.blockNumber));
  return all;
}

/**
 * For externally signed transactions: the inner one goes to the parties, and a marker to the chain.
 */
async function sendMarked(net: TestDevnet, contract: string): Promise<string> {
  const rpc = net.rpc[PARTY]!;
  const { address, privateKey } = net.accounts[1]!;
  const nonce = Number(await rpc.call('eth_getTransactionCount', address, 'pending'));
  const payload = await storeRaw(net, PARTY, input(marked, markedTopic));
  const inner = signPrivate(privateKey, { nonce, to: contract, data: payload });
  const privateFor = [net.keys[1]];
  const data = await rpc.call('eth_distributePrivateTransaction', inner, { privateFor });
  const marker = Transaction.from({
    ...{ type: 0, chainId: 1337, gasPrice: 0, gasLimit: 100_000 },
    ...{ nonce, to: PRECOMPILE, data },
  });
  const signed = await new Wallet(privateKey).signTransaction(marker);
  return rpc.call('eth_sendRawTransaction', signed);
}

/** Deploys and calls an EEA contract of the two parties. */
async function eeaHistory(net: TestDevnet): Promise<Target> {
  const rpc = net.rpc[PARTY]!;
  const keys = net.keys.slice(0, 2).map((key) => Uint8Array.from(Buffer.from(key, 'base64')));
  const send = async (fields: object) => {
    const raw = signEea({ privateFrom: keys[0]!, to: [keys[1]!], ...fields });
    const hash = await rpc.call<string>('eea_sendRawTransaction', toHex(raw));
    await untilMined(rpc, hash);
    return { hash, made: await rpc.call<any>('priv_getTransactionReceipt', hash) };
  };
  const created = await send({ data: canaryContract(eeaArgument, returned) });
  const contract = created.made.contractAddress;
  const called = await send({ nonce: 1, contract, data: input(eeaStored, eeaTopic) });
  expect([created.made.status, called.made.status]).toEqual(['0x1', '0x1']);
  const group = Buffer.from(partyGroup(keys)).toString('base64');
  const groupKeys = [net.keys[0]!, [net.keys[1]!]] as const;
  return {
    ...(await targetOf(net, called.hash, contract)),
    ...{ from: called.made.from, group, groupKeys },
  };
}

async function targetOf(net: TestDevnet, hash: string, contract: string): Promise<Target> {
  const rpc = net.rpc[PARTY]!;
  const { blockNumber, blockHash }: RpcReceipt = await untilMined(rpc, hash);
  const transaction = await rpc.call<{ input: string; from: string }>(
    'eth_getTransactionByHash',
    hash,
  );
  return {
    hash,
    blockNumber,
    blockHash,
    blockRlp: await rpc.call('debug_getRawBlock', blockNumber),
    contract,
    payload: transaction.input,
    raw: await rpc.call('eth_getRawTransactionByHash', hash),
    from: transaction.from,
    envelope: await sealEnvelope(managerUrl(net, PARTY, 'Q2T'), argument.hex),
    management: contract,
    filter: await rpc.call('eth_newFilter', { fromBlock: '0x0' }),
  };
}
