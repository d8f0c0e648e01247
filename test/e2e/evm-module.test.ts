import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { MODULES, moduleText } from '../../tools/evm-module.ts';

it.each(MODULES)('the module $name matches its source', (module) => {
  expect(readFileSync(module.file, 'utf8')).toBe(moduleText(module));
});
