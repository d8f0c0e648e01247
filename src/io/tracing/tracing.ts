/** What a service uses of the export of traces. */
import type { Tracer } from '../telemetry/trace-context.ts';
import type { QueueFigures } from './span-queue.ts';

export interface Tracing extends Tracer {
  figures(): QueueFigures;
  /** Counts spans that were not even made. */
  drop(spans: number): void;
  /** Sends the last spans, for a second at most. */
  close(): Promise<void>;
}
