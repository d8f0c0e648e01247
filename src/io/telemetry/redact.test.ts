import { describe, expect, it } from 'vitest';
import { redact } from './redact.ts';

const KEY = 'ac6b1096ca56b9f6d004b779ae3728bf83f8e22453404cc3cef16a3d9b96608b'.repeat(2);

describe('redaction', () => {
  it('hides who logs in where a URL says so', () => {
    expect(redact('https://user:hunter2@host:8080/path?q=1')).toBe(
      'https://***@host:8080/path?q=1',
    );
    expect(redact('postgres://ptm:hun@ter2@host/db')).toBe('postgres://***@host/db');
    expect(redact('no: "https://hunter2@host", nor //u:hunter2@host')).toBe(
      'no: "https://***@host", nor //***@host',
    );
  });

  it('shows the public key of a node URL, whatever else is wrong with it', () => {
    const enode = `enode://${KEY}@10.0.0.1:30303?discport=0&raftport=50400`;
    expect(redact(enode)).toBe(enode);
    expect(redact('enode://abc@[::1]:30303')).toBe('enode://abc@[::1]:30303');
    expect(redact('enode://abc:hunter2@10.0.0.1')).toBe('enode://abc:***@10.0.0.1');
  });

  it('leaves other texts alone', () => {
    for (const text of ['http://host/@scope/package', 'mail to me@host', 'http://host:80?a=b@c'])
      expect(redact(text)).toBe(text);
  });

  it('hides bearer tokens', () => {
    expect(redact('Authorization: bearer abc.def')).toBe('Authorization: Bearer ***');
  });
});
