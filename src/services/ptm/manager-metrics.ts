/**
 * Metrics of a manager besides those of its requests: numbers only, none about a client or party.
 */
import { watchDisk } from '../../io/telemetry/disk-metrics.ts';
import { watchSystem } from '../../io/telemetry/system-metrics.ts';
import type { PtmConfig } from './config/ptm-config.ts';
import type { Distributor } from './manager/distributor.ts';
import type { PartyTable } from './manager/party-table.ts';
import type { OpenedStore } from './open-store.ts';
import type { RequestMetrics } from './request-metrics.ts';

export interface ManagerSources {
  readonly config: PtmConfig;
  readonly storage: OpenedStore;
  readonly distributor: Distributor;
  readonly table: PartyTable;
}

export function watchManager(
  { own, system }: RequestMetrics,
  { config, storage, distributor, table }: ManagerSources,
): void {
  for (const name of ['pushed', 'fetched', 'resent']) own.count(`ptm_payloads_${name}_total`, 0);
  own.count('ptm_push_failures_total', 0);
  for (const name of ['ptm_payloads_missing', 'ptm_peers_differing']) own.gauge(name, 0);
  const probe = (name: string, read: () => number) => own.probe(name, 'gauge', read);
  probe('ptm_payloads_owed', () => distributor.owedCount());
  probe('ptm_recipients_owed', () => distributor.owedRecipientCount());
  probe('ptm_peers', () => table.peers().length);
  const { size } = storage;
  if (size) {
    probe('ptm_payloads_stored', () => size().payloads);
    probe('ptm_store_bytes', () => size().bytes);
    watchDisk(probe, config.dataFolder);
  }
  watchSystem(system);
}
