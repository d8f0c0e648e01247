/** Links of a built site that lead nowhere: each page and anchor that it names must be there. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

const LINK = /\b(?:href|src)="([^"]+)"/g;
const ID = /\bid="([^"]+)"/g;
const OUTSIDE = /^(?:[a-z]+:|\/\/)/;

/** One text for each; `folder` has the pages. */
export function deadLinks(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) =>
    file.replaceAll('\\', '/'),
  );
  const pages = files.filter((file) => file.endsWith('.html'));
  const texts = new Map(pages.map((page) => [page, readFileSync(join(folder, page), 'utf8')]));
  const anchors = new Map([...texts].map(([page, text]) => [page, matches(text, ID)]));
  return pages.flatMap((page) =>
    [...matches(texts.get(page)!, LINK)]
      .filter((link) => !OUTSIDE.test(link))
      .filter((link) => !leadsSomewhere(link, page))
      .map((link) => `${page}: ${link}`),
  );

  function leadsSomewhere(link: string, page: string): boolean {
    const [path = '', anchor] = decodeURI(link).replaceAll('&amp;', '&').split('#');
    const target = path === '' ? page : posix.join('/', posix.dirname(page), path).slice(1);
    const place = path.startsWith('/') ? path.slice(1) : target;
    const file = place === '' || place.endsWith('/') ? `${place}index.html` : place;
    if (!files.includes(file)) return false;
    return anchor === undefined || anchor === '' || (anchors.get(file)?.has(anchor) ?? false);
  }
}

function matches(text: string, pattern: RegExp): Set<string> {
  return new Set([...text.matchAll(pattern)].map(([, found]) => found!));
}
