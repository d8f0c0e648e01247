/** ICAP: an address as an IBAN with the country code XE. */
import { BigNumber } from './number.ts';

/** ISO 13616: the digits for the checksum, with letters as numbers from 10. */
function prepared(iban: string): string {
  const moved = iban.slice(4) + iban.slice(0, 4);
  return moved.toUpperCase().replace(/[A-Z]/g, (letter) => String(letter.charCodeAt(0) - 55));
}

function remainder(digits: string): number {
  return Array.from(digits).reduce((rest, digit) => (rest * 10 + Number(digit)) % 97, 0);
}

export class Iban {
  private readonly _iban: string;

  constructor(iban: string) {
    this._iban = iban;
  }

  static fromAddress(address: string): Iban {
    const digits = new BigNumber(String(address).replace(/^0x/, ''), 16).toString(36);
    return Iban.fromBban(digits.padStart(30, '0').toUpperCase());
  }

  static fromBban(bban: string): Iban {
    const check = String(98 - remainder(prepared(`XE00${bban}`))).padStart(2, '0');
    return new Iban(`XE${check}${bban}`);
  }

  static createIndirect(options: { institution: string; identifier: string }): Iban {
    return Iban.fromBban(`ETH${options.institution}${options.identifier}`);
  }

  static isValid(iban: string): boolean {
    return new Iban(iban).isValid();
  }

  isValid(): boolean {
    const isShaped = /^XE[0-9]{2}(ETH[0-9A-Z]{13}|[0-9A-Z]{30,31})$/.test(this._iban);
    return isShaped && remainder(prepared(this._iban)) === 1;
  }

  isDirect(): boolean {
    return this._iban.length === 34 || this._iban.length === 35;
  }

  isIndirect(): boolean {
    return this._iban.length === 20;
  }

  checksum(): string {
    return this._iban.slice(2, 4);
  }

  institution(): string {
    return this.isIndirect() ? this._iban.slice(7, 11) : '';
  }

  client(): string {
    return this.isIndirect() ? this._iban.slice(11) : '';
  }

  /** 40 hex digits; '' for an indirect ICAP. */
  address(): string {
    if (!this.isDirect()) return '';
    return new BigNumber(this._iban.slice(4), 36).toString(16).padStart(40, '0');
  }

  toString(): string {
    return this._iban;
  }
}
