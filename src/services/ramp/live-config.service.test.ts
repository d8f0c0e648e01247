/** Mistakes that people make in the configuration file of a service. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { LiveConfig } from './live-config.ts';

const folder = mkdtempSync(join(tmpdir(), 'quorate-offer-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const open = (text: string) => () => {
  const file = join(folder, 'ramp.json');
  writeFileSync(file, text);
  new LiveConfig({ file, canSell: false, log: () => undefined }, () => undefined);
};

it('is refused with the path of a name that it gives twice', () => {
  const text = '{"fiat":[{"id":"USD"},{"id":"EUR","limits":{"max":"5","max":"500"}}]}';
  expect(open(text)).toThrow('ramp.json cannot be read: fiat[1].limits.max is given twice');
  expect(open(text.replace('"max":"5",', ''))).toThrow('ramp.json cannot be used');
});
