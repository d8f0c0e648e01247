import { describe, expect, it } from 'vitest';
import { fromHex, toHex } from '../base/hex.ts';
import { decodeEth, ETH_MESSAGE } from './eth.ts';
import { encodeGetBlockHeaders, encodeRawReply } from './eth-encode.ts';
import { LegacyEth } from './legacy-eth.ts';

const QUERY = { origin: 314, amount: 192, skip: 0, reverse: false };
/** A recorded eth/65 query. */
const PLAIN_QUERY = '0xc782013a81c08080';
const EMPTY_REPLY = fromHex('0xc0');

describe('eth without request ids', () => {
  it('takes ids off requests, and gives replies those of the requests in their order', () => {
    const peer = new LegacyEth();
    const code = ETH_MESSAGE.getBlockHeaders;
    for (const id of [7n, 9n])
      expect(toHex(peer.outgoing(code, encodeGetBlockHeaders(id, QUERY)))).toBe(PLAIN_QUERY);
    const reply = () => {
      const bytes = peer.incoming(ETH_MESSAGE.blockHeaders, EMPTY_REPLY);
      return decodeEth(64, ETH_MESSAGE.blockHeaders, bytes);
    };
    expect(reply()).toMatchObject({ requestId: 7n, headers: [] });
    expect(reply()).toMatchObject({ requestId: 9n });
    expect(reply()).toMatchObject({ requestId: 0n });
  });

  it('serves requests, and takes the id off the reply', () => {
    const peer = new LegacyEth();
    const code = ETH_MESSAGE.getBlockHeaders;
    const asked = decodeEth(64, code, peer.incoming(code, fromHex(PLAIN_QUERY)));
    expect(asked).toMatchObject({ kind: 'getBlockHeaders', query: QUERY });
    const reply = encodeRawReply(0n, []);
    expect(peer.outgoing(ETH_MESSAGE.blockHeaders, reply)).toEqual(EMPTY_REPLY);
  });

  it('leaves what has no id as it is, and refuses what is not RLP', () => {
    const peer = new LegacyEth();
    const bytes = fromHex('0xc0');
    expect(peer.incoming(ETH_MESSAGE.transactions, bytes)).toBe(bytes);
    expect(peer.outgoing(ETH_MESSAGE.newBlock, bytes)).toBe(bytes);
    expect(() => peer.incoming(ETH_MESSAGE.blockHeaders, fromHex('0xc000'))).toThrow();
  });
});
