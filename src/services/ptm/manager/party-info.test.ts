import { expect, it } from 'vitest';
import { claimedKeys } from './party-info.ts';

it('takes so many keys of one manager, each once, and none that it names for another', () => {
  const url = 'http://a/';
  const keys = Array.from({ length: 1_200 }, (_, at) => {
    const key = new Uint8Array(32);
    new DataView(key.buffer).setUint32(0, at);
    return { key, url };
  });
  expect(claimedKeys({ url, keys, parties: [] })).toHaveLength(1_000);
  const some = keys.slice(0, 3);
  const others = keys.slice(3, 9).map(({ key }) => ({ key, url: 'http://b/' }));
  const told = { url, keys: [...some, ...others, ...some], parties: [] };
  expect(claimedKeys(told)).toEqual(some.map(({ key }) => key));
});
