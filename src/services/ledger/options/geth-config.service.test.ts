/**
 * A configuration written by GoQuorum's `geth dumpconfig`, unchanged and with operators' changes.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { OWN_VECTORS } from '../../../../test/vectors/folders.ts';
import { parseOptions } from '../../../io/options/options.ts';
import { NODE_ROWS } from '../options.ts';
import { translateGethKey } from './geth-config.ts';

const DUMP = readFileSync(join(OWN_VECTORS, 'goquorum/cli/dumpconfig.toml'), 'utf8');

function read(text: string, ...argv: string[]) {
  return parseOptions(NODE_ROWS, {
    argv,
    file: { name: 'geth.toml', text, translate: translateGethKey },
  });
}

/** The dump with other values for some keys, or with more keys at the end of a table. */
function changed(changes: Readonly<Record<string, string>>): string {
  return Object.entries(changes).reduce((text, [key, value]) => {
    const line = new RegExp(`^${key} = .*$`, 'm');
    return line.test(text) ? text.replace(line, `${key} = ${value}`) : `${text}\n${value}\n`;
  }, DUMP);
}

/** Values of all flags that the file sets. */
function setBy(text: string): Record<string, unknown> {
  const options = read(text);
  return Object.fromEntries(
    NODE_ROWS.filter(({ flag }) => options.source(flag) === 'file').map(({ flag, type }) => {
      if (type === 'boolean') return [flag, options.boolean(flag)];
      if (type === 'list') return [flag, options.list(flag)];
      return [flag, type === 'string' ? options.string(flag) : options.number(flag)];
    }),
  );
}

describe('a configuration of geth', () => {
  it('sets what it asks for, and what geth always writes says nothing', () => {
    expect(setBy(DUMP)).toEqual({ networkid: 1337, datadir: '<datadir>/.ethereum' });
    expect([...read(DUMP).ignored().values()]).toEqual([['Node.P2P.BootstrapNodesV5']]);
  });

  it('opens servers by their address, and takes lists, durations and addresses as geth writes them', () => {
    expect(
      setBy(
        changed({
          NetworkId: '10',
          HTTPHost: '"0.0.0.0"',
          HTTPPort: '22000',
          HTTPModules: '["eth", "istanbul"]',
          WSHost: '"127.0.0.1"',
          ListenAddr: '"[::1]:21000"',
          NoDiscovery: 'true',
          BootstrapNodes: '[]',
          BootstrapNodesV5: '[]',
          Lifetime: '60000000000',
          EVMCallTimeOut: '9000000000',
          GasPrice: '0',
          RaftMode: 'true',
          RaftLogDir: '"/raft"',
          IPCPath: '""',
        }),
      ),
    ).toEqual({
      networkid: 10,
      datadir: '<datadir>/.ethereum',
      http: true,
      'http.addr': '0.0.0.0',
      'http.port': 22_000,
      'http.api': ['eth', 'istanbul'],
      ws: true,
      'ws.addr': '127.0.0.1',
      'p2p.addr': '::1',
      port: 21_000,
      nodiscover: true,
      'txpool.lifetime': 60_000,
      'vm.calltimeout': 9,
      'miner.gasprice': 0,
      raft: true,
      raftlogdir: '/raft',
      ipcdisable: true,
    });
  });

  it('takes the networks and the bootnodes of its lists', () => {
    const options = read(
      '[Node.P2P]\nNetRestrict = ["10.0.0.0/8", "192.168.0.0/16"]\nBootstrapNodes = ["enode://1"]',
    );
    expect(options.list('netrestrict')).toEqual(['10.0.0.0/8', '192.168.0.0/16']);
    expect(options.list('bootnodes')).toEqual(['enode://1']);
  });

  it('says of each key that changes nothing what holds instead', () => {
    const ignored = read(
      changed({ DatabaseCache: '4096', ReadTimeout: '1', InfluxDBDatabase: '"mine"', Epoch: '10' }),
    ).ignored();
    expect(ignored.get('caches size themselves')).toEqual(['Eth.DatabaseCache']);
    expect(ignored.get('the genesis file configures consensus')).toEqual(['Eth.Istanbul.Epoch']);
    expect([...ignored.values()].flat()).toEqual(
      expect.arrayContaining(['Node.HTTPTimeouts.ReadTimeout', 'Metrics.InfluxDBDatabase']),
    );
  });

  it('refuses what would be unsafe to leave out, and what is not a key of geth', () => {
    expect(() => read('[Eth.Genesis.Config]\nChainID = 1')).toThrow('--genesis');
    expect(() => read('[Node.P2P]\nMaxPeer = 3')).toThrow(
      'geth.toml: geth knows no key Node.P2P.MaxPeer (did you mean Node.P2P.MaxPeers?)',
    );
    expect(() => read('[Eth]\nSyncMode = "light"')).toThrow('geth.toml: Eth.SyncMode');
  });

  it('is below flags, and flags in their own words stand beside its tables', () => {
    const options = read('[Node]\nHTTPPort = 1\n[http]\ncorsdomain = "*"', '--http.port', '2');
    expect(options.number('http.port')).toBe(2);
    expect(options.list('http.corsdomain')).toEqual(['*']);
  });
});

it('every flag of GoQuorum is known', () => {
  const text = readFileSync(join(OWN_VECTORS, 'goquorum/cli/flags.json'), 'utf8');
  const known = new Map(
    NODE_ROWS.flatMap((row) => [row.flag, ...(row.aliases ?? [])].map((name) => [name, row])),
  );
  const flags = JSON.parse(text).filter(({ name }: { name: string }) => name !== 'help');
  const unlike = flags.filter(({ name, takesValue }: { name: string; takesValue: boolean }) => {
    const row = known.get(name);
    return row === undefined || (row.type !== 'boolean') !== takesValue;
  });
  expect(unlike).toEqual([]);
});
