/**
 * A comment, text or page may only cite a public source by name, or a page of this repository:
 * readers must be able to open it.
 */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

/** Private documents, and words that do not name the product. */
const CLOSED_SOURCES = [
  { pattern: /\bdossiers?\b/i, cure: 'name the public source or a page under docs/' },
  { pattern: /\bledger design\b/i, cure: 'name a page under docs/' },
  { pattern: /\b(?:decisions|house|ledger-design)\.md\b/, cure: 'name a page under docs/' },
  { pattern: /\bthe seed (?:says|spells|gives|names|wants)\b/i, cure: 'name the interface' },
  {
    pattern: /\bthe references?(?:['’]s?)? (?!"|\.|and\b)(?!.*reward)/i,
    cure: 'name the product: GoQuorum, Tessera, EthSigner, Web3Signer',
  },
];

const OUR_PAGE = /\bdocs\/[a-z/-]+\.md\b/g;

/** One line per fault: `path:line: "words": cure`. `root` is the folder that contains `docs/`. */
export function citationFaults(root: string, path: string, text: string): string[] {
  return text.split('\n').flatMap((line, index) => {
    const closed = CLOSED_SOURCES.flatMap(({ pattern, cure }) => {
      const words = pattern.exec(line)?.[0];
      return words === undefined ? [] : [`"${words.trim()}": ${cure}`];
    });
    const lost = [...line.matchAll(OUR_PAGE)]
      .map(([page]) => page)
      .filter((page) => !existsSync(resolve(root, page)))
      .map((page) => `"${page}": there is no such page`);
    return [...closed, ...lost].map((fault) => `${path}:${index + 1}: ${fault}`);
  });
}
