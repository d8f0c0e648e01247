/**
 * A reporter that ends a run with a table: each test with its result, its duration, and its note of
 * type `result`.
 */
import type { Reporter, TestCase, TestModule } from 'vitest/node';

const MS_PER_SECOND = 1000;

export default class ResultTableReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const rows = tests.map(rowOf);
    if (rows.length > 0) process.stdout.write(`\nResults\n${linesOf(rows)}`);
  }
}

function rowOf(test: TestCase): string[] {
  const noted = test.annotations().filter(({ type }) => type === 'result');
  const seconds = Math.round((test.diagnostic()?.duration ?? 0) / MS_PER_SECOND);
  const name = test.fullName.replace(' > ', ': ');
  return [
    test.result().state,
    `${seconds} s`,
    [name, ...noted.map(({ message }) => message)].join(': '),
  ];
}

/** Columns as wide as their widest cell; the last column is not padded. */
function linesOf(rows: readonly string[][]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const line = (row: string[]) =>
    row.map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column]!)));
  return rows.map((row) => `  ${line(row).join('  ')}\n`).join('');
}
