import { stripVTControlCharacters } from 'node:util';
import { getAddress } from 'ethers';
import { describe, expect, it } from 'vitest';
import { TEST_MNEMONIC } from '../../core/base/test-mnemonic.ts';
import { describeDevnet } from './description.ts';
import type { GenesisFile } from './genesis-file.ts';
import { type Output, pageFor } from './page.ts';
import type { PreparedFiles } from './prepared-files.ts';
import { startText } from './start-text.ts';
import { testAccounts } from './test-keys.ts';
import { type DevnetConsensus, topologyOf } from './topology.ts';
import { WELL_KNOWN_CONTRACTS } from './well-known-contracts.ts';

const SECRET = 'Kcl3q_M8_enRqSZ8kUJORyXil_78e4LC2MqB-w-NK08';
const QUICKSTART = testAccounts()
  .slice(0, 3)
  .map(({ address }) => address);
const TOKEN = 'vXb3q_M8_enRqSZ8kUJORyXil_78e4LC2MqB-w-NK09';
const ESCAPE = '\u001b';

function textOf(consensus: DevnetConsensus, output: Output, genesis: Partial<GenesisFile> = {}) {
  const topology = topologyOf('/home/me/.quorate', 60_000, consensus);
  const contracts = WELL_KNOWN_CONTRACTS.map(({ address }) => address);
  const file = {
    isEarlier: false,
    takesGasPrice: true,
    allocates: (address: string) => [...topology.funded, ...contracts].includes(address),
    ...genesis,
  } as GenesisFile;
  const ptmPublicKeys = topology.nodes.map(({ managerKey }) => managerKey.publicKey);
  const files = {
    genesis: file,
    ptmPublicKeys,
    stakingSecret: SECRET,
    operatorToken: TOKEN,
  } as unknown as PreparedFiles;
  const description = describeDevnet(topology, files, () => 7, 'token');
  const parts = { description, consensus, genesis: file, folder: '.quorate', stopWith: 'Ctrl-C' };
  return { description, text: startText(parts, pageFor(output)) };
}

const EARLIER: Partial<GenesisFile> = {
  isEarlier: true,
  takesGasPrice: false,
  allocates: (address) => QUICKSTART.includes(address),
};
const terminal = (columns: number): Output => ({ isTTY: true, columns, hasColors: () => true });
const widest = (text: string) =>
  Math.max(...text.split('\n').map((line) => stripVTControlCharacters(line).length));
const unfolded = (text: string) => text.replaceAll(/\n\s*/g, ' ');

describe.each(['qbft', 'raft'] as const)('of a %s network', (consensus) => {
  it.each([
    [60, 80],
    [80, 80],
    [119, 80],
    [120, 120],
    [200, 120],
  ])('a terminal of %i columns has lines of at most %i', (columns, most) => {
    for (const genesis of [{}, EARLIER])
      expect(widest(textOf(consensus, terminal(columns), genesis).text)).toBeLessThanOrEqual(most);
  });

  it.each([80, 120])('names every key and place, in %i columns', (columns) => {
    const { description, text } = textOf(consensus, terminal(columns));
    for (const { address, privateKey } of description.accounts) {
      expect(text).toContain(getAddress(address));
      expect(text).toContain(privateKey);
    }
    for (const { name, rpc, ptm, accounts } of description.nodes) {
      expect(text).toContain(`${name}  ${rpc}\n`);
      expect(text).toContain(`${name}  ${ptm.thirdParty}  ${ptm.publicKey}\n`);
      const [rich, poor] = accounts.map(({ address }) => getAddress(address));
      expect(text).toContain(`${name}  ${rich}  with funds\n           ${poor}  without funds\n`);
    }
    for (const { address, name } of WELL_KNOWN_CONTRACTS)
      expect(text).toContain(`${getAddress(address)}  ${name}`);
    for (const each of [
      TEST_MNEMONIC,
      SECRET,
      TOKEN,
      description.signer.rpc,
      description.staking.apiUrl,
      description.ramp.url,
      `${description.ramp.url}/operator`,
    ])
      expect(text).toContain(each);
    expect(unfolded(text)).toContain('Any price that your client offers is accepted');
    expect(text.trimEnd().split('\n').at(-1)).toBe(
      '    Ctrl-C stops the network; its state stays.',
    );
  });

  it('says of a network of an earlier version what that one has', () => {
    const { description, text } = textOf(consensus, terminal(80), EARLIER);
    expect(unfolded(text)).toContain('0 alone, and clients must name it: gasPrice 0.');
    expect(unfolded(text)).toContain(
      'This network was created by an earlier version: --fresh deletes it',
    );
    for (const { accounts } of description.nodes)
      expect(text).toContain(`${getAddress(accounts[0].address)}  without funds`);
    for (const absent of ['Multicall3', TEST_MNEMONIC, 'with funds\n'])
      expect(text).not.toContain(absent);
  });
});

it('says what a network for development has in addition', () => {
  const topology = topologyOf('/home/me/.quorate', 60_000, 'qbft', true);
  expect(topology.hosts.map(({ name }) => name)).toEqual(['node1']);
  const { description, text: usual } = textOf('qbft', {});
  const genesis = { takesGasPrice: true, allocates: () => true } as unknown as GenesisFile;
  const parts = {
    description,
    genesis,
    consensus: 'qbft',
    folder: '.',
    stopWith: 'Ctrl-C',
  } as const;
  const text = startText({ ...parts, isDevelopment: true }, pageFor(terminal(80)));
  expect(widest(text)).toBeLessThanOrEqual(80);
  expect(unfolded(text)).toContain('4 members of one node for development');
  expect(unfolded(text)).toContain('evm_*, anvil_* and hardhat_* at every member');
  expect(usual).not.toContain('evm_');
});

it('is plain where no terminal shows it, or where no colours are wanted', () => {
  for (const output of [{}, { isTTY: true, columns: 80, hasColors: () => false }])
    expect(textOf('qbft', output).text).not.toContain(ESCAPE);
  expect(textOf('qbft', terminal(80)).text).toContain(ESCAPE);
});

it('has no word cut: styles and widths change nothing but breaks', () => {
  const [narrow, wide, plain] = [terminal(80), terminal(120), {}].map((output) =>
    stripVTControlCharacters(textOf('qbft', output).text).replaceAll(/\\?\s+/g, ''),
  );
  expect(narrow).toBe(wide);
  expect(plain).toBe(wide);
});
