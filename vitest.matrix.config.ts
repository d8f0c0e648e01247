import { defineConfig } from 'vitest/config';

/** `npm run test:matrix`: what other people have: versions of Node, ways to install, heavy clients. */
export default defineConfig({
  test: {
    name: 'matrix',
    include: ['test/matrix/**/*.test.ts'],
    fileParallelism: false,
    testTimeout: 1_800_000,
    hookTimeout: 1_800_000,
    reporters: ['default', './test/support/result-table.ts', './test/support/run-report.ts'],
  },
});
