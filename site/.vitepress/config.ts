/**
 * The documentation site: the project's Markdown files, which `npm run docs:site` copies to
 * `pages/`, with a sidebar and a search that needs no other server.
 */
import { resolve } from 'node:path';
import { defineConfig } from 'vitepress';
import { CONTENTS } from './contents.ts';
import { placeOf } from './places.ts';
import { sourceLinks } from './source-links.ts';

const PAGES = resolve(import.meta.dirname, '../pages');

export default defineConfig({
  title: 'Quorate',
  description: 'A permissioned Ethereum ledger with private transactions',
  srcDir: 'pages',
  outDir: '../dist/site',
  cacheDir: '../.cache/site',
  rewrites: (file) => placeOf(file) ?? file,
  markdown: { html: false, config: (markdown) => sourceLinks(markdown, PAGES) },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: 'Start', link: '/start' },
      { text: 'Migration', link: '/migration' },
      { text: 'Reference', link: '/commands' },
      { text: 'Changes', link: '/changelog' },
    ],
    sidebar: CONTENTS.map(({ title, pages }) => ({
      text: title,
      collapsed: true,
      items: pages.map(([page, text]) => ({ text, link: `/${page.replace(/index$/, '')}` })),
    })),
  },
});
