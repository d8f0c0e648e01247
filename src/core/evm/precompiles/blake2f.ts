/** 9: the compression function F of BLAKE2b with a variable number of rounds (EIP-152). */
import { BLAKE2F_INPUT_BYTES, blake2F, blake2FInPieces, blake2Rounds } from '../../base/blake2f.ts';
import type { Precompile } from './precompile.ts';

export const BLAKE2F: Precompile = {
  gas: (input) => (input.length === BLAKE2F_INPUT_BYTES ? blake2Rounds(input) : 0),
  run: (input) => (isSound(input) ? blake2F(input) : undefined),
  *inPieces(input) {
    return isSound(input) ? yield* blake2FInPieces(input) : undefined;
  },
  error: (input) =>
    input.length === BLAKE2F_INPUT_BYTES ? 'invalid final flag' : 'invalid input length',
};

function isSound(input: Uint8Array): boolean {
  const flag = input[BLAKE2F_INPUT_BYTES - 1];
  return input.length === BLAKE2F_INPUT_BYTES && (flag === 0 || flag === 1);
}
