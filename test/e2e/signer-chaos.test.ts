/**
 * The signing proxy as a process, in front of a node that stalls, drops connections, and answers
 * 429, 500 and garbage; killed in between.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fromHex, toHex } from '../../src/core/base/hex.ts';
import { Prng } from '../../src/core/base/prng.ts';
import { type DecodedTransaction, decodeTransaction } from '../../src/core/chain/transaction.ts';
import { installCrypto } from '../../src/io/crypto/crypto.ts';
import { until } from '../support/conditions.ts';
import { MAIN } from '../support/devnet.ts';
import { freePorts } from '../support/free-ports.ts';
import { rpcClient } from '../support/rpc-client.ts';
import { type StandInNode, standInNode } from '../support/stand-in-node.ts';

const KEY = '0x8f2a55949038a9610f50fb23b5883af3b4ecb3c3bb792cbcefbd1542c692be63';
const REQUESTS = 300;
const KILLS = 3;
const BLOCK_MS = 100;

/** The chain of one account: what is mined, and what is pending in the pool, by nonce. */
class FaultyChain {
  readonly mined: DecodedTransaction[] = [];
  readonly pool = new Map<number, DecodedTransaction>();
  isFaulty = true;
  private readonly prng = new Prng(4711);

  mine(): void {
    for (
      let next = this.pool.get(this.mined.length);
      next;
      next = this.pool.get(this.mined.length)
    ) {
      this.pool.delete(this.mined.length);
      this.mined.push(next);
    }
  }

  play(call: { method: string; params: [string, string?] }): object | 'drop' | undefined {
    const fault = this.isFaulty && this.prng.chance(0.35) ? this.prng.below(7) : -1;
    // 0 and 1 lose the answer after the node has accepted the transaction.
    const answer = fault > 1 ? undefined : this.answer(call);
    if (fault === 0 || fault === 2) return undefined;
    if (fault === 1 || fault === 3) return 'drop';
    if (fault === 4) return { status: 429, body: 'slow down' };
    if (fault === 5) return { status: 500, body: '<html>oops</html>' };
    if (fault === 6) return { status: 200, body: '{"jsonrpc":"2.0","id":1,"result":' };
    return answer;
  }

  private answer({ method, params }: { method: string; params: [string, string?] }): object {
    if (method === 'eth_getTransactionByHash') return { result: this.knows(params[0]) ? {} : null };
    if (method !== 'eth_sendRawTransaction') return { result: toHex(Uint8Array.of(0)) };
    const transaction = decodeTransaction(fromHex(params[0]));
    const nonce = Number(transaction.nonce);
    const hash = toHex(transaction.hash);
    if (nonce < this.mined.length) return { error: { code: -32000, message: 'nonce too low' } };
    const there = this.pool.get(nonce);
    if (there && toHex(there.hash) === hash)
      return { error: { code: -32000, message: 'already known' } };
    if (there) return { error: { code: -32000, message: 'replacement transaction underpriced' } };
    this.pool.set(nonce, transaction);
    return { result: hash };
  }

  count(tag: string | undefined): string {
    let count = this.mined.length;
    while (tag === 'pending' && this.pool.has(count)) count++;
    return `0x${count.toString(16)}`;
  }

  private knows(hash: string): boolean {
    return [...this.mined, ...this.pool.values()].some((each) => toHex(each.hash) === hash);
  }
}

const chain = new FaultyChain();
let node: StandInNode;
let mining: NodeJS.Timeout;
let folder: string;
let port: number;
let proxy: ChildProcess;
let isUp = false;

async function startProxy(): Promise<void> {
  const args = [
    ...['signer', '--chain-id', '1337', '--data-path', folder, '--fill-gaps', '--logging', 'OFF'],
    ...['--http-listen-port', String(port), '--downstream-http-port', String(node.port)],
    ...['--downstream-http-request-timeout', '300', 'raw-signer', '--key', KEY],
  ];
  proxy = spawn(process.execPath, [MAIN, ...args], { stdio: 'ignore' });
  await until('the proxy is up', async () => (await fetch(`http://127.0.0.1:${port}/upcheck`)).ok);
  isUp = true;
}

beforeAll(async () => {
  await installCrypto();
  folder = mkdtempSync(join(tmpdir(), 'quorate-chaos-'));
  port = await freePorts();
  node = await standInNode((call) =>
    call.method === 'eth_getTransactionCount'
      ? { result: chain.count(call.params[1]) }
      : chain.play(call),
  );
  mining = setInterval(() => chain.mine(), BLOCK_MS);
  await startProxy();
});
afterAll(async () => {
  clearInterval(mining);
  proxy?.kill('SIGKILL');
  await node?.close();
  rmSync(folder, { recursive: true, force: true });
});

it('no nonce is lost, nothing runs twice, and everything acknowledged is mined', async () => {
  const rpc = rpcClient(`http://127.0.0.1:${port}`);
  const [from] = await rpc.call<string[]>('eth_accounts');
  const acknowledged = new Map<string, bigint>();
  let ended = 0;
  let sent = 0;
  const client = async () => {
    while (sent < REQUESTS) {
      await until('the proxy is up', () => isUp);
      // Each request has another value.
      const value = BigInt(++sent);
      await rpc
        .call('eth_sendTransaction', {
          from,
          to: from,
          gas: '0x5208',
          value: `0x${value.toString(16)}`,
        })
        .then(
          (hash) => acknowledged.set(hash, value),
          () => undefined,
        );
      ended++;
    }
  };
  const clients = Array.from({ length: 20 }, client);
  for (let kill = 1; kill <= KILLS; kill++) {
    await until('it is time to kill', () => ended >= (kill * REQUESTS) / (KILLS + 1));
    isUp = false;
    proxy.kill('SIGKILL');
    await startProxy();
  }
  await Promise.all(clients);
  chain.isFaulty = false;
  const isMined = (hash: string) => chain.mined.some((each) => toHex(each.hash) === hash);
  await until('all that was acknowledged is mined', () => [...acknowledged.keys()].every(isMined));
  await until('nothing waits behind a gap', () => chain.pool.size === 0);
  const values = chain.mined.map(({ value }) => value).filter((value) => value > 0n);
  expect(new Set(values).size).toBe(values.length);
  expect(acknowledged.size).toBeGreaterThan(REQUESTS / 3);
  for (const [hash, value] of acknowledged)
    expect(chain.mined.find((each) => toHex(each.hash) === hash)?.value).toBe(value);
});
