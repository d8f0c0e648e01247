/**
 * Active extensions in each private state, read from the logs in private receipts on the chain, so
 * that a lost or old list repairs itself (GoQuorum extension/backend.go,
 * extension/data_handler.go).
 */
import { fromBase64, toBase64 } from '../../../../core/base/base64.ts';
import { equalBytes } from '../../../../core/base/bytes.ts';
import { assert } from '../../../../core/base/errors.ts';
import { fromHex, toHex } from '../../../../core/base/hex.ts';
import type { Kv, Log, Timers } from '../../../../core/base/ports.ts';
import { bloomBits, bloomHas } from '../../../../core/chain/bloom.ts';
import type { Transaction } from '../../../../core/chain/transaction.ts';
import {
  type ActiveExtension,
  ActiveExtensions,
  EXTENSION_TOPICS,
  readExtensionLog,
} from '../../../../core/privacy/extension.ts';
import type { PrivateQuery, Psi } from '../../../../core/privacy/inputs.ts';
import { openInner, opensInner, payloadHashOf } from '../../../../core/privacy/marker.ts';
import { isManagementContract } from '../../../../core/privacy/state-shared.ts';
import { TABLE } from '../../../../core/store/keys.ts';
import type { Chain } from '../chain/chain.ts';
import type { PayloadCache } from '../private-state/payload-cache.ts';

/** Number of blocks between two turns of the event loop while catching up. */
const BLOCKS_PER_SLICE = 512;
/** Number of blocks without a change after which the position is saved. */
const BLOCKS_PER_SAVE = 10_000;

export interface ExtensionIndexParts {
  readonly chain: Chain;
  readonly payloads: PayloadCache;
  readonly kv: Kv;
  readonly timers: Timers;
  readonly log: Log;
}

interface Chapter {
  readonly psi: Psi;
  readonly active: ActiveExtensions;
  /** Number of the last block that was read. */
  at: number;
  savedAt: number;
  reading: Promise<void> | undefined;
}

export class ExtensionIndex {
  private readonly parts: ExtensionIndexParts;
  /** What each of them sets in a bloom. */
  private readonly topics = EXTENSION_TOPICS.map(bloomBits);
  private readonly chapters = new Map<Psi, Chapter>();

  constructor(parts: ExtensionIndexParts) {
    this.parts = parts;
  }

  /**
   * The extensions after the last block whose private state is done. Rejects while a marker's
   * payload is unavailable.
   */
  async active(psi: Psi): Promise<ActiveExtensions> {
    const chapter = this.chapterOf(psi);
    while (chapter.at < this.cursor(psi)) {
      chapter.reading ??= this.read(chapter).finally(() => {
        chapter.reading = undefined;
      });
      await chapter.reading;
    }
    return chapter.active;
  }

  /** Forgets everything, because the chain was rewound: all blocks are read again. */
  forget(): void {
    this.chapters.clear();
  }

  private cursor(psi: Psi): number {
    return this.parts.chain.store.cursor({ kind: 'private', psi });
  }

  private async read(chapter: Chapter): Promise<void> {
    let isChanged = false;
    for (let slice = 1; chapter.at < this.cursor(chapter.psi); slice++) {
      isChanged = (await this.readBlock(chapter, chapter.at + 1)) || isChanged;
      chapter.at++;
      if (slice % BLOCKS_PER_SLICE === 0)
        await new Promise<void>((resolve) => this.parts.timers.yield(resolve));
    }
    if (isChanged || chapter.at - chapter.savedAt >= BLOCKS_PER_SAVE) this.save(chapter);
  }

  /** Returns whether the list changed. */
  private async readBlock({ psi, active }: Chapter, number: number): Promise<boolean> {
    const { store } = this.parts.chain;
    const space = { kind: 'private', psi } as const;
    const bloom = store.bloom(space, number);
    if (!bloom || !this.topics.some((bits) => bloomHas(bloom, bits))) return false;
    let isChanged = false;
    for (const [index, { logs }] of store.privateRecord(psi, number)?.receipts ?? []) {
      for (const log of logs) {
        const event = readExtensionLog(log);
        // Older blocks have no states here. A management contract created in one of them still
        // exists at the first block that has them.
        const at = Math.max(number, store.firstState);
        const codeHash = event && store.stateAt(space, at).account(log.address)?.codeHash;
        if (!codeHash || !isManagementContract(codeHash)) continue;
        isChanged = true;
        if (event.kind === 'finished') active.end(event.manager);
        else
          active.begin({
            ...event.terms,
            ...(await this.origin(number, index)),
            manager: event.manager,
          });
      }
    }
    return isChanged;
  }

  /**
   * Sender of a private transaction and hash of its payload; for a marker, those of the transaction
   * inside.
   */
  private async origin(
    number: number,
    index: number,
  ): Promise<Pick<ActiveExtension, 'initiator' | 'creationHash'>> {
    const { chain } = this.parts;
    const block = chain.store.block(number);
    const outer = block?.transactions[index];
    assert(block && outer, `transaction ${index} of block ${number} is on the chain`);
    const isMarker = opensInner(outer, chain.rulesOf(block.header));
    const sent = isMarker ? await this.inner(outer) : outer;
    return { initiator: sent.sender, creationHash: payloadHashOf(sent.data) };
  }

  private async inner(marker: Transaction): Promise<Transaction> {
    const { payloads } = this.parts;
    const query: PrivateQuery = { kind: 'payload', hash: payloadHashOf(marker.data) };
    if (!payloads.answer(query)) await payloads.ask([query]);
    const answer = payloads.answer(query);
    const inner = answer?.kind === 'held' ? openInner(marker, answer.payload) : undefined;
    assert(inner && typeof inner !== 'string', 'a marker that left a private receipt opens');
    return inner;
  }

  // --- storage
  // -------------------------------------------------------------------------------------------------

  private chapterOf(psi: Psi): Chapter {
    const known = this.chapters.get(psi);
    if (known) return known;
    const saved = this.load(psi);
    const chapter: Chapter = {
      psi,
      active: new ActiveExtensions(saved?.extensions),
      at: saved?.number ?? 0,
      savedAt: saved?.number ?? 0,
      reading: undefined,
    };
    this.chapters.set(psi, chapter);
    return chapter;
  }

  private load(psi: Psi): Saved | undefined {
    const bytes = this.parts.kv.get(TABLE.meta, placeOf(psi));
    if (!bytes) return undefined;
    const saved = parseSaved(bytes);
    const hash = this.parts.chain.store.hashOf(saved.number);
    const isOurs = hash !== undefined && equalBytes(hash, saved.hash);
    return isOurs && saved.number <= this.cursor(psi) ? saved : undefined;
  }

  private save(chapter: Chapter): void {
    const { kv, log, chain } = this.parts;
    const hash = chain.store.hashOf(chapter.at);
    if (!hash) return;
    const bytes = formatSaved({ number: chapter.at, hash, extensions: chapter.active.list() });
    chapter.savedAt = chapter.at;
    const put = kv.commit(function* (writer) {
      writer.put(TABLE.meta, placeOf(chapter.psi), bytes);
      yield;
    });
    put.catch((error: Error) => log('warn', 'Extensions not kept', { err: error.message }));
  }
}

interface Saved {
  readonly number: number;
  readonly hash: Uint8Array;
  readonly extensions: readonly ActiveExtension[];
}

function placeOf(psi: Psi): Uint8Array {
  return new TextEncoder().encode(`extensions:${psi}`);
}

function formatSaved({ number, hash, extensions }: Saved): Uint8Array {
  const rows = extensions.map((each) => ({
    manager: toHex(each.manager),
    toExtend: toHex(each.toExtend),
    initiator: toHex(each.initiator),
    recipient: toHex(each.recipient),
    recipientKey: each.recipientKey,
    creationHash: toBase64(each.creationHash),
  }));
  return new TextEncoder().encode(JSON.stringify({ number, hash: toHex(hash), extensions: rows }));
}

function parseSaved(bytes: Uint8Array): Saved {
  const { number, hash, extensions } = JSON.parse(new TextDecoder().decode(bytes)) as {
    number: number;
    hash: string;
    extensions: Record<
      'manager' | 'toExtend' | 'initiator' | 'recipient' | 'recipientKey' | 'creationHash',
      string
    >[];
  };
  return {
    number,
    hash: fromHex(hash),
    extensions: extensions.map((each) => ({
      manager: fromHex(each.manager),
      toExtend: fromHex(each.toExtend),
      initiator: fromHex(each.initiator),
      recipient: fromHex(each.recipient),
      recipientKey: each.recipientKey,
      creationHash: fromBase64(each.creationHash),
    })),
  };
}
