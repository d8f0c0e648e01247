/** Pictures of the pages that Quorate serves, which the browser tests took last. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** By file name below dist/screens. */
const SCREENS: Readonly<Record<string, string>> = {
  'explorer-overview': 'The explorer: newest blocks and transactions',
  'explorer-private': 'A private transaction in the explorer, at a party',
  'explorer-stranger': 'The same transaction at a node that is not a party',
  'explorer-phone': 'The explorer on a phone, dark: validators',
  'ramp-buy': 'The page of a buy',
  'ramp-operator': 'The operator’s page of the ramp',
};

/** `folder` has the pictures; pages find them in `screens/`. */
export function screensPage(folder: string): string {
  const taken = Object.entries(SCREENS).filter(([name]) => existsSync(join(folder, `${name}.png`)));
  const pictures = taken.flatMap(([name, text]) => [
    `## ${text}`,
    '',
    `![${text}](./screens/${name}.png)`,
    '',
  ]);
  const none = [
    '`npm test` takes them where it finds a Chromium; none was taken before this site was built.',
    '',
  ];
  return ['# Screens', '', ...(taken.length > 0 ? pictures : none)].join('\n');
}
