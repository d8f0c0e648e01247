/**
 * Sources that cannot be migrated: each is refused with a text that names the file and the
 * solution, its target never counts as complete, and the source stays unchanged.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { ClassicLevel } from 'classic-level';
import { describe, expect, it } from 'vitest';
import { commandRun } from '../../../../test/support/command-run.ts';
import { PROJECT } from '../../../../test/support/devnet.ts';
import { endsWithTest } from '../../../../test/support/ends-with-test.ts';
import { expectedDatadir, folderHash } from '../../../../test/support/geth-datadir.ts';
import { type MigrationWorld, migrationWorld } from '../../../../test/support/migration.ts';
import { filesBelow } from '../../../../test/vectors/folders.ts';
import { hasCode } from '../../../core/base/errors.ts';
import { toHex } from '../../../core/base/hex.ts';
import { COPY_AGAIN } from '../../../io/geth/freezer.ts';
import { openChain, storeFolder } from '../store/data.ts';

const EXPECTED = expectedDatadir();
const CHAINDATA = 'geth/chaindata';
const ANCIENT = join(CHAINDATA, 'ancient');

interface Case {
  readonly what: string;
  spoil(source: string): void | Promise<void>;
  readonly says: RegExp;
  readonly cure: string;
}

function flip(path: string, at: number): void {
  const bytes = readFileSync(path);
  bytes[at < 0 ? bytes.length + at : at]! ^= 0xff;
  writeFileSync(path, bytes);
}

function cut(path: string, less: number): void {
  truncateSync(path, readFileSync(path).length - less);
}

async function putVersion(source: string, version: number): Promise<void> {
  const options = { keyEncoding: 'utf8', valueEncoding: 'view' } as const;
  const level = new ClassicLevel<string, Uint8Array>(join(source, CHAINDATA), options);
  await level.put('DatabaseVersion', Uint8Array.of(version));
  await level.close();
}

function tableOf(source: string): string {
  const names = readdirSync(join(source, CHAINDATA)).filter((name) => name.endsWith('.ldb'));
  return join(source, CHAINDATA, names.sort().at(-1)!);
}

const CASES: readonly Case[] = [
  {
    what: 'half-copied: no CURRENT',
    spoil: (source) => rmSync(join(source, CHAINDATA, 'CURRENT')),
    says: /chaindata has no CURRENT/,
    cure: "Name the folder that the node's --datadir names",
  },
  {
    what: 'half-copied: no manifest',
    spoil: (source) => rmSync(join(source, CHAINDATA, 'MANIFEST-000010')),
    says: /chaindata\/MANIFEST-000010 is missing/,
    cure: COPY_AGAIN,
  },
  {
    what: 'half-copied: no table',
    spoil: (source) => rmSync(tableOf(source)),
    says: /chaindata.*\d{6}/,
    cure: COPY_AGAIN,
  },
  {
    what: 'half-copied: a table that was cut',
    spoil: (source) => cut(tableOf(source), 100),
    says: /chaindata\/\d+\.ldb/,
    cure: COPY_AGAIN,
  },
  {
    what: 'half-copied: an index of the ancient store that was cut',
    spoil: (source) => cut(join(source, ANCIENT, 'bodies.cidx'), 1),
    says: /ancient\/bodies\.cidx has \d+ bytes/,
    cure: COPY_AGAIN,
  },
  {
    what: 'half-copied: blocks of the ancient store that were cut',
    spoil: (source) => cut(join(source, ANCIENT, 'bodies.0000.cdat'), 11),
    says: /ancient\/bodies\.0000\.cdat has \d+ of \d+ bytes/,
    cure: COPY_AGAIN,
  },
  {
    what: 'half-copied: a file of the ancient store that is missing',
    spoil: (source) => rmSync(join(source, ANCIENT, 'receipts.0000.cdat')),
    says: /ancient\/receipts\.0000\.cdat is missing/,
    cure: COPY_AGAIN,
  },
  {
    what: 'without its ancient folder',
    spoil: (source) => rmSync(join(source, ANCIENT), { recursive: true }),
    says: /chaindata\/ancient is not there.*block \d+/,
    cure: '--datadir.ancient',
  },
  {
    what: 'of another chain, by its genesis file',
    spoil(source) {
      const path = join(source, 'genesis.json');
      const genesis = JSON.parse(readFileSync(path, 'utf8'));
      writeFileSync(path, JSON.stringify({ ...genesis, gasLimit: '0x1' }));
    },
    says: /genesis\.json makes block 0 [0-9a-f]{64}, and the chain begins with [0-9a-f]{64}/,
    cure: '--genesis',
  },
  {
    what: 'without its genesis file',
    spoil: (source) => rmSync(join(source, 'genesis.json')),
    says: /accounts of block 0 are not in GoQuorum's database/,
    cure: '--genesis genesis.json',
  },
  {
    what: 'newer: of a later version of the database',
    spoil: (source) => putVersion(source, 9),
    says: /chaindata has database version 9, and GoQuorum's is 8: a newer geth has written there/,
    cure: 'Take the folder of a member that ran GoQuorum alone',
  },
  {
    what: 'newer: a database of Pebble',
    spoil: (source) => writeFileSync(join(source, CHAINDATA, 'OPTIONS-000003'), '[Version]\n'),
    says: /chaindata\/OPTIONS-000003 is of Pebble, and GoQuorum keeps LevelDB/,
    cure: 'Take the folder of a member that ran GoQuorum alone',
  },
  {
    what: 'newer: an ancient store in its new place',
    spoil(source) {
      mkdirSync(join(source, ANCIENT, 'chain'));
      for (const name of readdirSync(join(source, ANCIENT)).filter((each) => each !== 'chain'))
        renameSync(join(source, ANCIENT, name), join(source, ANCIENT, 'chain', name));
    },
    says: /ancient\/chain\/hashes\.ridx is not where GoQuorum keeps its ancient store/,
    cure: 'Take the folder of a member that ran GoQuorum alone',
  },
  {
    what: 'damaged: a block of a table',
    spoil: (source) => flip(tableOf(source), 200),
    says: /chaindata\/\d+\.ldb has a damaged block at byte 0/,
    cure: COPY_AGAIN,
  },
  {
    what: 'damaged: a record of the log',
    spoil: (source) => flip(join(source, CHAINDATA, '000009.log'), 100),
    says: /chaindata\/000009\.log has a damaged record at byte \d+/,
    cure: COPY_AGAIN,
  },
  {
    what: 'damaged: the manifest',
    spoil: (source) => flip(join(source, CHAINDATA, 'MANIFEST-000010'), 50),
    says: /chaindata\/MANIFEST-000010 has a damaged record at byte \d+/,
    cure: COPY_AGAIN,
  },
  {
    what: 'damaged: CURRENT',
    spoil: (source) => flip(join(source, CHAINDATA, 'CURRENT'), 2),
    says: /chaindata\/CURRENT does not name a manifest/,
    cure: COPY_AGAIN,
  },
  {
    what: 'damaged: a header of the ancient store',
    spoil(source) {
      const index = readFileSync(join(source, ANCIENT, 'headers.cidx'));
      const begin = index.readUInt32BE(7 * 6 + 2);
      // A byte of the parent's hash.
      flip(join(source, ANCIENT, 'headers.0000.cdat'), begin + 20);
    },
    says: /chaindata.*block 7\b/,
    cure: COPY_AGAIN,
  },
  {
    what: 'damaged: a body of the ancient store',
    spoil: (source) => flip(join(source, ANCIENT, 'bodies.0000.cdat'), -30),
    says: /chaindata.*block 19\b/,
    cure: COPY_AGAIN,
  },
];

/** The command, and the execution of every block with the node's manager. */
const WAYS = ['command', 'execute'] as const;

async function refusal(world: MigrationWorld, way: (typeof WAYS)[number]): Promise<string> {
  if (way === 'command') {
    const { source, target } = world;
    const run = await commandRun('migrate', 'datadir', source, '--datadir', target);
    const text = run.lines.join('\n');
    expect(run.status, text).toBe(1);
    expect(text).toMatch(/^Fatal: /m);
    expect(text).not.toMatch(/^Start it:|^ +at .*:\d+:\d+/m);
    return text;
  }
  // A folder without a chain, or without its genesis file, is refused before anything begins.
  const error = await (async () => world.execute())().catch((found: Error) => found);
  expect(error).toBeInstanceOf(Error);
  return (error as Error).message;
}

async function expectIncomplete(target: string): Promise<void> {
  if (!existsSync(storeFolder(target))) return;
  const { status, lines } = await commandRun('export', '--datadir', target, `${target}.rlp`);
  expect(status, lines.join('\n')).toBe(1);
  const opened = openChain(target).then(() => 'a chain');
  const found = await opened.catch(({ code }: { code: string }) => code);
  expect(['MIGRATION_UNFINISHED', 'GENESIS_MISSING']).toContain(found);
}

describe.each(CASES)('a source that is $what', ({ spoil, says, cure }) => {
  it.each(WAYS)('is refused: %s', async (way) => {
    const world = migrationWorld();
    await spoil(world.source);
    const before = folderHash(world.source);
    const text = await refusal(world, way);
    expect(text).toMatch(says);
    expect(text).toContain(cure);
    expect(text).not.toContain('migrate-scratch');
    await expectIncomplete(world.target);
    expect(folderHash(world.source)).toBe(before);
  });
});

it('a source whose node runs is refused, with its process', async ({ skip }) => {
  if (!existsSync('/proc/locks')) skip('this platform does not tell who holds a lock');
  const world = migrationWorld();
  // LevelDB locks per process, and reading the lock file here would release this process's own
  // lock: another process opens the source.
  const script = `
    const { ClassicLevel } = require('classic-level');
    new ClassicLevel(process.argv[1]).open().then(() => console.log('open'));
    setInterval(() => {}, 1000);`;
  const running = endsWithTest(
    spawn(process.execPath, ['-e', script, join(world.source, CHAINDATA)], { cwd: PROJECT }),
  );
  await once(running.stdout, 'data');
  for (const way of WAYS) {
    const text = await refusal(world, way);
    expect(text).toContain(`process ${running.pid} runs on ${world.source}`);
    expect(text).toMatch(/chaindata\/LOCK\): stop that node first, or migrate a copy/);
  }
  await expectIncomplete(world.target);
});

it('a target in the source is refused: its folder stays as it was', async () => {
  const { source } = migrationWorld();
  const before = folderHash(source);
  const link = `${source}-link`;
  symlinkSync(source, link);
  for (const target of [source, join(source, 'data'), join(link, 'a', 'b')]) {
    const { status, lines } = await commandRun('migrate', 'datadir', source, '--datadir', target);
    expect([status, lines.join('\n')]).toEqual([
      1,
      expect.stringMatching(/is in the node's own folder.*: name a new folder beside it/),
    ]);
  }
  expect(folderHash(source)).toBe(before);
});

it('tables and logs that a kill left behind, half-written, are not of the database', async () => {
  const world = migrationWorld();
  writeFileSync(join(world.source, CHAINDATA, '000099.ldb'), Buffer.alloc(5_000, 7));
  writeFileSync(join(world.source, CHAINDATA, '000001.log'), Buffer.alloc(5_000, 7));
  const before = folderHash(world.source);
  expect((await world.copy()).head.hash).toBe(EXPECTED.hash.slice(2));
  expect(folderHash(world.source)).toBe(before);
});

it('one byte of any file, wherever it is: a text that names a file, or nothing that matters', {
  timeout: 120_000,
}, async () => {
  const { source } = migrationWorld();
  const files = filesBelow(join(source, 'geth/chaindata'), () => true).map((path) =>
    path.slice(source.length + 1),
  );
  expect(files.length).toBeGreaterThan(12);
  let refused = 0;
  for (const file of files) {
    const world = migrationWorld();
    const path = join(world.source, file);
    const { length } = readFileSync(path);
    if (length === 0) continue;
    flip(path, Math.floor(length / 2));
    const before = folderHash(world.source);
    const found = await world.copy().catch((error: Error) => error);
    expect(folderHash(world.source), file).toBe(before);
    if (found instanceof Error) {
      refused++;
      expect(hasCode(found, 'GETH_DATA_DAMAGED'), `${file}: ${found.message}`).toBe(true);
      expect(found.message, file).toContain(join(world.source, CHAINDATA));
      await expectIncomplete(world.target);
    } else {
      expect(found.head.hash, file).toBe(EXPECTED.hash.slice(2));
      const { store, close } = await openChain(world.target);
      expect(toHex(store.head()!.hash), file).toBe(EXPECTED.hash);
      await close();
    }
  }
  expect(refused).toBeGreaterThan(8);
});
