/**
 * `npm run docs:site`: builds the documentation site into dist/site: the pages of docs/, and the
 * reference from the tables in the code. Fails when a link of it leads nowhere.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { errorsPage } from './errors-page.ts';
import { deadLinks } from './links.ts';
import { metricsPage } from './metrics-page.ts';
import { restPage } from './rest-page.ts';
import { rpcPage } from './rpc-page.ts';
import { screensPage } from './screens-page.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const SITE = join(ROOT, 'site');
const PAGES = join(SITE, 'pages');
const BUILT = join(ROOT, 'dist/site');
const SCREENS = join(ROOT, 'dist/screens');

const COPIED = [
  'docs',
  'ARCHITECTURE.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'site/index.md',
];
const MADE: Readonly<Record<string, () => string>> = {
  'rpc.md': rpcPage,
  'rest.md': restPage,
  'errors.md': () => errorsPage(ROOT),
  'metric-names.md': metricsPage,
  'screens.md': () => screensPage(SCREENS),
};

rmSync(PAGES, { recursive: true, force: true });
for (const path of COPIED) cpSync(join(ROOT, path), join(PAGES, path), { recursive: true });
for (const [name, page] of Object.entries(MADE)) writeFileSync(join(PAGES, 'docs', name), page());
if (existsSync(SCREENS)) cpSync(SCREENS, join(PAGES, 'docs/screens'), { recursive: true });
install();
mkdirSync(BUILT, { recursive: true });
npm('exec', '--', 'vitepress', 'build', '.');
const dead = deadLinks(BUILT);
for (const link of dead) process.stderr.write(`leads nowhere: ${link}\n`);
if (dead.length > 0) process.exitCode = 1;
else process.stdout.write(`The site is in ${BUILT}\n`);

/** What the site is built with has a lock file of its own: no user of Quorate installs it. */
function install(): void {
  const lock = readFileSync(join(SITE, 'package-lock.json'), 'utf8');
  const mark = join(SITE, 'node_modules/.lock-installed');
  if (existsSync(mark) && readFileSync(mark, 'utf8') === lock) return;
  npm('ci', '--no-audit', '--no-fund', '--ignore-scripts');
  writeFileSync(mark, lock);
}

function npm(...words: readonly string[]): void {
  execFileSync('npm', words, { cwd: SITE, stdio: 'inherit' });
}
