/** The address at which a service serves its metrics, from the values of `metricsRows`. */
import type { ParsedOptions } from './options.ts';

export interface MetricsAddress {
  readonly host: string;
  readonly port: number;
}

/** undefined: metrics are off. */
export function metricsAddress(options: ParsedOptions): MetricsAddress | undefined {
  const port = options.number('metrics.port');
  return port === undefined ? undefined : { host: options.string('metrics.addr')!, port };
}
