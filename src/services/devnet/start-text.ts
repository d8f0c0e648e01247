/**
 * The text that `npm start` prints: publicly known keys, addresses, what to try, and how to stop.
 */
import { checksumAddress } from '../../core/base/checksum-address.ts';
import { fromHex } from '../../core/base/hex.ts';
import { type DevnetDescription, hostsOf } from './description.ts';
import type { GenesisFile } from './genesis-file.ts';
import { columns, filled, type Page } from './page.ts';
import { type Account, isOfMnemonic } from './test-keys.ts';
import type { DevnetConsensus } from './topology.ts';
import { trials } from './trials.ts';
import { WELL_KNOWN_CONTRACTS } from './well-known-contracts.ts';

export interface StartTextParts {
  readonly description: DevnetDescription;
  readonly consensus: DevnetConsensus;
  readonly genesis: GenesisFile;
  /** As the user wrote it. */
  readonly folder: string;
  /** The key combination or the command that stops the network. */
  readonly stopWith: string;
  /** Whether the network has permission contracts. */
  readonly isPermissioned?: boolean;
  /** One development node serves all members. */
  readonly isDevelopment?: boolean;
}

interface Section {
  readonly title: string;
  readonly warning?: string;
  readonly lines: readonly string[];
}

const MARGIN = '  ';
const INDENT = '    ';

export function startText(parts: StartTextParts, page: Page): string {
  const { description } = parts;
  const room = page.width - INDENT.length;
  const sections: Section[] = [
    ...testAccounts(description, room),
    accountsOfNodes(parts),
    contracts(parts.genesis),
    permissions(parts, room),
    ...endpoints(description, room),
    metrics(parts),
    { title: 'Methods for development', lines: development(parts, room) },
    { title: 'Gas price', lines: words(gasPrice(parts.genesis), room) },
    { title: 'Try', lines: trials(description, room) },
    { title: 'End', lines: end(parts).flatMap((each) => words(each, room)) },
  ];
  return [
    '',
    ...words(headline(parts), page.width - MARGIN.length).map((line) => MARGIN + line),
    ...sections.filter(({ lines }) => lines.length > 0).flatMap((each) => rendered(each, page)),
    '',
  ].join('\n');
}

function rendered({ title, warning, lines }: Section, page: Page): string[] {
  return [
    '',
    MARGIN + page.heading(title),
    ...(warning === undefined ? [] : [MARGIN + page.warning(warning)]),
    ...lines.map((line) => INDENT + line),
  ];
}

const words = (text: string, width: number) => filled(text.split(' '), width);
const shown = (address: string) => checksumAddress(fromHex(address));

function headline({
  description: { chainId, nodes },
  consensus,
  isDevelopment,
}: StartTextParts): string {
  if (isDevelopment)
    return `Quorate devnet is up: chain id ${chainId}, ${nodes.length} members of one node for development, which makes a block for every transaction at once.`;
  const members = consensus === 'raft' ? 'Raft peers' : 'QBFT validators';
  return `Quorate devnet is up: chain id ${chainId}, ${nodes.length} ${members}, each with its private transaction manager.`;
}

function permissions(
  { description, folder, isPermissioned }: StartTextParts,
  room: number,
): Section {
  const { accounts, nodes } = description;
  const [first, last] = [accounts[0], accounts.at(-1)];
  const lines =
    isPermissioned && first && last
      ? [
          ...words(`${shown(first.address)} administers the network, and`, room),
          ...words(`${shown(last.address)} holds no permission; all others hold all rights.`, room),
          `npx quorate permission show --ledger.url ${nodes[0]!.rpc} \\`,
          `  --permission-config ${folder}/permission-config.json`,
        ]
      : [];
  return { title: 'Permissions by contracts, version 2', lines };
}

function testAccounts({ accounts, mnemonic }: DevnetDescription, room: number): Section[] {
  const derived = accounts.filter(isOfMnemonic);
  return [
    {
      title: 'Accounts with funds, unlocked on node1 and at the signing proxy',
      warning: 'EVERYBODY KNOWS THESE KEYS: never use them elsewhere.',
      lines: withKeys(
        accounts.filter((each) => !isOfMnemonic(each)),
        room,
      ),
    },
    {
      title: `Likewise, of this mnemonic at ${mnemonic.path}0 to 9`,
      lines: derived.length === 0 ? [] : [mnemonic.phrase, ...withKeys(derived, room)],
    },
  ];
}

/** The key next to its address if the line is wide enough, else below it. */
function withKeys(accounts: readonly Account[], room: number): string[] {
  const rows = accounts.map(({ address, privateKey }) => [shown(address), privateKey]);
  const lines = columns(rows);
  if (lines.every((line) => line.length <= room)) return lines;
  return rows.flatMap(([address, key]) => [address!, `  ${key}`]);
}

function accountsOfNodes({ description, genesis, isDevelopment }: StartTextParts): Section {
  const rows = description.nodes.flatMap(({ name, accounts }) =>
    accounts.map(({ address }, at) => [
      at === 0 ? name : '',
      shown(address),
      genesis.allocates(address) ? 'with funds' : 'without funds',
    ]),
  );
  const where = isDevelopment ? 'with all others, at every node' : 'there';
  return { title: `Accounts of each node, unlocked ${where}`, lines: columns(rows) };
}

function contracts(genesis: GenesisFile): Section {
  const there = WELL_KNOWN_CONTRACTS.filter(({ address }) => genesis.allocates(address));
  return {
    title: 'Contracts that are there from the first block',
    lines: columns(there.map(({ name, address }) => [shown(address), name])),
  };
}

function endpoints(
  { nodes, explorer, signer, staking, ramp }: DevnetDescription,
  room: number,
): Section[] {
  return [
    { title: 'Explorer, in a browser', lines: [explorer] },
    {
      title: 'Nodes: JSON-RPC, and WebSocket (ws://) on the same port',
      lines: columns(nodes.map(({ name, rpc }) => [name, rpc])),
    },
    {
      title: 'Private transaction managers: third-party API, and public key for privateFor',
      lines: columns(nodes.map(({ name, ptm }) => [name, ptm.thirdParty, ptm.publicKey])),
    },
    {
      title: 'Services',
      lines: [
        ...columns([
          ['signing proxy', signer.rpc, 'JSON-RPC and ws://, in front of node1'],
          ['staking API', staking.apiUrl, 'tokens at /oauth/token'],
          ['on-ramp', ramp.url, 'test cards: docs/ramp.md'],
        ]),
        ...words(`${ramp.url}/operator operates the on-ramp: sign in with`, room),
        ramp.operatorToken,
      ],
    },
  ];
}

function metrics({ description, folder }: StartTextParts): Section {
  const { signer, staking, ramp } = description;
  const nodes = hostsOf(description);
  return {
    title: `Metrics: prometheus --config.file=${folder}/prometheus.yml`,
    lines: columns([
      ...nodes.map(({ name, metrics: url }) => [name, url]),
      ...nodes.map(({ name, ptm }) => [`manager of ${name}`, ptm.metrics]),
      ['signing proxy', signer.metrics],
      ['staking API', staking.metrics],
      ['on-ramp', ramp.metrics],
    ]),
  };
}

function development({ isDevelopment }: StartTextParts, room: number): string[] {
  if (!isDevelopment) return [];
  const text =
    'evm_*, anvil_* and hardhat_* at every member: they move the clock, edit public and private states, impersonate accounts and go back to snapshots. See docs/development.md.';
  return words(text, room);
}

function gasPrice({ takesGasPrice }: GenesisFile): string {
  if (!takesGasPrice) return '0 alone, and clients must name it: gasPrice 0. See docs/fees.md.';
  return [
    'Any price that your client offers is accepted, and paid to the validator of the block. 0 is accepted too, so that',
    'accounts without funds may send, publicly and privately. See docs/fees.md.',
  ].join(' ');
}

function end({ genesis, folder, stopWith }: StartTextParts): string[] {
  return [
    `Scripts read ${folder}/devnet.json; logs are in ${folder}/*.log.`,
    genesis.isEarlier
      ? 'This network was created by an earlier version: --fresh deletes it and starts one of this version.'
      : '--fresh starts it again from the beginning.',
    `${stopWith} stops the network; its state stays.`,
  ];
}
