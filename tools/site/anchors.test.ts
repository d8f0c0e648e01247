/** Links to headings work on the site as they do where the pages are read as files. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';

const DOCS = resolve(import.meta.dirname, '../../docs');
const PAGES = readdirSync(DOCS, { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.md'),
);

/** GitHub's: punctuation is left out, blanks are dashes. */
const inFiles = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
/** VitePress': a run of punctuation and blanks is one dash. */
const onSite = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[\s~`!@#$%^&*()\-_+=[\]{}|\\;:"'“”‘’<>,.?/]+/g, '-')
    .replace(/^-+|-+$/g, '');

function headingsOf(page: string): string[] {
  const text = readFileSync(join(DOCS, page), 'utf8').replaceAll(/^```[\s\S]*?^```$/gm, '');
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading]) => heading!);
}

it('headings that are linked have one name everywhere', () => {
  const wrong = PAGES.flatMap((page) =>
    [...readFileSync(join(DOCS, page), 'utf8').matchAll(/\]\(([\w./-]*\.md)?#([^)]+)\)/g)]
      .map(([, target, anchor]) => [join(page, '..', target ?? page.split('/').at(-1)!), anchor!])
      .filter(([target]) => PAGES.includes(target!))
      .filter(
        ([target, anchor]) =>
          !headingsOf(target!).some((each) => inFiles(each) === anchor && onSite(each) === anchor),
      )
      .map(([target, anchor]) => `${page}: ${target}#${anchor}`),
  );
  expect(wrong).toEqual([]);
});

it('no page but the first of a folder is named index: the site would shorten its address', () => {
  expect(PAGES.filter((page) => /[^/]index\.md$/.test(page))).toEqual([]);
});
