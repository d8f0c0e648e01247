import { describe, expect, it } from 'vitest';
import { crc32c, crc32cBefore } from './crc32c.ts';

describe('crc32c', () => {
  it('gives the values of RFC 3720 B.4 and the check value', () => {
    expect(crc32c(new TextEncoder().encode('123456789'))).toBe(0xe3069283);
    expect(crc32c(new Uint8Array(32))).toBe(0x8a9136aa);
    expect(crc32c(new Uint8Array(32).fill(0xff))).toBe(0x62a8ab43);
    expect(crc32c(Uint8Array.from({ length: 32 }, (_, i) => i))).toBe(0x46dd794e);
    expect(crc32c(Uint8Array.from({ length: 32 }, (_, i) => 31 - i))).toBe(0x113fdb5c);
  });

  it('chains over parts', () => {
    const bytes = Uint8Array.from({ length: 100 }, (_, i) => (i * 7) & 0xff);
    for (let cut = 0; cut <= 100; cut++) {
      expect(crc32c(bytes, crc32c(bytes, 0, 0, cut), cut)).toBe(crc32c(bytes));
    }
  });

  it('follows for the whole from the checksums of two parts', () => {
    const bytes = Uint8Array.from({ length: 5_000 }, (_, i) => (i * i * 7) & 0xff);
    for (const cut of [0, 1, 255, 256, 4_095, 5_000]) {
      const [before, after] = [crc32c(bytes, 0, 0, cut), crc32c(bytes, 0, cut)];
      expect((crc32cBefore(before, 5_000 - cut) ^ after) >>> 0).toBe(crc32c(bytes));
    }
  });
});
