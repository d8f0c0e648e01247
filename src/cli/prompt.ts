/** Asks for passwords: typed at a terminal without echo, or lines of standard input. */
import { createInterface, type Interface } from 'node:readline';
import { type Readable, Writable } from 'node:stream';
import { fail } from '../core/base/errors.ts';

export class PasswordPrompt {
  private readonly lines: Interface;
  private readonly incoming: AsyncIterator<string>;
  private readonly input: Readable;
  private readonly isUnseen: boolean;
  private isFirst = true;

  constructor(input: Readable & { readonly isTTY?: boolean } = process.stdin) {
    this.input = input;
    const unseen = new Writable({ write: (_chunk, _encoding, done) => done() });
    this.isUnseen = input.isTTY === true;
    this.lines = createInterface({ input, output: unseen, terminal: this.isUnseen });
    this.incoming = this.lines[Symbol.asyncIterator]();
  }

  /** Throws INPUT_MISSING at the end of input. */
  async ask(label: string): Promise<string> {
    // COMPAT: scripts that drive geth wait for this text.
    if (this.isFirst && !this.isUnseen)
      console.log('!! Unsupported terminal, password will be echoed.');
    this.isFirst = false;
    console.log(`${label}: `);
    const { value, done } = await this.incoming.next();
    if (done)
      throw fail(
        'INPUT_MISSING',
        'Failed to read password: nothing was entered; give --password FILE',
      );
    return value;
  }

  /** Asks twice for the same password. Throws PASSWORD_MISMATCH. */
  async askNew(): Promise<string> {
    const password = await this.ask('Password');
    if ((await this.ask('Repeat password')) === password) return password;
    throw fail('PASSWORD_MISMATCH', 'Passwords do not match');
  }

  close(): void {
    this.lines.close();
    this.input.pause();
  }
}
