/**
 * `.ci/run` on a project whose tests only print their result: what it counts, and what it refuses.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { scratchFolder } from '../support/scratch.ts';

const CI = resolve(import.meta.dirname, '../../.ci');

interface Suite {
  readonly test: string;
  readonly 'test:public-vectors'?: string;
}

const summary = (text: string) => `echo '      Tests  ${text}'`;

/**
 * Runs it in a project with these scripts; with `vectors`, there is a folder of vectors beside the
 * project.
 */
function ciRun(scripts: Suite, { vectors = false, env = {} as Record<string, string> } = {}) {
  const place = scratchFolder('quorate-ci-');
  const project = join(place, 'project');
  mkdirSync(project);
  cpSync(CI, join(project, '.ci'), { recursive: true });
  const version = { name: 'sample', version: '1.0.0' };
  const lock = { ...version, lockfileVersion: 3, packages: { '': version } };
  writeFileSync(join(project, 'package.json'), JSON.stringify({ ...version, scripts }));
  writeFileSync(join(project, 'package-lock.json'), JSON.stringify(lock));
  const git = (...args: string[]) => execFileSync('git', args, { cwd: project, stdio: 'pipe' });
  git('init', '--quiet');
  git('add', '.');
  git('-c', 'user.name=a', '-c', 'user.email=a@b.example', 'commit', '--quiet', '-m', 'sample');
  if (vectors) mkdirSync(join(place, 'shared/vectors'), { recursive: true });
  const { CI: _, QUORATE_VECTORS: __, ...outside } = process.env;
  const { status, stdout } = spawnSync(join(project, '.ci/run'), {
    encoding: 'utf8',
    env: { ...outside, ...env },
  });
  return { status, stdout, last: stdout.trim().split('\n').at(-1) };
}

it('runs the test command as CI in a clone without vectors', () => {
  const test = `test ! -e ../shared && test "$CI" = true && ${summary('3 passed | 1 skipped (4)')}`;
  const { status, stdout, last } = ciRun({ test });
  expect([status, last]).toEqual([0, '3 passed, 0 failed']);
  expect(stdout).toContain('public vectors are absent');
});

it('adds up both parts when vectors are beside the project', () => {
  const scripts = {
    test: `test -z "$QUORATE_VECTORS" && ${summary('3 passed (3)')}`,
    'test:public-vectors': `test -d "$QUORATE_VECTORS" && ${summary('2 passed | 9 skipped (11)')}`,
  };
  expect(ciRun(scripts, { vectors: true })).toMatchObject({
    status: 0,
    last: '5 passed, 0 failed',
  });
});

it('fails when vectors exist but are not read', () => {
  const scripts = {
    test: summary('3 passed (3)'),
    'test:public-vectors': summary('11 skipped (11)'),
  };
  expect(ciRun(scripts, { vectors: true })).toMatchObject({
    status: 1,
    last: '3 passed, 1 failed',
  });
});

it('passes the folder in QUORATE_VECTORS to the tests, even if it does not exist', () => {
  const scripts = {
    test: summary('3 passed (3)'),
    'test:public-vectors': `test "$QUORATE_VECTORS" = /nowhere && exit 1`,
  };
  const ended = ciRun(scripts, { env: { QUORATE_VECTORS: '/nowhere' } });
  expect(ended).toMatchObject({ status: 1, last: '3 passed, 1 failed' });
});

it.each([
  ['fail', `${summary('2 failed | 1 passed (3)')} && exit 1`, '1 passed, 2 failed'],
  ['stop before any test', 'exit 1', '0 passed, 1 failed'],
  [
    'pass, and a stray error is thrown',
    `${summary('3 passed (3)')} && exit 1`,
    '3 passed, 1 failed',
  ],
  ['do not run at all', 'true', '0 passed, 1 failed'],
])('counts a failure when tests %s', (_, test, last) => {
  expect(ciRun({ test })).toMatchObject({ status: 1, last });
});
