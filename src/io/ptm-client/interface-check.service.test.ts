import { afterEach, expect, it } from 'vitest';
import { type TestPtm, testPtm } from '../../../test/support/ptm.ts';
import { resolveManagerConfig } from './config.ts';
import { checkInterface } from './interface-check.ts';

let ptm: TestPtm | undefined;
afterEach(() => ptm?.close());

it('a node is warned when it was pointed at another server of its manager', async () => {
  ptm = await testPtm(1, []);
  const check = (url: string) =>
    checkInterface(resolveManagerConfig(undefined, { 'ptm.url': url }));
  await expect(check(ptm.thirdPartyUrl!)).rejects.toThrow(
    'this is the third-party server of the private transaction manager: --ptm.url is that of its server for nodes',
  );
  await expect(check(ptm.p2pUrl)).rejects.toThrow('this is the P2P server');
  await expect(check(ptm.q2tUrl)).resolves.toBeUndefined();
});

it('a URL without its scheme is refused as that', () => {
  const refusal = (url: string) => () => resolveManagerConfig(undefined, { 'ptm.url': url });
  expect(refusal('localhost:9101')).toThrow(
    'the private transaction manager\'s URL "localhost:9101" lacks its scheme: write http://localhost:9101 (--ptm.url)',
  );
  expect(refusal('10.0.0.1')).toThrow('lacks its scheme');
  expect(refusal('ftp://x')).toThrow('must begin with http:// or https://');
});
