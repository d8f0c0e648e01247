/** Found logs as JSON, written as they are found: thousands of objects would outlive the search. */
import { JsonWriter } from '../../../../core/base/json-writer.ts';
import type { FoundLog } from '../../view/logs.ts';

const encoder = new TextEncoder();
const [QUOTE, COMMA, OPEN, CLOSE] = encoder.encode('",[]');

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
  private readonly json = new JsonWriter();
  private next = OPEN!;

  /** Appends the text of `renderFound(found)`. */
  add({ log, block, transactionIndex, logIndex }: FoundLog): void {
    const { json } = this;
    json.character(this.next);
    this.next = COMMA!;
    json.put(ADDRESS);
    json.hex(log.address);
    json.put(TOPICS);
    for (const [at, topic] of log.topics.entries()) {
      if (at > 0) json.character(COMMA!);
      json.put(TOPIC);
      json.hex(topic);
      json.character(QUOTE!);
    }
    json.put(DATA);
    json.hex(log.data);
    json.put(BLOCK_NUMBER);
    json.text(block.header.number.toString(16));
    json.put(TRANSACTION_HASH);
    json.hex(block.transactions[transactionIndex]!.hash);
    json.put(TRANSACTION_INDEX);
    json.text(transactionIndex.toString(16));
    json.put(BLOCK_HASH);
    json.hex(block.hash);
    json.put(LOG_INDEX);
    json.text(logIndex.toString(16));
    json.put(REMOVED);
  }

  /** All of it. Nothing can be added afterwards. */
  finish(): Uint8Array<ArrayBuffer> {
    const { json } = this;
    if (this.next === OPEN) json.character(OPEN);
    json.character(CLOSE!);
    return json.finish();
  }
}
