/** What stands where in the site's sidebar: pages by their place below `docs/`, without `.md`. */
export interface Room {
  readonly title: string;
  readonly pages: readonly (readonly [page: string, title: string])[];
}

export const CONTENTS: readonly Room[] = [
  {
    title: 'Start',
    pages: [
      ['start', 'In five minutes'],
      ['install', 'Installation'],
      ['deploy', 'Packages and deployment'],
      ['development', 'A chain to develop on'],
      ['console', 'Console'],
      ['explorer', 'Explorer'],
      ['screens', 'Screens'],
    ],
  },
  {
    title: 'Moving to Quorate',
    pages: [
      ['migration', 'A network, member by member'],
      ['from-goquorum', 'From GoQuorum'],
      ['from-tessera', 'From Tessera'],
      ['from-ethsigner', 'From EthSigner and Web3Signer'],
      ['known-differences', 'Known differences'],
    ],
  },
  {
    title: 'Cookbook',
    pages: [
      ['cookbook/private-token', 'A private token'],
      ['cookbook/contract-extension', 'A new party for a contract'],
      ['cookbook/permissioned-onboarding', 'A new member of a permissioned network'],
      ['cookbook/validator-vote', 'Voting a validator in'],
      ['cookbook/backup', 'Backup and restore'],
      ['cookbook/key-rotation', 'Key rotation'],
      ['cookbook/ramp-partner', 'A partner of the ramp'],
    ],
  },
  {
    title: 'Clients',
    pages: [
      ['client', 'Private transactions with viem and ethers'],
      ['clients', 'Tested clients'],
      ['client-shapes', 'Answers for strict parsers'],
      ['fees', 'Fees'],
      ['graphql', 'GraphQL'],
    ],
  },
  {
    title: 'Ledger',
    pages: [
      ['genesis', 'Genesis files'],
      ['consensus', 'Consensus'],
      ['raft', 'Raft'],
      ['permissioning', 'Permissioning'],
      ['access-control', 'Access control'],
      ['accounts', 'Accounts'],
      ['storage', 'Storage'],
      ['operation', 'Health of a node'],
      ['monitoring', 'Monitoring'],
      ['metrics', 'Metrics'],
    ],
  },
  {
    title: 'Privacy',
    pages: [
      ['privacy', 'Private transactions'],
      ['manager', 'The private transaction manager'],
    ],
  },
  {
    title: 'Signing proxy',
    pages: [
      ['signer', 'Methods and nonces'],
      ['signer-keys', 'Keys'],
      ['signer-security', 'Security'],
      ['signer-operation', 'Operation'],
    ],
  },
  {
    title: 'Staking and ramp',
    pages: [
      ['staking', 'Staking API and its tokens'],
      ['ramp', 'On- and off-ramp'],
      ['ramp-widget', 'Its pages in your site'],
    ],
  },
  {
    title: 'Reference',
    pages: [
      ['commands', 'Commands and flags'],
      ['configuration', 'Configuration files'],
      ['rpc', 'JSON-RPC methods'],
      ['rest', 'REST operations'],
      ['errors', 'Errors'],
      ['metric-names', 'Names of metrics'],
      ['geth-config', 'geth’s configuration file'],
      ['limits', 'Limits'],
      ['threat-model', 'Threat model'],
      ['performance', 'Performance'],
      ['performance-table', 'Performance: all figures'],
    ],
  },
  {
    title: 'Architecture',
    pages: [
      ['architecture', 'Rings and rooms'],
      ['internals/index', 'Machines'],
      ['internals/bft', 'QBFT and IBFT'],
      ['internals/raft', 'Raft'],
      ['internals/chain-store', 'Chain store'],
      ['internals/accounts', 'Account index'],
      ['internals/sync', 'Synchronisation'],
      ['internals/transaction-pool', 'Transaction pool'],
      ['internals/evm', 'EVM'],
      ['internals/private-state', 'Private state'],
      ['internals/private-transaction-manager', 'Private transaction manager'],
      ['internals/permissioning', 'Permissioning'],
      ['internals/threads', 'Threads'],
      ['internals/starting', 'Starting'],
      ['internals/discovery', 'Discovery'],
      ['internals/nonces', 'Nonces of the proxy'],
      ['internals/submission', 'Submission'],
      ['internals/staking', 'Staking'],
      ['internals/ramp-orders', 'Orders of the ramp'],
      ['internals/ramp-safety', 'Safety of the ramp'],
    ],
  },
];
