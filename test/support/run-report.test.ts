import { expect, it } from 'vitest';
import { secondTries, type TriedTest } from './run-report.ts';

const MODULE = { relativeModuleId: 'test/e2e/devnet.test.ts' };

function tried(fullName: string, flaky: boolean, ...messages: string[]): TriedTest {
  const errors = messages.map((message) => ({ message }));
  return {
    fullName,
    module: MODULE,
    diagnostic: () => ({ flaky }),
    result: () => (errors.length > 0 ? { errors } : {}),
  };
}

it('names each test that passed at its second try, with its first failure', () => {
  const lines = secondTries([
    tried('passes', false),
    tried('explorer > shows the head', true, 'expected 3 to be 4\nat line 7', 'a later error'),
    tried('always fails', false, 'expected true to be false'),
    tried('fails without an error', true),
  ]);
  expect(lines).toEqual([
    'test/e2e/devnet.test.ts: explorer > shows the head: expected 3 to be 4',
    'test/e2e/devnet.test.ts: fails without an error: no error was recorded',
  ]);
});

it('says nothing of a test that did not run', () => {
  const skipped: TriedTest = { ...tried('skipped', false), diagnostic: () => undefined };
  expect(secondTries([skipped])).toEqual([]);
});
