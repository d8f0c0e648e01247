import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { inkOn } from './theme.ts';

/** The contrast ratio, by the definition in WCAG 2.2. */
function contrast(one: string, other: string): number {
  const [low, high] = [one, other].map(luminance).sort((a, b) => a - b) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

function luminance(color: string): number {
  const channels = /^#(..)(..)(..)$/
    .exec(color)!
    .slice(1)
    .map((hex) => {
      const part = Number.parseInt(hex, 16) / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
  return channels[0]! * 0.2126 + channels[1]! * 0.7152 + channels[2]! * 0.0722;
}

it('text is readable on the accent colour of any partner', () => {
  const colors = fc.integer({ min: 0, max: 0xffffff });
  fc.assert(
    fc.property(colors, (number) => {
      const color = `#${number.toString(16).padStart(6, '0')}`;
      const ink = inkOn(color) === '#fff' ? '#ffffff' : '#000000';
      expect(contrast(color, ink)).toBeGreaterThanOrEqual(4.5);
    }),
  );
  expect([inkOn('#ffe600'), inkOn('#2a4bd7')]).toEqual(['#000', '#fff']);
});
