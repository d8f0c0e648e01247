/** Each version of Node that package.json admits boots the devnet and passes the quick tests. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { commandsIn, useDevnet } from '../support/commands.ts';
import { PROJECT } from '../support/devnet.ts';
import { NODE_VERSIONS, nodeOf } from '../support/node-versions.ts';
import { scratchFolder } from '../support/scratch.ts';

const QUICK_PATIENCE_MS = 1_200_000;
/** Of these there are more; fewer means that files were not found. */
const QUICK_TESTS_MIN = 2_000;

describe.each(Object.values(NODE_VERSIONS))('Node %s', (version) => {
  let node: string | undefined;
  let refusal: Error;
  beforeAll(async () => {
    node = await nodeOf(version).catch((error: Error) => {
      refusal = error;
      return undefined;
    });
  });
  beforeEach(({ skip }) => {
    if (node === undefined) skip(`Node ${version} could not be installed: ${refusal.message}`);
  });

  it('boots the devnet, which takes transactions', async () => {
    const run = commandsIn(PROJECT, node);
    expect((await run('node', '--version')).stdout).toBe(`v${version}\n`);
    await useDevnet(run, ['node', 'dist/cli/main.js', 'devnet']);
  });

  it('passes the quick tests', { timeout: QUICK_PATIENCE_MS }, async () => {
    const report = join(scratchFolder('quorate-matrix-'), 'report.json');
    const reporter = ['--reporter=json', `--outputFile=${report}`];
    await commandsIn(PROJECT, node)('npm', 'run', 'test:quick', '--', ...reporter);
    const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(report, 'utf8'));
    expect(numFailedTests).toBe(0);
    expect(numPassedTests).toBeGreaterThan(QUICK_TESTS_MIN);
  });
});
