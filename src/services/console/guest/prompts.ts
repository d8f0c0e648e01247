/**
 * Functions of admin and personal that need more than the node: a pause, or a password from the
 * user (GoQuorum console/bridge.go).
 */
import type { Host } from './host.ts';
import type { Holder } from './method.ts';
import { shown } from './signatures.ts';

type Call = (...args: unknown[]) => unknown;

/** An error with the name that geth gives to errors of its own functions. */
export function fault(message: string): Error {
  const error = new Error(message);
  error.name = 'GoError';
  return error;
}

const isMissing = (value: unknown): boolean => value === undefined || value === null;

export class Prompts {
  private readonly host: Host;

  constructor(host: Host) {
    this.host = host;
  }

  admin(blockNumber: () => number): Holder {
    return {
      sleep: shown((seconds?: unknown) => {
        if (typeof seconds !== 'number') throw fault('usage: sleep(<number of seconds>)');
        this.host.sleep(seconds * 1000);
        return true;
      }),
      sleepBlocks: shown((...args: unknown[]) => {
        const [blocks, seconds = Number.POSITIVE_INFINITY] = args;
        if (args.length === 0)
          throw fault('usage: sleepBlocks(<n blocks>[, max sleep in seconds])');
        if (typeof blocks !== 'number') throw fault('expected number as first argument');
        if (typeof seconds !== 'number') throw fault('expected number as second argument');
        this.sleepBlocks(blocks, seconds, blockNumber);
        return true;
      }),
      clearHistory: shown(() => {
        this.host.write(`${this.host.clearHistory()}\n`);
      }),
    };
  }

  /** Replaces functions of the node; scripts find the originals in `jeth`. */
  personal(own: Readonly<Record<string, Call>>): Holder {
    return {
      newAccount: shown((...args: unknown[]) => this.newAccount(own.newAccount!, args)),
      unlockAccount: shown((...args: unknown[]) => this.unlock(own.unlockAccount!, args)),
      openWallet: shown((url: unknown, password: unknown) => {
        if (typeof url !== 'string') throw fault('first argument must be the wallet URL to open');
        return own.openWallet!(url, isMissing(password) ? '' : password);
      }),
      sign: shown((...args: unknown[]) => this.sign(own.sign!, args)),
    };
  }

  private sleepBlocks(blocks: number, seconds: number, blockNumber: () => number): void {
    const end = Date.now() + seconds * 1000;
    let last = blockNumber();
    let left = blocks;
    while (left > 0 && Date.now() < end) {
      this.host.sleep(Math.min(1000, end - Date.now()));
      const now = blockNumber();
      if (now !== last) left--;
      last = now;
    }
  }

  private ask(label: string): string {
    const line = this.host.ask(label);
    if (line === undefined) throw fault('prompt aborted');
    return line;
  }

  private newAccount(make: Call, args: readonly unknown[]): unknown {
    if (args.length === 1) return make(String(args[0]));
    if (args.length > 1) throw fault('expected 0 or 1 string argument');
    const password = this.ask('Passphrase: ');
    if (this.ask('Repeat passphrase: ') !== password) throw fault("passwords don't match!");
    return make(password);
  }

  private unlock(open: Call, args: readonly unknown[]): unknown {
    const [account, given, seconds] = args;
    if (args.length < 1) throw fault('usage: unlockAccount(account, [ password, duration ])');
    if (typeof account !== 'string') throw fault('first argument must be the account to unlock');
    if (!isMissing(given) && typeof given !== 'string') throw fault('password must be a string');
    if (!isMissing(seconds) && typeof seconds !== 'number') {
      throw fault('unlock duration must be a number');
    }
    if (isMissing(given)) this.host.write(`Unlock account ${account}\n`);
    const password = isMissing(given) ? this.ask('Passphrase: ') : given;
    return open(account, password, seconds ?? null);
  }

  private sign(make: Call, args: readonly unknown[]): unknown {
    const [message, account, given] = args;
    if (args.length < 2) throw fault('usage: sign(message, account, [ password ])');
    if (typeof message !== 'string') throw fault('first argument must be the message to sign');
    if (typeof account !== 'string') {
      throw fault('second argument must be the account to sign with');
    }
    if (!isMissing(given) && typeof given !== 'string') {
      throw fault('third argument must be the password to unlock the account');
    }
    if (isMissing(given)) this.host.write(`Give password for account ${account}\n`);
    return make(message, account, isMissing(given) ? this.ask('Password: ') : given);
  }
}
