/** What `npm start` prints: where everything is, whose keys are known to everybody, and three commands to try. */
import type { DevnetDescription } from './description.ts';
import type { GenesisFile } from './genesis-file.ts';
import type { DevnetConsensus } from './topology.ts';

export function renderTable(
  description: DevnetDescription,
  consensus: DevnetConsensus,
  genesis: GenesisFile,
): string {
  const rows = description.nodes.map((node) => [
    node.name,
    node.rpc,
    node.ws,
    node.ptm.thirdParty,
    node.ptm.publicKey,
  ]);
  const [first, second] = description.nodes;
  const [account] = description.accounts;
  return [
    '',
    `  Quorate devnet is up: chain id ${description.chainId}, ${description.nodes.length} ${consensus === 'raft' ? 'Raft peers' : 'QBFT validators'}, each with its private transaction manager.`,
    '',
    columns([['node', 'JSON-RPC', 'WebSocket', 'manager', "manager's public key"], ...rows]),
    '',
    `  Signing proxy: ${description.signer.rpc} and ${description.signer.ws}, in front of ${first!.name}, with the accounts below.`,
    `  Staking API and its tokens: ${description.staking.apiUrl}, audience ${description.staking.audience}`,
    `    test client: ${description.staking.client.clientId}  ${description.staking.client.clientSecret}`,
    '',
    '  Funded accounts, unlocked on node1. TEST KEYS: everybody knows them, never use them elsewhere.',
    ...description.accounts.map((each) => `    ${each.address}  ${each.privateKey}`),
    '',
    ...feeLines(genesis),
    '',
    '  Try:',
    `    ${call(first!.rpc, 'eth_blockNumber', [])}`,
    `    ${call(description.signer.rpc, 'eth_sendTransaction', [{ from: account!.address, to: description.accounts[1]!.address, value: '0x1' }])}`,
    `    ${call(first!.rpc, 'eth_sendTransaction', [{ from: account!.address, data: PRIVATE_CONTRACT, gas: '0x47b760', privateFor: [second!.ptm.publicKey] }])}`,
    `    ${tokenCall(description.staking)}`,
    '',
  ].join('\n');
}

function feeLines({ takesGasPrice, isEarlier }: GenesisFile): string[] {
  const anew = 'npm start -- --fresh';
  if (!takesGasPrice)
    return [
      '  Gas price: 0 alone. An earlier version made this network; clients must name gasPrice 0.',
      `    One that takes what clients offer by default: ${anew} (this one is deleted)`,
    ];
  return [
    '  Gas price: what your client offers, or 0: accounts without funds may send, privately too.',
    ...(isEarlier
      ? [
          `    An earlier version made this network. One of this version: ${anew} (this one is deleted)`,
        ]
      : []),
  ];
}

/** Creation code of a contract that answers 42 to any call. */
const PRIVATE_CONTRACT = '0x600a600c600039600a6000f3602a60005260206000f3';

function call(url: string, method: string, params: unknown[]): string {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  return `curl -s -H 'content-type: application/json' -d '${body}' ${url}`;
}

function tokenCall({ authUrl, audience, client }: DevnetDescription['staking']): string {
  const body = JSON.stringify({
    client_id: client.clientId,
    client_secret: client.clientSecret,
    audience,
    grant_type: 'client_credentials',
  });
  return `curl -s -H 'content-type: application/json' -d '${body}' ${authUrl}/oauth/token`;
}

function columns(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows
    .map(
      (row) =>
        `    ${row
          .map((cell, column) => cell.padEnd(widths[column]!))
          .join('  ')
          .trimEnd()}`,
    )
    .join('\n');
}
