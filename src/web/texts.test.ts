/** Pages say the same things in each of their languages. */
import { expect, it } from 'vitest';
import { de as explorerDe } from './explorer/texts/de.ts';
import { en as explorerEn } from './explorer/texts/en.ts';
import { es as explorerEs } from './explorer/texts/es.ts';
import { de as widgetDe } from './ramp/widget/texts/de.ts';
import { en as widgetEn } from './ramp/widget/texts/en.ts';
import { es as widgetEs } from './ramp/widget/texts/es.ts';

function names(value: object, before = ''): string[] {
  return Object.entries(value).flatMap(([name, part]) =>
    typeof part === 'object' && part !== null
      ? names(part, `${before}${name}.`)
      : [`${before}${name}`],
  );
}

it.each([
  ['explorer', 'German', explorerDe, explorerEn],
  ['explorer', 'Spanish', explorerEs, explorerEn],
  ['widget', 'German', widgetDe, widgetEn],
  ['widget', 'Spanish', widgetEs, widgetEn],
])(
  'the %s has every text in %s that it has in English, and no other',
  (_, _language, texts, en) => {
    expect(names(texts).sort()).toEqual(names(en).sort());
  },
);
