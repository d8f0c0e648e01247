/**
 * Marked bytes that may be visible to some readers and to no others, and a contract that puts them
 * everywhere.
 */
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * 32 bytes: a word on the stack, in storage or in a log. They are letters, so they are also found
 * where bytes are printed as text.
 */
export interface Canary {
  readonly name: string;
  readonly hex: string;
}

const WORD_BYTES = 32;

export function canary(name: string): Canary {
  const text = `${name}${randomBytes(WORD_BYTES).toString('hex')}`.slice(0, WORD_BYTES);
  return { name, hex: Buffer.from(text, 'latin1').toString('hex') };
}

/**
 * The names of the canaries that `text` contains: in hex, as text, in base64 at any offset, or as a
 * number.
 */
export function canariesIn(canaries: readonly Canary[], text: string): string[] {
  const lower = text.toLowerCase();
  return canaries
    .filter(({ hex }) => {
      const bytes = Buffer.from(hex, 'hex');
      const isCoded = base64Forms(bytes).some((form) => text.includes(form));
      const isNumber = text.includes(BigInt(`0x${hex}`).toString());
      return lower.includes(hex) || text.includes(bytes.toString('latin1')) || isCoded || isNumber;
    })
    .map(({ name }) => name);
}

/** Like `canariesIn`, for all files below a folder; each name with its file. */
export function canariesInFiles(canaries: readonly Canary[], folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    const status = statSync(path);
    if (status.isDirectory()) return canariesInFiles(canaries, path);
    if (!status.isFile()) return [];
    const found = canariesIn(canaries, readFileSync(path).toString('latin1'));
    return found.map((each) => `${each} in ${path}`);
  });
}

/**
 * The part of the base64 of `bytes` that is the same inside longer base64, for each offset modulo
 * 3.
 */
function base64Forms(bytes: Buffer): string[] {
  return [0, 1, 2].map((offset) => {
    const shifted = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
    return shifted.replace(/=+$/, '').slice(offset === 0 ? 0 : 4, -1);
  });
}

const GETTER = '5b60015460005260206000f3';

/**
 * Creation code. On creation, the contract stores its argument in slot 0 and logs it. A call with
 * data stores the first word in slot 1, logs it with the second word as topic, and returns
 * `returned`; if the third word is not 0, it reverts with the first word. A call without data
 * returns slot 1.
 */
export function canaryContract(argument: Canary, returned: Canary): string {
  const runtime = runtimeOf(returned);
  const length = runtime.length / 2;
  const init = (start: number) =>
    [
      // Copies its argument, which follows the code, to memory, stores it in slot 0 and logs it.
      ...['6020', `60${byte(start + length)}`, '6000', '39', '600051', '600055', '60206000a0'],
      ...[`60${byte(length)}`, `60${byte(start)}`, '6000', '39', `60${byte(length)}`, '6000f3'],
    ].join('');
  return `0x${init(init(0).length / 2)}${runtime}${argument.hex}`;
}

function runtimeOf(returned: Canary): string {
  const store = '5b600035806001556000526040351560';
  const revert = '5760206000fd';
  const log = `5b60203560206000a17f${returned.hex}60005260206000f3`;
  // CALLDATASIZE, PUSH1 7, JUMPI, PUSH1 getter, JUMP: seven bytes.
  const logAt = 7 + (store.length + 2 + revert.length) / 2;
  const getterAt = logAt + log.length / 2;
  return `3660075760${byte(getterAt)}56${store}${byte(logAt)}${revert}${log}${GETTER}`;
}

function byte(value: number): string {
  return value.toString(16).padStart(2, '0');
}
