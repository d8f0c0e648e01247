/**
 * The simplest proxy that a team would write itself: viem signs, counts nonces and sends. In front
 * of the node on the given port; prints its port.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createWalletClient, defineChain, http } from 'viem';
import { nonceManager, privateKeyToAccount } from 'viem/accounts';

const [port, key] = process.argv.slice(2);
const rpc = `http://127.0.0.1:${port}`;
const chain = defineChain({
  ...{ id: 1337, name: 'bench', rpcUrls: { default: { http: [rpc] } } },
  nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
});
const account = privateKeyToAccount(key as `0x${string}`, { nonceManager });
const client = createWalletClient({ account, chain, transport: http(rpc) });

const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', async () => {
    const { id, params } = JSON.parse(Buffer.concat(chunks).toString());
    const { to, value, gas, data } = params[0];
    const fees = { type: 'legacy', gasPrice: 0n, gas: BigInt(gas) } as const;
    const result = await client.sendTransaction({ to, data, value: BigInt(value), ...fees });
    const text = JSON.stringify({ jsonrpc: '2.0', id, result });
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': text.length });
    response.end(text);
  });
});
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
