/**
 * Writes blocks of a running node to a file, or imports a file: one file at a time; it stops when
 * the node stops.
 */
import { rmSync } from 'node:fs';
import { fail } from '../../core/base/errors.ts';
import type { Log, Timers } from '../../core/base/ports.ts';
import { encodeBlock } from '../../core/chain/block.ts';
import { engineAt } from '../../core/chain/consensus-rules.ts';
import { isThere } from '../../io/host/files.ts';
import { reasonOf } from '../../io/host/reason.ts';
import { isFatal } from './node/chain/chain.ts';
import type { LedgerNode } from './node/compose.ts';
import { HeaderVerifier } from './node/consensus/header-verifier.ts';
import { readBlockFile, writeBlockFile } from './offline/block-file.ts';
import { commitFileBlock, decodeFileBlock, type FileBlockParts } from './offline/file-block.ts';
import type { ChainFilesAdmin } from './view/node-admin.ts';

export interface ChainFileParts {
  readonly node: Pick<LedgerNode, 'chain' | 'schedule' | 'payloads'>;
  readonly timers: Timers;
  readonly log: Log;
  /** An internal failure after which this node must stop. */
  fatal(error: unknown): void;
}

export class ChainFiles implements ChainFilesAdmin {
  private readonly parts: ChainFileParts;
  private running: Promise<void> | undefined;
  private isEnding = false;

  constructor(parts: ChainFileParts) {
    this.parts = parts;
  }

  write(path: string, first: number, last: number): Promise<void> {
    return this.alone(async () => {
      if (isThere(path)) throw refused('location would overwrite an existing file');
      try {
        await writeBlockFile(path, this.blocks(first, last));
      } catch (cause) {
        rmSync(path, { force: true });
        throw refused(`cannot write ${path}: ${reasonOf(cause)}`, cause);
      }
      this.parts.log('info', 'Exported blocks', { first, last, file: path });
    });
  }

  read(path: string): Promise<void> {
    return this.alone(async () => {
      const { chain, schedule, payloads } = this.parts.node;
      if (engineAt(chain.config, chain.head().number + 1) === 'raft')
        throw refused('the blocks of a Raft cluster come from its log: use "quorate import"');
      const verifier = new HeaderVerifier({ ...this.parts, chain, schedule });
      const before = chain.head().number;
      try {
        await this.take(path, { chain, verifier, payloads });
      } catch (error) {
        if (isFatal(error)) this.parts.fatal(error);
        throw error;
      }
      const blocks = chain.head().number - before;
      this.parts.log('info', 'Imported blocks', { blocks, file: path });
    });
  }

  /** Waits for the work in progress. */
  async stop(): Promise<void> {
    this.isEnding = true;
    await this.running?.catch(() => {});
  }

  private async take(path: string, parts: FileBlockParts): Promise<void> {
    const { chain } = parts;
    const dialect = chain.config.isQuorum ? 'quorum' : 'ethereum';
    let last = chain.head().number;
    for await (const bytes of readBlockFile(path)) {
      const block = decodeFileBlock(path, bytes, last, dialect);
      last = block.header.number;
      await commitFileBlock(parts, path, block, 'group');
      await this.turn();
    }
    await chain.store.sync();
  }

  private async *blocks(first: number, last: number): AsyncGenerator<Uint8Array> {
    for (let number = first; number <= last; number++) {
      yield encodeBlock(this.parts.node.chain.store.block(number)!);
      await this.turn();
    }
  }

  /** Lets other work of this thread run after each block. */
  private async turn(): Promise<void> {
    await new Promise<void>((resolve) => this.parts.timers.yield(resolve));
    if (this.isEnding) throw refused('the node ends');
  }

  private async alone(work: () => Promise<void>): Promise<void> {
    if (this.running || this.isEnding)
      throw refused('another file of blocks is being written or read: wait until it is done');
    this.running = work();
    try {
      await this.running;
    } finally {
      this.running = undefined;
    }
  }
}

function refused(text: string, cause?: unknown) {
  return fail('CHAIN_FILE', text, { cause });
}
