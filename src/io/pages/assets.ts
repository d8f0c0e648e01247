/**
 * Scripts and styles of the pages, as `npm run build` bundled them: read once, named by a hash of
 * their content, cached by browsers forever.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fail } from '../../core/base/errors.ts';
import type { PageReply } from './document.ts';

/** The path is the same from `src` and from `dist`. */
const FOLDER = join(import.meta.dirname, '../../../dist/web');
const TYPES = { js: 'text/javascript', css: 'text/css' } as const;
const HASH_CHARACTERS = 16;
const YEAR_SECONDS = 365 * 24 * 60 * 60;

export type PageName = 'widget' | 'operator' | 'explorer';

interface Asset {
  readonly type: string;
  readonly plain: Uint8Array;
  readonly packed: Uint8Array;
}

export class Assets {
  private readonly byName = new Map<string, Asset>();
  private readonly names = new Map<string, string>();

  /** Throws PAGES_MISSING. */
  constructor(pages: readonly PageName[]) {
    for (const page of pages) {
      for (const kind of ['js', 'css'] as const) this.add(`${page}.${kind}`, kind);
    }
  }

  /** The asset's path in the page, relative to the server's path of its pages. */
  path(page: PageName, kind: keyof typeof TYPES): string {
    return `assets/${this.names.get(`${page}.${kind}`)}`;
  }

  /**
   * `name`: the asset's file name, after the slash of `path`. `encodings`: what the browser
   * accepts. undefined: not found.
   */
  reply(name: string, encodings: string | undefined): PageReply | undefined {
    const asset = this.byName.get(name);
    if (!asset) return undefined;
    const isPacked = /\bbr\b/.test(encodings ?? '');
    return {
      status: 200,
      type: asset.type,
      body: isPacked ? asset.packed : asset.plain,
      headers: {
        'cache-control': `public, max-age=${YEAR_SECONDS}, immutable`,
        'x-content-type-options': 'nosniff',
        'cross-origin-resource-policy': 'same-origin',
        vary: 'accept-encoding',
        ...(isPacked ? { 'content-encoding': 'br' } : {}),
      },
    };
  }

  private add(file: string, kind: keyof typeof TYPES): void {
    const plain = content(file);
    const hash = createHash('sha256').update(plain).digest('base64url').slice(0, HASH_CHARACTERS);
    const name = file.replace('.', `-${hash}.`);
    this.names.set(file, name);
    const type = `${TYPES[kind]}; charset=utf-8`;
    this.byName.set(name, { type, plain, packed: content(`${file}.br`) });
  }
}

function content(file: string): Uint8Array {
  try {
    return readFileSync(join(FOLDER, file));
  } catch (cause) {
    const text = `${join(FOLDER, file)} is missing: npm run build creates it`;
    throw fail('PAGES_MISSING', text, { cause });
  }
}
