import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROJECT, startTestDevnet, type TestDevnet } from '../support/devnet.ts';

const run = promisify(execFile);
const EXAMPLES = ['ethers', 'viem', 'web3'];

describe.each(['qbft', 'raft'] as const)('the examples on a %s devnet', (consensus) => {
  let net: TestDevnet;
  beforeAll(async () => {
    net = await startTestDevnet({ consensus });
  });
  afterAll(() => net?.close());

  it('deploy, call and stake by the lines of README.md', async () => {
    const readme = readFileSync(join(PROJECT, 'README.md'), 'utf8');
    const [, lines] = /## Try it.*?```sh\n(.*?)```/s.exec(readme)!;
    for (const name of [...EXAMPLES, 'staking'])
      expect(lines).toContain(`node examples/${name}.mjs`);
    const here = lines!
      .replaceAll('http://127.0.0.1:22000', net.devnet.description.nodes[0]!.rpc)
      .replaceAll(/(node examples\/\w+\.mjs)/g, `$1 ${net.file}`);
    const { stdout } = await run('bash', ['-ec', here], { cwd: PROJECT, timeout: 300_000 });
    expect(stdout).toMatch(/^\{"jsonrpc":"2.0","id":1,"result":"0x[0-9a-f]+"\}/);
    const said = [
      /public contract 0x[0-9a-fA-F]{40} in block \d+/g,
      /value 42n events 1/g,
      /node 1 reads 4711n/g,
      /node 2 reads 4711n/g,
      /node 3 sees code 0x\n/g,
    ];
    for (const text of said) expect(stdout.match(text)).toHaveLength(EXAMPLES.length);
    expect(stdout).toContain('asked twice, staked once true');
    const deposited = /validator 0x[0-9a-f]{10} DEPOSITED at 0x[0-9a-f]{40} in block \d+/g;
    expect(stdout.match(deposited)).toHaveLength(3);
    expect(stdout).toContain('refused 400 invalid_request');
  });
});
