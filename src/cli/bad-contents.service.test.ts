/** Invalid content of files that a command reads: the error names what is wrong, and where. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { commandRun } from '../../test/support/command-run.ts';
import { genesisFile } from '../../test/support/genesis-file.ts';
import { scratchFolder } from '../../test/support/scratch.ts';

const root = scratchFolder('quorate-contents-');
const at = (...names: string[]) => join(root, ...names);
const GARBAGE = 'hunter2 {';

async function refusal(...argv: string[]): Promise<string> {
  const { status, lines } = await commandRun(...argv);
  const said = lines.join('\n');
  expect(status, said).toBe(1);
  expect(said).not.toMatch(/E[A-Z]{4,}:|Unexpected|at position|hunter2|^\s+at /m);
  return said.replaceAll(root, '@');
}

beforeAll(async () => {
  await commandRun('ptm', 'keygen', '--filename', at('tm'));
  const genesis = genesisFile({ engine: 'qbft', validators: [`0x${'11'.repeat(20)}`] });
  writeFileSync(at('genesis.json'), JSON.stringify(genesis));
  writeFileSync(at('garbage'), GARBAGE);
});

describe('the configuration of a manager', () => {
  const manager = (change: object) => {
    const config = {
      serverConfigs: ['Q2T', 'P2P'].map((app) => ({ app, serverAddress: 'http://127.0.0.1:0' })),
      keys: { keyData: [{ privateKeyPath: 'tm.key', publicKeyPath: 'tm.pub' }] },
      ...change,
    };
    writeFileSync(at('config.json'), JSON.stringify(config));
    return refusal('ptm', '--configfile', at('config.json'));
  };
  const keys = (privateKeyPath: string, publicKeyPath = 'tm.pub') => ({
    keys: { keyData: [{ privateKeyPath, publicKeyPath }] },
  });

  it('names a key file that does not exist, is a folder or is not a key', async () => {
    mkdirSync(at('folder'));
    expect(await manager(keys('none.key'))).toContain(
      'keys.keyData[0]: cannot read @/none.key: there is no such file or folder',
    );
    expect(await manager(keys('folder'))).toContain('cannot read @/folder: it is a folder');
    expect(await manager(keys('garbage'))).toContain(
      'keys.keyData[0]: the private key file @/garbage: no valid JSON: line 1, column 1',
    );
  });

  it('names a store that cannot be made', async () => {
    expect(await manager({ quorate: { dataDir: 'garbage' } })).toContain('@/garbage');
  });

  it('names a file of TLS', async () => {
    const sslConfig = { tls: 'STRICT', serverTlsKeyPath: 'none', serverTlsCertificatePath: 'x' };
    const serverConfigs = ['Q2T', 'P2P'].map((app) => {
      const serverAddress = 'https://127.0.0.1:0';
      return { app, serverAddress, ...(app === 'P2P' ? { sslConfig } : {}) };
    });
    expect(await manager({ serverConfigs })).toMatch(/cannot read @\/(none|x): there is no such/);
  });
});

describe('the data folder of a node', () => {
  let count = 0;
  /** Output of a node whose folder, called @data, has a file with this content. */
  const node = async (name: string, content: string) => {
    const folder = at(`data-${count++}`);
    await commandRun('init', '--datadir', folder, at('genesis.json'));
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
    const said = await refusal('node', '--port=0', '--ipcdisable', '--datadir', folder);
    return said.replaceAll(/@\/data-\d+/g, '@data');
  };

  it('names lists of nodes and keys', async () => {
    for (const name of ['static-nodes.json', 'trusted-nodes.json']) {
      expect(await node(name, GARBAGE)).toContain(
        `@data/${name}: no valid JSON: line 1, column 1: a value is missing or wrong (--datadir)`,
      );
    }
    expect(await node('geth/nodekey', 'abc')).toContain(
      '@data/geth/nodekey: key file too short, want 64 hex characters (--datadir)',
    );
  });

  it('names what it keeps itself', async () => {
    expect(await node('quorate/genesis.json', '')).toMatch(
      /@data\/quorate\/genesis\.json is damaged: .* "quorate init --datadir @data genesis\.json"/,
    );
  });
});
