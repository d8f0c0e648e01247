/**
 * State of a block that the caller's private state has not reached. Accounts that are private at
 * the last block reached stay private, and reading them fails; all others are read as public, so
 * that public reads never wait for the private transaction manager.
 */
import type { Address, Hash32 } from '../../../core/base/bytes.ts';
import { fail, type QuorateError } from '../../../core/base/errors.ts';
import type {
  Account,
  AccountEntry,
  PrivacyMetadata,
  StorageEntry,
} from '../../../core/state/account.ts';
import type { StateReader } from '../../../core/state/reader.ts';

export class LaggingReader implements StateReader {
  private readonly last: StateReader;
  private readonly at: number;
  private readonly wanted: number;

  /** `last`: the state after block `at`. `wanted`: the block that was requested. */
  constructor(last: StateReader, at: number, wanted: number) {
    this.last = last;
    this.at = at;
    this.wanted = wanted;
  }

  account(address: Address): Account | undefined {
    if (this.last.account(address) !== undefined) throw this.behind();
    return undefined;
  }

  slot(): bigint {
    throw this.behind();
  }

  code(codeHash: Hash32): Uint8Array {
    return this.last.code(codeHash);
  }

  metadata(): PrivacyMetadata | undefined {
    throw this.behind();
  }

  accounts(): Iterable<AccountEntry> {
    throw this.behind();
  }

  slots(): Iterable<StorageEntry> {
    throw this.behind();
  }

  private behind(): QuorateError {
    return fail(
      'PRIVATE_STATE_BEHIND',
      `private state is at block ${this.at} of ${this.wanted}: the private transaction manager does not answer`,
    );
  }
}
