/**
 * Checks the index of accounts against the block log: every row can be read and is not ahead of its
 * cursor, and each public transaction has its sender and its recipient. Who these are is not
 * compared: that would recover the sender of every transaction.
 */
import { equalBytes } from '../../base/bytes.ts';
import { QuorateError } from '../../base/errors.ts';
import type { Kv } from '../../base/ports.ts';
import {
  ACCOUNT_TABLE,
  type AccountIndexState,
  blockKey,
  blockOfKey,
  decodeRun,
  decodeState,
  EVERY_KEY,
  numberOfKey,
  STATE_KEY,
  spaceOfKey,
} from '../accounts/account-rows.ts';
import { CONCERN } from '../accounts/block-accounts.ts';
import { decodeSenders } from '../accounts/block-senders.ts';
import type { LogPosition } from '../log-record.ts';
import type { ReplayedBlock } from '../record-bodies.ts';
import { isTakenBack, type Rewind } from '../rewinds.ts';
import type { RecordVisitor } from './block-records.ts';
import { CURE, type Teller } from './finding.ts';

export const ACCOUNTS_FILE = 'accounts/index/data.mdb';
const PUBLIC_ID = 0;
const CREATION_BYTES = 24;
const LAST_BLOCK = blockKey(Number.MAX_SAFE_INTEGER);

export interface AccountEntriesParts {
  /** The tables; their reads check the checksums. */
  readonly kv: Kv;
  readonly rewinds: readonly Rewind[];
  readonly teller: Teller;
}

export class AccountEntries implements RecordVisitor {
  private readonly parts: AccountEntriesParts;
  private readonly known: AccountIndexState | undefined;
  /** Public transactions with a known sender, and with a recipient, by block. */
  private readonly senders: Uint32Array;
  private readonly recipients: Uint32Array;
  /** Number of entries that were read. */
  count = 0;

  constructor(parts: AccountEntriesParts) {
    this.parts = parts;
    const row = parts.kv.get(ACCOUNT_TABLE.meta, STATE_KEY);
    this.known = row && decodeState(row);
    const blocks = (this.known?.cursor ?? -1) + 1;
    this.senders = new Uint32Array(blocks);
    this.recipients = new Uint32Array(blocks);
    if (this.known) this.readRows(this.known);
  }

  block({ block }: ReplayedBlock, position: LogPosition): void {
    const { header, hash, transactions } = block;
    const { number } = header;
    const { known } = this;
    if (!known || number > known.cursor) return;
    if (isTakenBack(this.parts.rewinds, undefined, number, position)) return;
    if (number === known.cursor && known.hash.length > 0 && !equalBytes(known.hash, hash)) {
      this.found('it is of another chain', number);
    }
    const due = transactions.filter(({ to }) => to !== undefined).length;
    if (this.senders[number] !== transactions.length) {
      this.found(
        `block ${number}: it has ${this.senders[number]} senders of ${transactions.length} transactions`,
        number,
      );
    }
    // A creation that failed has a recipient, too.
    if (this.recipients[number]! < due) {
      this.found(
        `block ${number}: it has ${this.recipients[number]} recipients of ${due} transactions`,
        number,
      );
    }
  }

  /** Call it after all records; `head` is the last block of the log. */
  finish(head: number): void {
    const at = this.known?.cursor ?? -1;
    if (at > head) this.found(`it is at block ${at}, and the block log ends at ${head}`, head);
  }

  private(): void {}

  state(): void {}

  private readRows({ cursor, spaces }: AccountIndexState): void {
    const cursors = new Map([[PUBLIC_ID, cursor], ...spaces.map(cursorById)]);
    const check = (key: Uint8Array, number: number) => {
      if (number > (cursors.get(spaceOfKey(key)) ?? -1)) {
        this.found(`an entry of block ${number} is ahead of what the index says it has`, number);
      }
    };
    const { kv } = this.parts;
    try {
      for (const [key, row] of kv.range(ACCOUNT_TABLE.places, ...EVERY_KEY)) {
        for (const { number, places } of decodeRun(numberOfKey(key), row)) {
          check(key, number);
          this.count += places.length / 2;
          if (spaceOfKey(key) === PUBLIC_ID) this.countParties(number, places);
        }
      }
      for (const [key, row] of kv.range(ACCOUNT_TABLE.creations, ...EVERY_KEY)) {
        check(key, numberOfKey(key));
        this.count++;
        if (row.length !== CREATION_BYTES) this.found('a row of a creation is cut off');
      }
      for (const [key, row] of kv.range(ACCOUNT_TABLE.senders, blockKey(0), LAST_BLOCK)) {
        this.checkSenders(blockOfKey(key), decodeSenders(row).size, cursor);
      }
    } catch (error) {
      if (!(error instanceof QuorateError)) throw error;
      this.found(error.message);
    }
  }

  /** Entries of older versions have no rows of senders. */
  private checkSenders(number: number, count: number, cursor: number): void {
    this.count++;
    if (number > cursor) {
      this.found(`the senders of block ${number} are ahead of what the index says it has`, number);
    } else if (count !== this.senders[number]) {
      this.found(
        `block ${number}: its row of senders has ${count} of ${this.senders[number]}`,
        number,
      );
    }
  }

  private countParties(number: number, places: readonly number[]): void {
    for (let at = 1; at < places.length; at += 2) {
      if (places[at]! & CONCERN.sent) this.senders[number]!++;
      if (places[at]! & CONCERN.received) this.recipients[number]!++;
    }
  }

  private found(what: string, height?: number): void {
    this.parts.teller.found({
      file: ACCOUNTS_FILE,
      ...(height === undefined ? {} : { height }),
      what,
      cure: CURE.accounts,
    });
  }
}

function cursorById({ id, cursor }: AccountIndexState['spaces'][number]): [number, number] {
  return [id, cursor];
}
