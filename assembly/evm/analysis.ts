/** Valid jump destinations (Yellow Paper, 9.4.3): one mark byte per byte of code. */

const JUMPDEST: u8 = 0x5b;
const PUSH1: u8 = 0x60;
const PUSH32: u8 = 0x7f;

/** `marks` must be zero before. */
export function analyse(code: usize, length: usize, marks: usize): void {
  let at: usize = 0;
  while (at < length) {
    // Sixteen bytes at a time where no byte is of interest, as in data.
    if (at + 16 <= length) {
      const bytes = v128.load(code + at);
      const isFrom = v128.ge<u8>(bytes, v128.splat<u8>(JUMPDEST));
      if (!v128.any_true(v128.and(isFrom, v128.le<u8>(bytes, v128.splat<u8>(PUSH32))))) {
        at += 16;
        continue;
      }
    }
    const end = min(at + 16, length);
    while (at < end) {
      const op = load<u8>(code + at);
      if (op === JUMPDEST) store<u8>(marks + at, 1);
      else if (op >= PUSH1 && op <= PUSH32) at += <usize>(op - PUSH1) + 1;
      at++;
    }
  }
}
