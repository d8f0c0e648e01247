import { describe, expect, it } from 'vitest';
import { fail } from '../core/base/errors.ts';
import { type OptionRow, parseOptions } from '../io/options/options.ts';
import { faultText } from './fault.ts';

const ROWS: readonly OptionRow[] = [
  { flag: 'datadir', type: 'string', unit: 'folder', about: '', group: '' },
  { flag: 'keystore', type: 'string', unit: 'folder', about: '', group: '' },
  { flag: 'http.port', type: 'integer', unit: 'port', about: '', group: '' },
];
const options = parseOptions(ROWS, {
  argv: ['--datadir', '/data', '--keystore', '/data/keys', '--http.port', '8545'],
});

function systemError(fields: { code: string; syscall: string; path?: string; port?: number }) {
  const { code, syscall, path } = fields;
  return Object.assign(new Error(`${code}: no words, ${syscall} '${path}'`), fields);
}

describe('what a person reads when a command fails', () => {
  it('names file, reason and the option that leads there, the nearest one', () => {
    const of = (code: string, syscall: string, path: string) =>
      faultText(systemError({ code, syscall, path }), options);
    expect(of('ENOENT', 'open', '/data/x')).toBe(
      'cannot open /data/x: there is no such file or folder (--datadir)',
    );
    expect(of('EACCES', 'scandir', '/data/keys/a')).toBe(
      'cannot list /data/keys/a: permission denied: change its owner or its permissions (--keystore)',
    );
    expect(of('EROFS', 'mkdir', '/other')).toBe(
      'cannot make the folder /other: the file system is read-only',
    );
    expect(of('EWEIRD', 'futimes', '/data')).toBe(
      'cannot use /data: the operating system refused it (--datadir)',
    );
  });

  it('completes a text that leaves the place out', () => {
    const error = fail('X', 'it is broken', { data: { path: '/data/keys' } });
    expect(faultText(error, options)).toBe('it is broken (--keystore /data/keys)');
    expect(faultText(error, undefined)).toBe('it is broken (/data/keys)');
    const port = fail('X', 'cannot listen on 127.0.0.1:8545', { data: { port: 8545 } });
    expect(faultText(port, options)).toBe('cannot listen on 127.0.0.1:8545 (--http.port)');
    expect(faultText(fail('X', '--keystore: no'), options)).toBe('--keystore: no');
  });

  it('shows no secret', () => {
    expect(faultText(fail('X', 'no answer of https://me:hunter2@host/'), options)).toBe(
      'no answer of https://***@host/',
    );
  });

  it('shows where a fault of ours came from', () => {
    expect(faultText(new TypeError('x is undefined'), options)).toMatch(
      /^a fault of Quorate itself, please report it: x is undefined\nTypeError.*\n\s+at /,
    );
    expect(faultText(fail('INVARIANT_BROKEN', 'no'), options)).toContain('please report');
  });
});
