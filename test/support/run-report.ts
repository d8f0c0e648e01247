/**
 * A reporter that ends a run with two lists. The first is what did not run, and why: tests that
 * called `skip` with a reason, tests that ran only in part and noted that in an annotation of type
 * `not run`, and kinds of tests that belong to other commands. The second is the tests that failed
 * and then passed: `.ci/run` repeats it.
 */
import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node';

/** By project of vitest.config.ts; the last one is in vitest.matrix.config.ts. */
const COMMANDS: Readonly<Record<string, string>> = {
  unit: 'npm run test:unit: tests in memory',
  service: 'npm run test:service: tests with sockets and folders',
  vectors: 'npm run test:vectors: recorded vectors and the simulator',
  e2e: 'npm run test:e2e: real processes and real clients',
  matrix: 'npm run test:matrix: versions of Node, ways to install, heavy clients',
};

const IN_PART = 'npm test: most cases of tests that have many of them';

/** The part of a test of vitest that {@link secondTries} reads. */
export interface TriedTest {
  readonly fullName: string;
  readonly module: { readonly relativeModuleId: string };
  diagnostic(): { readonly flaky: boolean } | undefined;
  result(): { readonly errors?: readonly { readonly message: string }[] | undefined };
}

export default class RunReporter implements Reporter {
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
    printList('Not run', lines);
    printList('Passed at the second try (each is a bug to find)', secondTries(tests));
  }

  private otherCommands(): string[] {
    const ran = this.vitest!.projects.map(({ name }) => name);
    const left = Object.entries(COMMANDS).filter(([project]) => !ran.includes(project));
    return left.map(([, command]) => command);
  }
}

function printList(title: string, lines: readonly string[]): void {
  if (lines.length === 0) return;
  process.stdout.write(`\n${title}\n${lines.map((line) => `  ${line}\n`).join('')}`);
}

/** One line for each test that failed before it passed: its file, title, and the first failure. */
export function secondTries(tests: readonly TriedTest[]): string[] {
  return tests
    .filter((test) => test.diagnostic()?.flaky)
    .map((test) => {
      const why = test.result().errors?.[0]?.message.split('\n', 1)[0] ?? 'no error was recorded';
      return `${test.module.relativeModuleId}: ${test.fullName}: ${why}`;
    });
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

/** Empty for a test that ran completely, or that the command line excluded. */
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
