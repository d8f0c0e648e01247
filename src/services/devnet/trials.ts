/** Commands to try on a new network, to be copied into a shell. */
import type { DevnetDescription } from './description.ts';
import { filled } from './page.ts';

/** Creation code of a contract that answers 42 to any call. */
const PRIVATE_CONTRACT = '0x600a600c600039600a6000f3602a60005260206000f3';
const INDENT = '  ';

/** Lines of at most `width` columns. */
export function trials({ nodes, signer, staking, accounts }: DevnetDescription, width: number) {
  const [first, second] = nodes;
  const [from, to] = accounts.map(({ address }) => address);
  const call = (url: string, method: string, params: readonly object[]) =>
    curl(url, { jsonrpc: '2.0', id: 1, method, params }, width);
  return [
    '# the height of the chain',
    ...call(first!.rpc, 'eth_blockNumber', []),
    '# 1 wei, by the signing proxy',
    ...call(signer.rpc, 'eth_sendTransaction', [{ from, to, value: '0x1' }]),
    '# a private contract of node1 and node2',
    ...call(first!.rpc, 'eth_sendTransaction', [
      { from, data: PRIVATE_CONTRACT, gas: '0x47b760', privateFor: [second!.ptm.publicKey] },
    ]),
    '# a token for the staking API',
    ...curl(
      `${staking.authUrl}/oauth/token`,
      {
        client_id: staking.client.clientId,
        client_secret: staking.client.clientSecret,
        audience: staking.audience,
        grant_type: 'client_credentials',
      },
      width,
    ),
  ];
}

const CONTINUES = ' \\';

/** JSON breaks between two members. */
function curl(url: string, body: object, width: number): string[] {
  const head = ['curl -s', "-H 'content-type: application/json'", url];
  const data = `-d '${JSON.stringify(body)}'`.split(/(?<=,|\[\{)(?=")/);
  const lines = [
    ...filled(head, width - CONTINUES.length).map((line) => line + CONTINUES),
    ...filled(data, width - INDENT.length, ''),
  ];
  return lines.map((line, at) => (at === 0 ? line : INDENT + line));
}
