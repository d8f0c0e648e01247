/** Inputs of precompiles, as hexadecimal without 0x. */

/** A pairing's input: generators of G1 and G2 of BN254. */
export const PAIR: string =
  '000000000000000000000000000000000000000000000000000000000000000100000000000000000000000000000000' +
  '00000000000000000000000000000002198e9393920d483a7260bfb731fb5d25f1aa493335a9e71297e485b7aef312c2' +
  '1800deef121f1e76426a00665e5c4479674322d4f75edadd46debd5cd992f6ed090689d0585ff075ec9e99ad690c3395' +
  'bc4b313370b38ef355acdadcd122975b12c85ea5db8c6deb4aab71808dcb408fe3d1e7690c43d37b4ce6cc0166fa7daa';

/** Two points of BN254. */
export const ADDITION: string =
  '18b18acfb4c2c30276db5411368e7185b311dd124691610c5d3b74034e093dc9063c909c4720840cb5134cb9f59fa749' +
  '755796819658d32efc0d288198f3726607c2b7f58a84bd6145f00c9c2bc0bb1a187f20ff2c92963a88019e7c6a014eed' +
  '06614e20c147e940f2d70da3f74c9a17df361706a4485c742bd6788478fa17d7';

/** A point of BN254, and a scalar of 256 bits. */
export const PRODUCT: string =
  '1a87b0584ce92f4593d161480614f2989035225609f08058ccfa3d0f940febe31a2f3c951f6dadcc7ee9007dff81504b' +
  '0fcd6d7cf59996efdc33d92bf7f9f8f6ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff';

/** A hash with its signature. */
export const SIGNATURE: string =
  '18c547e4f7b0f325ad1e56f57e26c745b09a3e503d86e00e5255ff7f715d3d1c00000000000000000000000000000000' +
  '0000000000000000000000000000001c73b1693892219d736caba55bdb67216e485557ea6b6af75f37096c9aa6a5a75f' +
  'eeb940b1d03b21e36b0e47e79769f095fe2ab855bd91e3a38756b7d75a9c4549';

const word = (value: number): string => value.toString(16).padStart(64, '0');

/**
 * Input of modexp: base and modulus of `size` bytes, and an exponent of `exponent` bytes. The
 * exponent and an odd modulus have all bits set.
 */
export function power(size: number, exponent: number, isOdd: boolean): string {
  const modulus = `${'ff'.repeat(size - 1)}${isOdd ? 'ff' : 'fe'}`;
  const lengths = word(size) + word(exponent) + word(size);
  return `${lengths}${'7b'.repeat(size)}${'ff'.repeat(exponent)}${modulus}`;
}

/** Input of BLAKE2b's compression function F with this number of rounds. */
export function blake(rounds: number): string {
  return `${rounds.toString(16).padStart(8, '0')}${'5a'.repeat(208)}01`;
}

/** The opening of a commitment on BLS12-381, from the consensus tests of Ethereum. */
export const OPENING: string =
  '01e798154708fe7789429634053cbf9f99b619f9f084048927333fce637f549b564c0a11a0f704f4fc3e8acfe0f8245f' +
  '0ad1347b378fbf96e206da11a5d3630624d25032e67a7e6a4910df5834b8fe70e6bcfeeac0352434196bdf4b2485d5a1' +
  '8f59a8d2a1a625a17f3fea0fe5eb8c896db3764f3185481bc22f91b4aaffcca25f26936857bc3a7c2539ea8ec3a952b7' +
  '873033e038326e87ed3e1276fd140253fa08e9fc25fb2d9a98527fc22a2c9612fbeafdad446cbc7bcdbdcd780af2c16a';
