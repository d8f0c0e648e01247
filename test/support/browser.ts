/**
 * A real Chromium from npm, so that nothing has to be installed on the machine. CHROMIUM names
 * another binary; where the package does not support the machine, an installed Chromium is used.
 */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  createReadStream,
  createWriteStream,
  existsSync,
  mkdtempSync,
  rmSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress } from 'node:zlib';
import { type Browser, chromium } from 'playwright-core';

const INSTALLED = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];
/**
 * Containers have little shared memory and run as root. Sites of a test count as public, while the
 * ramp is on this machine.
 */
const FLAGS = [
  ...['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
  '--disable-features=LocalNetworkAccessChecks',
];

export interface TestBrowser {
  readonly browser: Browser;
  close(): Promise<void>;
}

/** undefined: there is none for this machine. */
export async function startTestBrowser(): Promise<TestBrowser | undefined> {
  const named = process.env.CHROMIUM;
  if (named !== undefined) return started(named, {});
  if (process.platform === 'linux' && process.arch === 'x64') {
    const folder = mkdtempSync(join(tmpdir(), 'quorate-browser-'));
    const remove = () => rmSync(folder, { recursive: true, force: true });
    try {
      const { browser, close } = await started(await unpacked(folder), {
        LD_LIBRARY_PATH: join(folder, 'lib'),
      });
      return {
        browser,
        async close() {
          await close();
          remove();
        },
      };
    } catch (error) {
      remove();
      throw error;
    }
  }
  const installed = INSTALLED.find((path) => existsSync(path));
  return installed === undefined ? undefined : started(installed, {});
}

async function started(
  executablePath: string,
  env: Readonly<Record<string, string>>,
): Promise<TestBrowser> {
  const browser = await chromium.launch({
    ...{ executablePath, args: FLAGS, env: { ...process.env, ...env } as Record<string, string> },
  });
  return { browser, close: () => browser.close() };
}

/** Unpacks the browser, and the libraries that a minimal machine lacks. */
async function unpacked(folder: string): Promise<string> {
  const main = createRequire(import.meta.url).resolve('@sparticuz/chromium');
  const packed = join(
    main.slice(0, main.indexOf(join('@sparticuz', 'chromium'))),
    '@sparticuz',
    'chromium',
    'bin',
  );
  const unpack = (name: string, file: string) =>
    pipeline(
      createReadStream(join(packed, name)),
      createBrotliDecompress(),
      createWriteStream(file),
    );
  const path = join(folder, 'chromium');
  const libraries = join(folder, 'libraries.tar');
  await Promise.all([unpack('chromium.br', path), unpack('al2023.tar.br', libraries)]);
  execFileSync('tar', ['-xf', libraries, '-C', folder]);
  chmodSync(path, 0o755);
  return path;
}
