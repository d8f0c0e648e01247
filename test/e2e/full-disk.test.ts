/** Disks that fill up while a store writes; `npm run faults` tries more of them. */
import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { mayMount } from '../support/may-mount.ts';

const FAULTS = resolve(import.meta.dirname, '../faults/main.ts');

it('says that the disk is full, loses nothing acknowledged, and continues when there is space', async ({
  skip,
}) => {
  if (!mayMount())
    skip('this machine does not allow unshare -rm, so no file system can be mounted');
  const argv = ['--import', 'tsx', FAULTS, '--pages', '1,9,30'];
  const { stdout } = await promisify(execFile)(process.execPath, argv, {
    cwd: join(FAULTS, '../../..'),
  });
  expect(stdout).toMatch(/15 full disks: (1[0-5]|\d) reported before the work was done, 0 faults/);
}, 120_000);
