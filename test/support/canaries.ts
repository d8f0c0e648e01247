/**
 * Bytes that must show where they belong and nowhere else, and a contract that puts them
 * everywhere.
 */
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * 32 bytes: a word on the stack, in storage, in a log. Letters, so that it also shows where bytes
 * are printed as text.
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

/** Names of those that `text` shows: in hex, as text, in base64 at any offset, as a number. */
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

/** As `canariesIn`, over all files below a folder; each with the file that shows it. */
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

/** What is left of the base64 of `bytes` inside longer base64, for each offset modulo 3. */
function base64Forms(bytes: Buffer): string[] {
  return [0, 1, 2].map((offset) => {
    const shifted = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
    return shifted.replace(/=+$/, '').slice(offset === 0 ? 0 : 4, -1);
  });
}

const GETTER = '5b60015460005260206000f3';

/**
 * Creation code. When made, the contract stores its argument in slot 0 and logs it. A call with
 * data stores the first word in slot 1, logs it with the second as topic, and returns `returned`;
 * with a third word that is not 0 it reverts with the first. A call without data returns slot 1.
 */
export function canaryContract(argument: Canary, returned: Canary): string {
  const runtime = runtimeOf(returned);
  const length = runtime.length / 2;
  const init = (start: number) =>
    [
      // Its argument lies behind the code: to memory, to slot 0, into a log.
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
