/**
 * A node that accepts every transaction immediately, for the bench of the signing proxy: a process
 * of its own. Prints its port.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

let taken = 0;
const HASH = `0x${'ab'.repeat(32)}`;

const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  let body = '';
  request.setEncoding('latin1');
  request.on('data', (chunk: string) => {
    body += chunk;
  });
  request.on('end', () => {
    const isCount = body.includes('eth_getTransactionCount');
    const id = /"id":("[^"]*"|-?\d+)/.exec(body)?.[1] ?? 'null';
    const result = body.includes('eth_chainId')
      ? '0x539'
      : isCount
        ? `0x${taken.toString(16)}`
        : HASH;
    if (body.includes('eth_sendRawTransaction')) taken++;
    const text = `{"jsonrpc":"2.0","id":${id},"result":"${result}"}`;
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': text.length });
    response.end(text);
  });
});
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
process.on('message', (message) => {
  if (message === 'taken') process.send!(taken);
});
