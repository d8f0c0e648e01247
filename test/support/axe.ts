/**
 * The faults that axe-core finds in a page, by the rules of WCAG 2.2 A and AA and its best
 * practices.
 */
import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** Resolves with one line per fault. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  // The page's content security policy blocks added scripts; evaluate() bypasses it.
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() =>
    (globalThis as any).axe.run({ include: ['html'] }, { resultTypes: ['violations'] }),
  );
  return violations.map(
    ({ id, impact, nodes }: any) =>
      `${impact} ${id}: ${nodes.map((node: any) => node.html).join(' ')}`,
  );
}
