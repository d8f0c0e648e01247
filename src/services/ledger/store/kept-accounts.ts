/**
 * The index of accounts of a data folder: opened on request, and rewound together with the chain.
 */
import { equalBytes } from '../../../core/base/bytes.ts';
import type { Log } from '../../../core/base/ports.ts';
import type { Psi } from '../../../core/privacy/inputs.ts';
import type { AccountIndex } from '../../../core/store/accounts/account-index.ts';
import type { ChainStore } from '../../../core/store/chain-store.ts';
import { PUBLIC_SPACE } from '../../../core/store/interface.ts';
import {
  dropAccountIndex,
  hasAccountIndex,
  type OpenAccounts,
  openAccountIndex,
} from '../../../io/storage/account-folder.ts';

export class KeptAccounts {
  private readonly folder: string;
  private readonly log: Log;
  private opened: OpenAccounts | undefined;

  /** `folder`: the folder of the store. */
  constructor(folder: string, log: Log) {
    this.folder = folder;
    this.log = log;
  }

  /** Undefined: the index was not requested. */
  get index(): AccountIndex | undefined {
    return this.opened?.index;
  }

  /** An index that belongs to another chain, or is ahead of this one, is dropped. */
  async open(store: ChainStore, wanted: 'kept' | 'new'): Promise<void> {
    if (wanted === 'new') dropAccountIndex(this.folder);
    this.opened = await this.read();
    if (fits(this.opened.index, store)) return;
    this.say('it is not of this chain');
    await this.opened.close();
    dropAccountIndex(this.folder);
    this.opened = await this.read();
  }

  /** Call it before the chain is rewound, even if the index was not requested. */
  async rewind(target: Psi | 'all', to: number): Promise<void> {
    if (!this.opened && !hasAccountIndex(this.folder)) return;
    const { index, close } = this.opened ?? (await this.read());
    await index.rewind(target, to);
    if (!this.opened) await close();
  }

  async close(): Promise<void> {
    await this.opened?.close();
  }

  private read(): Promise<OpenAccounts> {
    return openAccountIndex(this.folder, (why) => this.say(why));
  }

  private say(why: string): void {
    this.log('warn', 'The index of accounts is made again', { why });
  }
}

function fits(index: AccountIndex, store: ChainStore): boolean {
  const at = index.cursor(PUBLIC_SPACE);
  if (at < 0 || index.hash.length === 0) return true;
  const hash = store.hashOf(at);
  return hash !== undefined && equalBytes(hash, index.hash);
}
