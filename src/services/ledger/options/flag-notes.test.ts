import { expect, it } from 'vitest';
import { genesisFile } from '../../../../test/support/genesis-file.ts';
import { genesisFromJson } from '../../../core/chain/genesis.ts';
import { parseOptions } from '../../../io/options/options.ts';
import { NODE_ROWS } from '../options.ts';
import { type FlagWorld, flagRemarks, neededFlags } from './flag-notes.ts';

const genesis = (engine: 'qbft' | 'raft', config: object = {}) =>
  genesisFromJson(genesisFile({ engine, config, validators: [`0x${'11'.repeat(20)}`] })).config;

function world(argv: readonly string[], more: Partial<FlagWorld> = {}): FlagWorld {
  return {
    options: parseOptions(NODE_ROWS, { argv }),
    config: genesis('qbft'),
    engine: 'qbft',
    number: 8,
    address: '0x11',
    hasManager: false,
    isValidator: true,
    hasFile: () => false,
    ...more,
  };
}

const vain = (argv: readonly string[], more?: Partial<FlagWorld>) =>
  neededFlags(world(argv, more)).map(({ flags, why }) => `${flags.join(' ')}: ${why}`);
const remarks = (argv: readonly string[], more?: Partial<FlagWorld>) =>
  flagRemarks(world(argv, more)).join('\n');

it('a plain start has nothing to say', () => {
  expect(vain(['--mine'])).toEqual([]);
  expect(remarks(['--mine'])).toBe('');
  expect(
    vain([
      ...['--http', '--http.port', '8545', '--ws', '--ws.port=8546', '--http.vhosts', '*'],
      ...['--unlock', '0', '--password', 'x', '--metrics', '--metrics.addr', '0.0.0.0'],
      ...['--metrics.port', '9000', '--mine', '--txpool.globalslots', '5'],
    ]),
  ).toEqual([]);
});

it.each([
  [['--http.port', '8545', '--http.api=eth'], 'http.port http.api: they need --http'],
  [['--ws.origins', '*'], 'ws.origins: it needs --ws'],
  [['--http.vhosts', '*'], 'http.vhosts: it needs --http or --ws'],
  [['--ws.rpcprefix', '/ws'], 'ws.rpcprefix: it needs --ws'],
  [['--nodiscover', '--bootnodes', 'x'], 'bootnodes: it needs --nodiscover to be omitted'],
  [['--password', 'x'], 'password: it needs --unlock'],
  [['--allow-insecure-unlock'], 'allow-insecure-unlock: it needs --http or --ws'],
  [['--dev.period', '2'], 'dev.period: it needs --dev'],
  [['--raftport', '1', '--raftdnsenable'], 'raftport raftdnsenable: they need a Raft chain'],
  [['--istanbul.blockperiod', '1'], 'it needs a genesis file with a legacy "istanbul" block'],
  [['--miner.gasprice', '0'], 'it needs a chain where gas has a price (enableGasPriceBlock)'],
  [['--ptm.timeout', '3'], 'ptm.timeout: it needs a private transaction manager: --ptm.url'],
  [['--ptm.tls.rootca', 'x'], 'ptm.tls.rootca: it needs --ptm.tls.mode strict'],
  [['--metrics.addr', 'x'], 'metrics.addr: it needs --metrics'],
  [['--metrics', '--metrics.port', '5'], 'metrics.port: it needs --metrics.addr'],
  [['--pprof.port', '5'], 'pprof.port: it needs --pprof'],
  [['--ipcdisable', '--ipcpath', 'x'], 'ipcpath: it needs --ipcdisable to be omitted'],
  [['--rpc.auth.audience', 'x'], 'it needs --rpc.auth.keys or --rpc.auth.introspect'],
])('%j has no effect', (argv, text) => {
  const [only, ...more] = vain([...argv, '--mine']);
  expect(only).toContain(text);
  expect(more).toEqual([]);
});

it('flags that a chain or a manager uses have an effect', () => {
  const raft = { config: genesis('raft'), engine: 'raft', isValidator: undefined } as const;
  expect(vain(['--raftport', '1', '--raftlogdir', 'x'], raft)).toEqual([]);
  expect(vain(['--mine'], raft)[0]).toContain('mine: it needs a chain of validators');
  const priced = { config: genesis('qbft', { enableGasPriceBlock: 500 }) };
  expect(vain(['--miner.gasprice', '0'], priced)).toEqual([]);
  expect(vain(['--ptm.timeout', '3', '--ptm.url', 'http://x'], { hasManager: true })).toEqual([]);
  const plain = { config: genesis('qbft', { isQuorum: false }), hasManager: true };
  expect(vain(['--ptm.url', 'http://x'], plain)[0]).toContain('has no private transactions');
});

it.each<[string[], Partial<FlagWorld>, string]>([
  [['--nat', 'upnp'], {}, 'whatever --nat upnp asks for: name the address'],
  [['--permissioned'], {}, 'No peer may connect'],
  [
    [],
    { hasFile: (name) => name === 'permission-config.json' },
    'is not read: without --permissioned',
  ],
  [['--syncmode', 'fast'], {}, 'executed in full, whatever --syncmode fast'],
  [['--gcmode', 'full'], {}, 'of the newest 128 blocks are kept, older ones are pruned'],
  [['--gcmode', 'full', '--dev'], {}, 'The states of all blocks are kept'],
  [['--metrics'], {}, 'collected but not served'],
  [[], { isValidator: false }, '0x11, is not a validator of block 8'],
])('%j is remarked on', (argv, more, text) => {
  expect(remarks([...argv, '--mine'], more)).toContain(text);
});

it('a validator that does not mine is reported', () => {
  expect(remarks([])).toContain('stands by: the others miss its votes. Start it with --mine');
  expect(remarks([], { isValidator: undefined })).toBe('');
});

it('each flag that changes nothing says what holds instead, each refused one what to do', () => {
  for (const { flag, about, group, ignored, refused } of NODE_ROWS) {
    if (group.startsWith('Accepted')) expect(about, flag).toBe(`No effect: ${ignored}`);
    else expect(ignored, flag).toBeUndefined();
    if (group.startsWith('Refused')) expect(refused, flag).toMatch(/\w{3}/);
  }
});
