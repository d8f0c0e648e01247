/** 9: the compression function F of BLAKE2b with a free number of rounds (EIP-152). */
import { BLAKE2F_INPUT_BYTES, blake2F } from '../../base/blake2f.ts';
import type { Precompile } from './precompile.ts';

export const BLAKE2F: Precompile = {
  gas(input) {
    if (input.length !== BLAKE2F_INPUT_BYTES) return 0;
    return new DataView(input.buffer, input.byteOffset).getUint32(0);
  },
  run(input) {
    const flag = input[BLAKE2F_INPUT_BYTES - 1];
    if (input.length !== BLAKE2F_INPUT_BYTES || (flag !== 0 && flag !== 1)) return undefined;
    return blake2F(input);
  },
  error: (input) =>
    input.length === BLAKE2F_INPUT_BYTES ? 'invalid final flag' : 'invalid input length',
};
