/** The key, accounts and manager keys of transactions whose signed bytes are known. */
import { fromHex } from '../../src/core/base/hex.ts';

export const KEY: Uint8Array = fromHex(
  '0x0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20',
);
export const ACCOUNT = '0x6370ef2f4db3611d657b90667de398a2cc2a370c';
export const TO = '0x627306090abab3a6e1400e9345bc60c78a8bef57';
/** Manager keys of a sender and a recipient. */
export const A = 'A1aVtMxLCUHmBVHXoZzzBgPbW/wj5axDpW9X8l91SGo=';
export const B = 'Ko2bVqD+nNlNYL5EE7y3IdOnviftjiizpjRt+HTuFBs=';
/** A privacy group. */
export const G = 'DyAOiF/ynpc+JXa2YAGB0bCitSlOMNm+ShmB/7M6C4w=';
export const transfer = { from: ACCOUNT, to: TO, nonce: '0x7', value: '0x1' };
