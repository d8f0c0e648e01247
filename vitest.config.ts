import { defineConfig } from 'vitest/config';

/**
 * Four kinds of tests: `unit` and `service` stand beside their source, the first in memory, the
 * second with sockets and folders; `vectors` replays golden data, `e2e` runs real processes.
 * `--mode quick` is for `npm run test:quick`: test/support/effort.ts.
 */
export default defineConfig(({ mode }) => {
  const inOneWorld = {
    isolate: false,
    setupFiles: ['test/support/install-crypto.ts'],
    env: mode === 'quick' ? { QUORATE_TESTS: 'quick' } : {},
  };
  return {
    test: {
      reporters: ['default', './test/support/run-report.ts'],
      // Left to itself, vitest keeps one core for itself: on two cores it would run one file at a time.
      maxWorkers: '100%',
      tags: [{ name: 'public-vectors', description: 'reads the public suites of test vectors' }],
      projects: [
        {
          test: {
            name: 'unit',
            include: ['{src,tools,test/support}/**/*.test.ts'],
            exclude: ['**/*.service.test.ts'],
            ...inOneWorld,
            testTimeout: 120_000,
            hookTimeout: 120_000,
          },
        },
        {
          test: {
            name: 'service',
            include: ['src/**/*.service.test.ts'],
            ...inOneWorld,
            testTimeout: 120_000,
            hookTimeout: 120_000,
          },
        },
        {
          test: {
            name: 'vectors',
            include: ['test/{vectors,simulator,scenarios,hostile}/**/*.test.ts'],
            ...inOneWorld,
            testTimeout: 600_000,
            hookTimeout: 120_000,
          },
        },
        {
          test: {
            name: 'e2e',
            include: ['test/e2e/**/*.test.ts'],
            maxWorkers: 2,
            // Only here: processes share a busy machine. The run's report names each second try.
            retry: process.env.CI ? 1 : 0,
            sequence: { groupOrder: 1 },
            testTimeout: 600_000,
            hookTimeout: 600_000,
          },
        },
      ],
      coverage: { provider: 'v8', include: ['src/**'], reporter: ['text-summary', 'html'] },
    },
  };
});
