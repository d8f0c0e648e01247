/**
 * Virtual time: one queue of events, ordered by time and then by the order in which they were
 * added.
 */
export interface Scheduled {
  isCancelled: boolean;
}

interface Event extends Scheduled {
  readonly atMs: number;
  readonly order: number;
  readonly run: () => void;
}

export class Timeline {
  nowMs = 0;
  private readonly heap: Event[] = [];
  private order = 0;

  after(delayMs: number, run: () => void): Scheduled {
    const atMs = this.nowMs + Math.max(0, delayMs);
    const event: Event = { atMs, order: this.order++, run, isCancelled: false };
    this.heap.push(event);
    this.siftUp(this.heap.length - 1);
    return event;
  }

  /** Runs the next event; false when there is none. */
  next(): boolean {
    const event = this.heap[0];
    if (!event) return false;
    const last = this.heap.pop()!;
    if (this.heap.length > 0) {
      this.heap[0] = last;
      this.siftDown();
    }
    this.nowMs = event.atMs;
    if (!event.isCancelled) event.run();
    return true;
  }

  private siftUp(from: number): void {
    const { heap } = this;
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(heap[at]!, heap[parent]!)) return;
      [heap[at], heap[parent]] = [heap[parent]!, heap[at]!];
      at = parent;
    }
  }

  private siftDown(): void {
    const { heap } = this;
    let at = 0;
    for (;;) {
      let least = at;
      for (const child of [2 * at + 1, 2 * at + 2]) {
        if (child < heap.length && isBefore(heap[child]!, heap[least]!)) least = child;
      }
      if (least === at) return;
      [heap[at], heap[least]] = [heap[least]!, heap[at]!];
      at = least;
    }
  }
}

function isBefore(a: Event, b: Event): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
}
