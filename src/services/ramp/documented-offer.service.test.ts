/** The service accepts the offer that docs/ramp.md shows. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { readConfig } from '../../core/ramp/read-config.ts';

it('is read without a fault', () => {
  const page = readFileSync(new URL('../../../docs/ramp.md', import.meta.url), 'utf8');
  const [, text] = /^```json file=ramp.json\n([\s\S]*?)^```$/m.exec(page)!;
  const config = readConfig(JSON.parse(text!), 'docs/ramp.md');
  expect(config.partners.map(({ id }) => id)).toEqual(['https://aggregator.example/']);
  expect(config.crypto[0]!.payoutLimits.get('debit-credit-card')!.min).toBe(10n ** 15n);
});
