import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROJECT, startTestDevnet, type TestDevnet } from '../support/devnet.ts';

const run = promisify(execFile);
const EXAMPLES = ['ethers', 'viem', 'web3'];

describe('the examples', () => {
  let net: TestDevnet;
  beforeAll(async () => {
    net = await startTestDevnet();
  });
  afterAll(() => net?.close());

  it.each(EXAMPLES)('%s deploys and calls, publicly and privately', async (name) => {
    const { stdout } = await run(process.execPath, [`examples/${name}.mjs`, net.file], {
      cwd: PROJECT,
      timeout: 60_000,
    });
    expect(stdout).toMatch(/public contract 0x[0-9a-fA-F]{40} in block \d+/);
    expect(stdout).toMatch(/value 42n events 1/);
    expect(stdout).toMatch(/node 1 reads 4711n/);
    expect(stdout).toMatch(/node 2 reads 4711n/);
    expect(stdout).toMatch(/node 3 sees code 0x\n/);
  });
});
