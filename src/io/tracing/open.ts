/** Opens the export of traces; its packages are loaded only then. */
import type { Log } from '../../core/base/ports.ts';
import type { TracingSettings } from './settings.ts';
import type { QueueBounds } from './span-queue.ts';
import type { Tracing } from './tracing.ts';

/** Undefined without settings. */
export async function openTracing(
  settings: TracingSettings | undefined,
  log: Log,
  bounds?: Partial<QueueBounds>,
): Promise<Tracing | undefined> {
  if (!settings) return undefined;
  const { otlpTracing } = await import('./otlp-tracing.ts');
  log('info', 'Traces of transactions are sent to a collector', { host: settings.url.host });
  return otlpTracing(settings, log, bounds);
}
