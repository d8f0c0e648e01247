/** What axe-core finds in a page: rules of WCAG 2.2 A and AA, and its best practices. */
import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** One line for each fault. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  // The page's policy would not let a script in: this one runs behind it.
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() =>
    (globalThis as any).axe.run({ include: ['html'] }, { resultTypes: ['violations'] }),
  );
  return violations.map(
    ({ id, impact, nodes }: any) =>
      `${impact} ${id}: ${nodes.map((node: any) => node.html).join(' ')}`,
  );
}
