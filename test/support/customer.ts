/**
 * A customer with a phone on the pages of a service: what they see is checked at every step, and
 * for people who see less too.
 */

import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { accessibilityFaults } from './axe.ts';
import type { TestBrowser } from './browser.ts';

/** Long, because machines may be busy. */
const PATIENCE_MS = 120_000;
const PHONE = { width: 390, height: 844 };

export interface Customer {
  readonly page: Page;
  /** Errors that the browser reported. */
  readonly faults: string[];
  /** Opens a page of the partner with this HTML. */
  visit(html: string): Promise<void>;
  open(path: string, query: Readonly<Record<string, string>>): Promise<void>;
  /** Waits until `shown` is visible, and checks the page's accessibility in both themes. */
  step(name: string, shown: Locator): Promise<void>;
  /** The text that a copy button copies. */
  copied(label: string): Promise<string>;
}

/** Every other site answers with `elsewhere`. */
export async function openCustomer({ browser }: TestBrowser, url: string): Promise<Customer> {
  let elsewhere = '<title>elsewhere</title>';
  const context = await browser.newContext({ viewport: PHONE, locale: 'en-US' });
  await context.route(
    (target) => target.origin !== new URL(url).origin,
    (route) => route.fulfill({ contentType: 'text/html', body: elsewhere }),
  );
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', ({ message }) => faults.push(message));
  page.on('console', (line) => {
    // A 4xx response is not a fault of the page.
    if (line.type() === 'error' && !/status of 4\d\d/.test(line.text())) faults.push(line.text());
  });
  return {
    page,
    faults,
    async visit(html) {
      elsewhere = html;
      await page.goto('https://example.org/shop');
    },
    async open(path, query) {
      await page.goto(`${url}${path}?${new URLSearchParams(query)}`);
    },
    async step(name, shown) {
      await shown.first().waitFor();
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        expect(await accessibilityFaults(page), `${name}, ${colorScheme}`).toEqual([]);
      }
      const isWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
      expect(isWide, `${name} is wider than a phone`).toBe(false);
    },
    async copied(label) {
      const row = page.locator('.copyable', { hasText: label });
      return (await row.locator('.copyable-value').textContent())!;
    },
  };
}
