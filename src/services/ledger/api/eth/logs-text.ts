/**
 * Found logs as JSON text, written as they are found. Objects and texts for each log would outlive
 * the search of further blocks, and the garbage collector copies whatever lives.
 */
import type { FoundLog } from '../../view/logs.ts';

/** The text consists of pieces of this length; a longer log has a piece of its own. */
const PIECE_BYTES = 256 * 1024;
/** What a log takes besides its topics and data, in characters: less than this. */
const LOG_CHARACTERS = 512;
const TOPIC_CHARACTERS = 70;

const encoder = new TextEncoder();
const decoder = new TextDecoder('latin1');
const digits = encoder.encode('0123456789abcdef');
const [QUOTE, COMMA, OPEN] = encoder.encode('",[');

const ADDRESS = encoder.encode('{"address":"0x');
const TOPICS = encoder.encode('","topics":[');
const TOPIC = encoder.encode('"0x');
const DATA = encoder.encode('],"data":"0x');
const BLOCK_NUMBER = encoder.encode('","blockNumber":"0x');
const TRANSACTION_HASH = encoder.encode('","transactionHash":"0x');
const TRANSACTION_INDEX = encoder.encode('","transactionIndex":"0x');
const BLOCK_HASH = encoder.encode('","blockHash":"0x');
const LOG_INDEX = encoder.encode('","logIndex":"0x');
const REMOVED = encoder.encode('","removed":false}');

export class LogsText {
  private readonly pieces: string[] = [];
  private bytes = new Uint8Array(PIECE_BYTES);
  private length = 0;
  private next = OPEN!;

  /** Appends the text of `renderFound(found)`. */
  add({ log, block, transactionIndex, logIndex }: FoundLog): void {
    this.reserve(LOG_CHARACTERS + TOPIC_CHARACTERS * log.topics.length + 2 * log.data.length);
    this.bytes[this.length++] = this.next;
    this.next = COMMA!;
    this.put(ADDRESS);
    this.hex(log.address);
    this.put(TOPICS);
    for (const [at, topic] of log.topics.entries()) {
      if (at > 0) this.bytes[this.length++] = COMMA!;
      this.put(TOPIC);
      this.hex(topic);
      this.bytes[this.length++] = QUOTE!;
    }
    this.put(DATA);
    this.hex(log.data);
    this.put(BLOCK_NUMBER);
    this.quantity(block.header.number);
    this.put(TRANSACTION_HASH);
    this.hex(block.transactions[transactionIndex]!.hash);
    this.put(TRANSACTION_INDEX);
    this.quantity(transactionIndex);
    this.put(BLOCK_HASH);
    this.hex(block.hash);
    this.put(LOG_INDEX);
    this.quantity(logIndex);
    this.put(REMOVED);
  }

  finish(): string {
    this.endPiece();
    return this.next === OPEN ? '[]' : `${this.pieces.join('')}]`;
  }

  private put(text: Uint8Array): void {
    const { bytes, length } = this;
    for (let i = 0; i < text.length; i++) bytes[length + i] = text[i]!;
    this.length += text.length;
  }

  private hex(value: Uint8Array): void {
    const { bytes } = this;
    let at = this.length;
    for (let i = 0; i < value.length; i++) {
      const byte = value[i]!;
      bytes[at++] = digits[byte >>> 4]!;
      bytes[at++] = digits[byte & 15]!;
    }
    this.length = at;
  }

  private quantity(value: number): void {
    const text = value.toString(16);
    for (let i = 0; i < text.length; i++) this.bytes[this.length++] = text.charCodeAt(i);
  }

  private reserve(more: number): void {
    if (this.length + more <= this.bytes.length) return;
    this.endPiece();
    if (more > this.bytes.length) this.bytes = new Uint8Array(more);
  }

  private endPiece(): void {
    this.pieces.push(decoder.decode(this.bytes.subarray(0, this.length)));
    this.length = 0;
  }
}
