/** `--dev` with a genesis file, and with several members. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { JsonRpcProvider } from 'ethers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePorts } from '../../../../../test/support/free-ports.ts';
import { type TestPtm, testKey, testPtm } from '../../../../../test/support/ptm.ts';
import { STORE_CODE } from '../../../../../test/support/store-contract.ts';
import { fromHex, toHex } from '../../../../core/base/hex.ts';
import { addressOfSecretKey } from '../../../../core/base/secp256k1.ts';
import { parseOptions } from '../../../../io/options/options.ts';
import { devnetGenesis } from '../../../devnet/genesis.ts';
import { ledgerConfig } from '../../config.ts';
import { NODE_ROWS } from '../../options.ts';
import { type RunningNode, startNode } from '../../start.ts';

const FIRST = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266';
const NOBODY = `0x${'77'.repeat(20)}`;
const OTHER = `0x${'ab'.repeat(20)}`;

async function start(argv: readonly string[]): Promise<RunningNode> {
  return startNode(ledgerConfig(parseOptions(NODE_ROWS, { argv: [...argv] })), {
    log: () => {},
    privateConfig: undefined,
    environment: {},
    onFault: (error) => {
      throw error;
    },
  });
}

it.each([
  [['--dev', '--mine'], 'Omit --mine'],
  [['--dev', '--raft'], 'Omit --raft'],
  [['--dev', '--multitenancy'], 'Omit --multitenancy'],
  [['--dev', '--dev.members', 'alice'], 'alice is not NAME=PORT'],
  [['--dev', '--dev.members', 'alice=65536'], 'alice=65536 is not NAME=PORT'],
  [['--dev', '--dev.members', '=8545'], '=8545 is not NAME=PORT'],
  [['--dev', '--dev.members', 'a=1,b=1'], 'two members have one name or one port'],
  [['--dev', '--dev.members', 'a=1,a=2'], 'two members have one name or one port'],
  [['--dev.members', 'a=1'], 'Add --dev'],
])('what a chain of one cannot have is refused: %s', (argv, text) => {
  expect(() => ledgerConfig(parseOptions(NODE_ROWS, { argv }))).toThrow(text);
});

it('a genesis file is taken if this node alone makes its blocks', async () => {
  const fresh = mkdtempSync(join(tmpdir(), 'quorate-genesis-'));
  const file = join(fresh, 'genesis.json');
  const key = '07'.repeat(32);
  const begin = async (addresses: readonly string[]) => {
    const nodes = addresses.map((address) => ({ address }));
    const parts = { consensus: 'qbft', nodes, funded: [OTHER] } as const;
    const periods = { blockPeriodSeconds: 1, emptyBlockPeriodSeconds: 0 };
    writeFileSync(file, JSON.stringify(devnetGenesis(parts, periods)));
    const folder = ['--datadir', join(fresh, String(nodes.length))];
    return start(['--dev', ...folder, '--genesis', file, '--nodekeyhex', key, '--http.port', '0']);
  };
  const own = toHex(addressOfSecretKey(fromHex(key)));
  try {
    await expect(begin([own, NOBODY])).rejects.toThrow('whose only validator is this node, 0x');
    const began = await begin([own]);
    const provider = new JsonRpcProvider(began.httpUrl);
    expect(await provider.getBalance(OTHER)).toBe(10n ** 27n);
    provider.destroy();
    await began.close();
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
});

describe('members', () => {
  const NAMES = ['alice', 'bob'];
  let fresh: string;
  let port: number;
  let shared: TestPtm;

  beforeAll(async () => {
    fresh = mkdtempSync(join(tmpdir(), 'quorate-members-'));
    port = await freePorts();
    const keys = await Promise.all([3, 4].map(testKey));
    shared = await testPtm(3, [], {
      keys: keys.map((key) => ({ kind: 'inline', ...key, password: { line: 0 } })),
      residentGroups: keys.map(({ publicKey }, at) => ({
        ...{ name: NAMES[at]!, description: '', members: [publicKey] },
      })),
    });
  });
  afterAll(async () => {
    await shared?.close();
    rmSync(fresh, { recursive: true, force: true });
  });

  const begin = (folder: string, ...flags: string[]) => {
    const own = ['--dev', '--datadir', join(fresh, folder), '--ptm.url', shared.q2tUrl!];
    return start([...own, '--http.port', String(port), ...flags]);
  };

  it('have a port and a private state each, on a chain that the node makes', async () => {
    const members = NAMES.map((name, at) => `${name}=${port + at}`).join(',');
    const began = await begin('both', '--dev.members', members);
    const urls = [port, port + 1].map((each) => `http://127.0.0.1:${each}`);
    const providers = urls.map((url) => new JsonRpcProvider(url));
    try {
      const psis = providers.map((each) => each.send('eth_getPSI', []));
      expect(await Promise.all(psis)).toEqual(NAMES);
      const args = { from: FIRST, data: STORE_CODE, gas: '0x47b760', privateFor: [] };
      const hash = await providers[1]!.send('eth_sendTransaction', [args]);
      const { contractAddress } = await providers[1]!.send('eth_getTransactionReceipt', [hash]);
      expect(await providers[0]!.getCode(contractAddress)).toBe('0x');
      expect(await providers[1]!.getCode(contractAddress)).not.toBe('0x');
    } finally {
      for (const each of providers) each.destroy();
      await began.close();
    }
  });

  it('that the manager does not have are refused, with those that it has', async () => {
    await expect(begin('others', '--dev.members', `carol=${port}`)).rejects.toThrow(
      'there is no private state "carol", only alice, bob.',
    );
  });
});
