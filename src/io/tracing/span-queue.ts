/**
 * Spans that wait for the collector. Nothing waits for it: when the queue is full, or the collector
 * does not take a batch, spans are dropped and counted.
 */
export interface QueueBounds {
  readonly spansMax: number;
  readonly bytesMax: number;
  /** Spans of one request to the collector. */
  readonly batchSpansMax: number;
  /** How long the first span of a batch waits for others. */
  readonly gatherMs: number;
  /** How long nothing is sent after a failure. */
  readonly pauseMs: number;
  /** How long the last batch may take when the process ends. */
  readonly closeMs: number;
}

const QUEUE: QueueBounds = {
  spansMax: 4_096,
  bytesMax: 4 * 1024 * 1024,
  batchSpansMax: 128,
  gatherMs: 1_000,
  pauseMs: 5_000,
  closeMs: 1_000,
};

export interface QueueFigures {
  readonly exported: number;
  readonly dropped: number;
  readonly waiting: number;
}

interface Item<Span> {
  readonly span: Span;
  readonly bytes: number;
}

/** Resolves with the number of spans that the collector refused. Rejects if it took none. */
export type SendSpans<Span> = (spans: readonly Span[]) => Promise<number>;

export class SpanQueue<Span> {
  private readonly send: SendSpans<Span>;
  private readonly failed: (error: unknown) => void;
  private readonly bounds: QueueBounds;
  private readonly waiting: Item<Span>[] = [];
  private bytes = 0;
  private exported = 0;
  private dropped = 0;
  private timer: NodeJS.Timeout | undefined;
  private sending: Promise<void> | undefined;
  private isClosed = false;

  constructor(
    send: SendSpans<Span>,
    failed: (error: unknown) => void,
    bounds: Partial<QueueBounds> = {},
  ) {
    this.send = send;
    this.failed = failed;
    this.bounds = { ...QUEUE, ...bounds };
  }

  figures(): QueueFigures {
    return { exported: this.exported, dropped: this.dropped, waiting: this.waiting.length };
  }

  drop(spans: number): void {
    this.dropped += spans;
  }

  /** `bytes`: about as much memory as the span takes. */
  add(span: Span, bytes: number): void {
    const { spansMax, bytesMax } = this.bounds;
    if (this.isClosed || this.waiting.length >= spansMax || this.bytes + bytes > bytesMax) {
      this.dropped++;
      return;
    }
    this.waiting.push({ span, bytes });
    this.bytes += bytes;
    this.schedule(this.bounds.gatherMs);
  }

  /** Sends what waits, for a limited time; the rest is dropped. */
  async close(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.timer);
    const late = new Promise<void>((resolve) => setTimeout(resolve, this.bounds.closeMs).unref());
    const rest = async () => {
      await this.sending;
      while (this.waiting.length > 0 && (await this.sendBatch()));
    };
    await Promise.race([rest(), late]);
    this.dropped += this.waiting.splice(0).length;
  }

  private schedule(delayMs: number): void {
    if (this.timer || this.sending || this.isClosed) return;
    this.timer = setTimeout(() => this.work(), delayMs);
    this.timer.unref();
  }

  private work(): void {
    this.timer = undefined;
    this.sending = this.sendBatch().then((isTaken) => {
      this.sending = undefined;
      const { batchSpansMax, gatherMs, pauseMs } = this.bounds;
      const isFull = this.waiting.length >= batchSpansMax;
      if (this.waiting.length > 0) this.schedule(isTaken ? (isFull ? 0 : gatherMs) : pauseMs);
    });
  }

  /** False: the collector did not take the batch, which is dropped. */
  private async sendBatch(): Promise<boolean> {
    const batch = this.waiting.splice(0, this.bounds.batchSpansMax);
    for (const { bytes } of batch) this.bytes -= bytes;
    try {
      const refused = await this.send(batch.map(({ span }) => span));
      this.dropped += refused;
      this.exported += batch.length - refused;
      return true;
    } catch (error) {
      this.dropped += batch.length;
      this.failed(error);
      return false;
    }
  }
}
