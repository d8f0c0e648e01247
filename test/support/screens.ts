/** Pictures of pages as a test saw them, for the documentation site: dist/screens/NAME.png. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { PROJECT } from './devnet.ts';

/** What the window shows; `name` is one of SCREENS in tools/site/screens-page.ts. */
export async function keepScreen(page: Page, name: string): Promise<void> {
  const folder = join(PROJECT, 'dist/screens');
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`) });
}
