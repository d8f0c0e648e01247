/**
 * URLs of the metrics of a devnet's processes, and a configuration for the user's own Prometheus.
 */
import { stringify } from 'yaml';
import type { NodeSpec, Topology } from './topology.ts';

const NODE_PATH = '/debug/metrics/prometheus';
const PATH = '/metrics';
const SCRAPE_INTERVAL = '5s';

/** The metrics of a node's process. */
export const nodeMetrics = ({ ports }: NodeSpec): string => urlOf(ports.metrics, NODE_PATH);
/** The metrics of its private transaction manager, which every server of a manager has. */
export const managerMetrics = ({ ports }: NodeSpec): string => urlOf(ports.ptmThirdParty, PATH);
/** The metrics of the signing proxy, the staking service or the ramp. */
export const serviceMetrics = (port: number): string => urlOf(port, PATH);

/**
 * The text of `prometheus.yml` in the devnet's folder. Each process is an instance with the name
 * that it has in devnet.json.
 */
export function prometheusConfig({ hosts, metricsPorts }: Topology): string {
  const service = (name: string, port: number) => job(name, PATH, [[name, port]]);
  return stringify({
    global: { scrape_interval: SCRAPE_INTERVAL, evaluation_interval: SCRAPE_INTERVAL },
    scrape_configs: [
      job(
        'node',
        NODE_PATH,
        hosts.map(({ name, ports }) => [name, ports.metrics]),
      ),
      job(
        'manager',
        PATH,
        hosts.map(({ ptmName, ports }) => [ptmName, ports.ptmThirdParty]),
      ),
      service('signer', metricsPorts.signer),
      service('staking', metricsPorts.staking),
      service('ramp', metricsPorts.ramp),
    ],
  });
}

function job(name: string, path: string, targets: readonly (readonly [string, number])[]) {
  return {
    job_name: name,
    metrics_path: path,
    static_configs: targets.map(([instance, port]) => ({
      targets: [`127.0.0.1:${port}`],
      labels: { instance },
    })),
  };
}

function urlOf(port: number, path: string): string {
  return `http://127.0.0.1:${port}${path}`;
}
