import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { MODULE_FILE, moduleText } from '../../tools/evm-module.ts';

it("the EVM's module is what its source compiles to", () => {
  expect(readFileSync(MODULE_FILE, 'utf8')).toBe(moduleText());
});
