/** Addresses: their spellings, their checksum (EIP-55), and ICAP. */
import { Iban } from './iban.ts';

export type Keccak = (hex: string) => string;

const isStrictAddress = (value: unknown): boolean => /^0x[0-9a-f]{40}$/i.test(String(value));

export class Addresses {
  private readonly keccak: Keccak;

  constructor(keccak: Keccak) {
    this.keccak = keccak;
  }

  readonly isAddress = (value: unknown): boolean => {
    const digits = /^(?:0x)?([0-9a-f]{40})$/i.exec(String(value))?.[1];
    if (digits === undefined) return false;
    const isOneCase = digits === digits.toLowerCase() || digits === digits.toUpperCase();
    return isOneCase || this.isChecksumAddress(digits);
  };

  readonly isChecksumAddress = (value: string): boolean =>
    `0x${value.replace('0x', '')}` === this.toChecksumAddress(value);

  readonly toChecksumAddress = (value?: string): string => {
    if (value === undefined) return '';
    const digits = value.toLowerCase().replace('0x', '');
    const characters = Array.from({ length: digits.length }, (_, at) => digits.charCodeAt(at));
    const hash = this.keccak(characters.map((code) => code.toString(16).padStart(2, '0')).join(''));
    const cased = Array.from(digits, (digit, at) =>
      Number.parseInt(hash[at] ?? '0', 16) > 7 ? digit.toUpperCase() : digit,
    );
    return `0x${cased.join('')}`;
  };

  /** Reads an address in any form that methods accept: hex with or without 0x, or ICAP. Throws. */
  readonly input = (value: unknown): string => {
    const iban = new Iban(String(value));
    if (iban.isValid() && iban.isDirect()) return `0x${iban.address()}`;
    if (isStrictAddress(value)) return value as string;
    if (this.isAddress(value)) return `0x${value}`;
    throw new Error('invalid address');
  };
}
