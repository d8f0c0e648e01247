/** Converts words to RLP scalars. */
export function stripLeadingZeros(word: Uint8Array): Uint8Array {
  let start = 0;
  while (start < word.length && word[start] === 0) start++;
  return word.subarray(start);
}
