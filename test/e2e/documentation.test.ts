/** The examples of the documentation, run as written: each block prints what its comments say. */
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROJECT } from '../support/devnet.ts';
import { ALONE_PAGES } from '../support/documented-commands.ts';
import { freePorts } from '../support/free-ports.ts';
import { writeQuorateCommand } from '../support/quorate-command.ts';
import { OWN_VECTORS } from '../vectors/folders.ts';

const PAGES = ALONE_PAGES.map((page) => `${page}.md`);

function blocksOf(page: string): (readonly [number, string])[] {
  const text = readFileSync(join(PROJECT, 'docs', page), 'utf8');
  const blocks = [...text.matchAll(/^```sh tried\n([\s\S]*?)^```$/gm)];
  return blocks.map(([, block], index) => [index + 1, block!] as const);
}

describe.each(PAGES)('docs/%s', (page) => {
  const blocks = blocksOf(page);
  let folder: string;
  let port: number;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'quorate-docs-'));
    port = await freePorts();
    writeQuorateCommand(folder);
    cpSync(join(PROJECT, 'examples/access-token.mjs'), join(folder, 'access-token.mjs'));
    cpSync(join(OWN_VECTORS, 'goquorum/private-chain/genesis.json'), join(folder, 'genesis.json'));
  });
  afterAll(() => {
    try {
      process.kill(Number(readFileSync(join(folder, 'node.pid'), 'utf8')));
    } catch {
      // It has exited already.
    }
    rmSync(folder, { recursive: true, force: true });
  });

  function bash(text: string): Promise<string> {
    const file = join(folder, 'block.sh');
    writeFileSync(file, text);
    return new Promise((resolve, reject) => {
      const path = `${folder}:${process.env.PATH}`;
      const env = { ...process.env, PATH: path, PORT: String(port), PRIVATE_CONFIG: 'ignore' };
      execFile('bash', ['-e', file], { cwd: folder, env, timeout: 300_000 }, (error, stdout) =>
        error ? reject(error) : resolve(stdout),
      );
    });
  }

  it('has examples', () => expect(blocks).toHaveLength(3));

  it.each(blocks)('block %i', async (_, text) => {
    const wanted = text
      .split('\n')
      .filter((line) => line.startsWith('# '))
      .map((line) => line.slice(2));
    const printed = (await bash(text)).split('\n').filter((line) => line !== '');
    if (wanted.length > 0) expect(printed).toEqual(wanted);
  });
});
