/**
 * Logs of a transaction, with a log for each transfer of the native coin among them, in the form of
 * an ERC-20 transfer of the token 0xEeee… (`traceTransfers` of eth_simulateV1; ERC-7528).
 */
import type { Address } from '../../base/bytes.ts';
import { fromHex } from '../../base/hex.ts';
import { FREE, type Spend } from '../../base/spend.ts';
import type { Log } from '../../chain/receipt.ts';
import type { Step, TracedCall, TracedExit, Tracer } from '../tracer.ts';
import { bytesOfWord, wordOfAddress } from '../words.ts';

const COIN: Address = fromHex('0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee');
const TRANSFER = fromHex('0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef');
const LOG0 = 0xa0;
const LOG4 = 0xa4;
/** Size of a log, without its data. */
const LOG_BYTES = 200;

export class TransferLogs implements Tracer {
  /** The logs of each open frame, and at the end those of the outermost one. */
  private readonly open: Log[][] = [];
  private kept: readonly Log[] = [];
  private readonly spend: Spend;

  constructor(spend: Spend = FREE) {
    this.spend = spend;
  }

  /** The logs of frames that did not fail, in order. */
  logs(): readonly Log[] {
    return this.kept;
  }

  onEnter({ type, from, to, value }: TracedCall): void {
    const logs: Log[] = [];
    this.open.push(logs);
    if (value === 0n || type === 'DELEGATECALL' || type === 'CALLCODE') return;
    this.spend(LOG_BYTES);
    const topics = [TRANSFER, bytesOfWord(wordOfAddress(from)), bytesOfWord(wordOfAddress(to))];
    logs.push({ address: COIN, topics, data: bytesOfWord(value) });
  }

  onStep({ op, frame, error }: Step): void {
    if (op < LOG0 || op > LOG4 || error !== undefined) return;
    const { stack, sp, memory } = frame;
    const bytes = Number(stack[sp - 2]!);
    this.spend(LOG_BYTES + bytes);
    const topics = Array.from({ length: op - LOG0 }, (_, i) => bytesOfWord(stack[sp - 3 - i]!));
    const data = memory.peek(Number(stack[sp - 1]!), bytes).slice();
    this.open.at(-1)!.push({ address: frame.address, topics, data });
  }

  onExit({ error }: TracedExit): void {
    const logs = this.open.pop()!;
    if (error !== undefined) return;
    const parent = this.open.at(-1);
    if (parent) parent.push(...logs);
    else this.kept = logs;
  }
}
