/**
 * A reporter that ends a run with one list of what it did not run, and why: tests that called
 * `skip` with a reason, tests that ran in part and said so by an annotation of type `not run`, and
 * the kinds of tests that belong to other commands.
 */
import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node';

/** By the project of vitest.config.ts; the last is not a project of it. */
const COMMANDS: Readonly<Record<string, string>> = {
  unit: 'npm run test:unit: tests in memory',
  service: 'npm run test:service: tests with sockets and folders',
  vectors: 'npm run test:vectors: recorded vectors and the simulator',
  e2e: 'npm run test:e2e: real processes and real clients',
  matrix: 'npm run test:matrix: versions of Node, ways to install, heavy clients',
};

const IN_PART = 'npm test: most of what tests try that try many of a kind';

export default class NotRunReporter implements Reporter {
  private vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.vitest = vitest;
  }

  async onTestRunEnd(modules: readonly TestModule[]): Promise<void> {
    const { testNamePattern, tagsFilter } = this.vitest!.config;
    const isOfTests = testNamePattern !== undefined || tagsFilter !== undefined;
    const isOfFiles = modules.length < (await this.vitest!.globTestSpecifications()).length;
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const lines = [
      ...(isOfTests || isOfFiles ? [] : this.otherCommands()),
      ...(this.vitest!.vite.config.mode === 'quick' ? [IN_PART] : []),
      ...linesByReason(tests, isOfTests),
    ];
    if (lines.length === 0) return;
    process.stdout.write(`\nNot run\n${lines.map((line) => `  ${line}\n`).join('')}`);
  }

  private otherCommands(): string[] {
    const ran = this.vitest!.projects.map(({ name }) => name);
    const left = Object.entries(COMMANDS).filter(([project]) => !ran.includes(project));
    return left.map(([, command]) => command);
  }
}

function linesByReason(tests: readonly TestCase[], isFiltered: boolean): string[] {
  const byReason = new Map<string, string[]>();
  for (const test of tests) {
    for (const reason of reasonsOf(test, isFiltered)) {
      const names = byReason.get(reason) ?? [];
      byReason.set(reason, [...names, `  ${test.module.relativeModuleId}: ${test.fullName}`]);
    }
  }
  return [...byReason].flatMap(([reason, names]) => [reason, ...names]);
}

/** None of a test that ran whole, nor of one that a filter of the command line left out. */
function reasonsOf(test: TestCase, isFiltered: boolean): string[] {
  const result = test.result();
  if (result.state !== 'skipped') {
    return test
      .annotations()
      .filter(({ type }) => type === 'not run')
      .map(({ message }) => `in part: ${message}`);
  }
  if (result.note === undefined && isFiltered) return [];
  return [result.note ?? 'no reason was given'];
}
