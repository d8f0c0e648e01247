/** Each version of Node that package.json admits boots the devnet and passes the quick tests. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commandsIn, orNotRun, tryDevnet } from '../support/commands.ts';
import { PROJECT } from '../support/devnet.ts';
import { NODE_VERSIONS, nodeOf } from '../support/node-versions.ts';
import { scratchFolder } from '../support/scratch.ts';

const QUICK_PATIENCE_MS = 3_600_000;
/** There are more than this; fewer means that test files were not found. */
const QUICK_TESTS_MIN = 2_000;

describe.for(Object.values(NODE_VERSIONS))('Node %s', (version) => {
  it('boots the devnet, which mines transactions', async (context) => {
    const run = commandsIn(PROJECT, await orNotRun(nodeOf(version), context));
    expect(await run('node', '--version')).toBe(`v${version}\n`);
    const start = ['node', 'dist/bundle/cli/main.js', 'devnet'] as const;
    await tryDevnet(run, { start, folder: scratchFolder('quorate-devnet-') });
  });

  it('passes the quick tests', { timeout: QUICK_PATIENCE_MS }, async (context) => {
    const run = commandsIn(PROJECT, await orNotRun(nodeOf(version), context));
    const report = join(scratchFolder('quorate-report-'), 'report.json');
    await run('npm', 'run', 'test:quick', '--', '--reporter=json', `--outputFile=${report}`);
    const { numPassedTests, numFailedTests, numPendingTests } = JSON.parse(
      readFileSync(report, 'utf8'),
    );
    await context.annotate(`${numPassedTests} passed, ${numPendingTests} not run`, 'result');
    expect(numFailedTests).toBe(0);
    expect(numPassedTests).toBeGreaterThan(QUICK_TESTS_MIN);
  });
});
