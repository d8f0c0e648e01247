import { describe, expect, it } from 'vitest';
import { databaseKind, isPostgresUrl, parsePostgresUrl } from './postgres-address.ts';

const FULL = {
  host: 'db.example',
  port: 5433,
  database: 'payloads',
  user: 'ptm',
  password: 'p@ss w%rd',
  schema: undefined,
  tls: false,
};

describe('the address of a PostgreSQL database', () => {
  it('is a URL of its own, or what JDBC writes', () => {
    expect(parsePostgresUrl('postgres://ptm:p%40ss%20w%25rd@db.example:5433/payloads')).toEqual(
      FULL,
    );
    expect(
      parsePostgresUrl(
        'jdbc:postgresql://db.example:5433/payloads?user=ptm&password=p%40ss+w%25rd',
      ),
    ).toEqual(FULL);
    const login = { user: 'ptm', password: 'p@ss w%rd' };
    expect(parsePostgresUrl('jdbc:postgresql://db.example:5433/payloads', login)).toEqual(FULL);
    expect(parsePostgresUrl('postgresql://[::1]/a%2Fb?currentSchema=tessera')).toEqual({
      host: '::1',
      port: 5432,
      database: 'a/b',
      user: undefined,
      password: undefined,
      schema: 'tessera',
      tls: false,
    });
  });

  it('says how the server is checked', () => {
    const tls = (query: string) => parsePostgresUrl(`postgres://h/d?${query}`).tls;
    for (const off of ['', 'sslmode=disable', 'sslmode=prefer', 'ssl=false']) {
      expect(tls(off)).toBe(false);
    }
    expect(tls('sslmode=require')).toEqual({ rejectUnauthorized: false });
    expect(tls('sslmode=verify-full')).toEqual({ servername: 'h' });
    expect(tls('ssl=true')).toEqual({ servername: 'h' });
    expect(tls('sslmode=verify-ca')).toHaveProperty('checkServerIdentity');
    expect(() => tls('sslmode=maybe')).toThrow(/sslmode "maybe" is not known/);
  });

  it('is refused without a word of the password', () => {
    for (const url of [
      'jdbc:h2:./x;user=a;password=secret',
      'postgres://ptm:secret@a:1,b:2/d',
      'postgres://ptm:secret@host:99999/d',
      'postgres://ptm:secret@host',
      'postgres:///d?password=secret',
    ]) {
      expect(() => parsePostgresUrl(url)).toThrow(
        expect.objectContaining({
          code: 'STORAGE_URL_INVALID',
          message: expect.not.stringContaining('secret'),
        }),
      );
    }
    expect(isPostgresUrl('jdbc:h2:./x')).toBe(false);
    expect(databaseKind('jdbc:h2:./x')).toBe('h2');
    expect(databaseKind('x')).toBe('unknown');
  });
});
