/**
 * One client's program runs the scenario of README.md; a node that the client did not talk to
 * confirms the results.
 */
import { deepEqual, equal } from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { headOf, untilBlock, untilMined } from '../support/devnet.ts';
import { type Rpc, rpcClient } from '../support/rpc-client.ts';
import { viemClients } from '../support/viem-clients.ts';
import type { Client, Scheme } from './clients.ts';
import type { Contracts } from './contracts.ts';
import type { Installed } from './install.ts';
import { runProgram } from './program.ts';

/** An endpoint that clients are tried on. */
export interface Endpoint {
  readonly name: 'node' | 'signing proxy';
  readonly url: Record<Scheme, string>;
  /** The account that sends the transactions. */
  readonly sender: string;
  /** The sender's key; absent where the endpoint signs. */
  readonly privateKey?: string;
}

interface Transfer {
  readonly from: string;
  readonly to: string;
  readonly value: string;
}

/** The output of a program. */
interface Finding {
  readonly token: string;
  readonly box: string;
  readonly transaction: string;
  readonly past: readonly Transfer[];
  /** The events received by subscription, where the client can subscribe. */
  readonly heard?: readonly Transfer[];
  readonly read: { readonly balance: string; readonly value: string; readonly version: string };
}

/** The gas terms that the client chose for its transaction by default. */
export interface Offer {
  /** The transaction type: 0x0, 0x1 or 0x2. */
  readonly type: string;
  /** The highest price, in wei per unit of gas. */
  readonly gasPrice: bigint;
}

export interface Play {
  readonly client: Client;
  readonly installed: Installed;
  readonly endpoint: Endpoint;
  readonly scheme: Scheme;
  readonly contracts: Contracts;
  readonly chainId: number;
  /**
   * The URL of the node that confirms the results: another node than the endpoint's if there is
   * one.
   */
  readonly witness: string;
  /** Absent: the client's default. */
  readonly gasPrice?: 0;
}

/** Throws the program's error, or the first result that is wrong. */
export async function play(play: Play): Promise<Offer> {
  const { client, endpoint, scheme, contracts, chainId, gasPrice } = play;
  const to = `0x${randomBytes(20).toString('hex')}`;
  const { privateKey } = endpoint;
  const task = { url: endpoint.url[scheme], chainId, privateKey, to, contracts, gasPrice };
  const finding = await runProgram<Finding>(client, play.installed, task);
  const witness = rpcClient(play.witness);
  await untilMined(witness, finding.transaction);
  await untilBlock(witness, await headOf(rpcClient(endpoint.url.http)));

  const transfer = { from: lower(endpoint.sender), to, value: '5' };
  const read = { balance: '5', value: '42', version: '2' };
  deepEqual(finding.past.map(lowered), [transfer], 'the event that was read');
  if (finding.heard || (scheme === 'ws' && client.subscribes !== false))
    deepEqual(finding.heard?.map(lowered), [transfer], 'the event that was heard');
  deepEqual(finding.read, read, 'what the client read');
  deepEqual(await readBy(play.witness, contracts, finding, to), read, 'what another node reads');
  equal(await witness.call('eth_getBalance', to, 'latest'), '0x1', 'the wei that was sent');
  return offerOf(witness, finding.transaction);
}

async function readBy(url: string, contracts: Contracts, { token, box }: Finding, to: string) {
  const { node } = viemClients(url);
  const read = async (
    address: string,
    name: keyof Contracts,
    functionName: string,
    args: unknown[] = [],
  ) =>
    String(
      await node.readContract({
        address: address as `0x${string}`,
        abi: contracts[name].abi,
        functionName,
        args,
      }),
    );
  return {
    balance: await read(token, 'Token', 'balanceOf', [to]),
    value: await read(box, 'BoxV2', 'value'),
    version: await read(box, 'BoxV2', 'version'),
  };
}

async function offerOf(witness: Rpc, hash: string): Promise<Offer> {
  const { type, gasPrice, maxFeePerGas } = await witness.call<{
    type: string;
    gasPrice: string;
    maxFeePerGas?: string;
  }>('eth_getTransactionByHash', hash);
  return { type, gasPrice: BigInt(maxFeePerGas ?? gasPrice) };
}

const lower = (address: string) => address.toLowerCase();

function lowered({ from, to, value }: Transfer): Transfer {
  return { from: lower(from), to: lower(to), value };
}
