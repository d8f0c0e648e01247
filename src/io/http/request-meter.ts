/** Metrics of an HTTP server: requests by route and outcome, and their duration. */
import type { Metrics } from '../../core/base/ports.ts';
import { labelsText } from '../telemetry/prometheus.ts';
import type { AnsweredRequest } from './server.ts';

/** Clients choose paths and methods, so those without a route are counted together. */
const OTHER = 'other';

/**
 * For the option `answered` of a server. Counts under `SERVICE_http_requests_total` by method,
 * route and status, and times under `SERVICE_http_request_duration_seconds` by route.
 */
export function requestMeter(
  metrics: Metrics,
  service: string,
  labels: Readonly<Record<string, string>> = {},
): (answered: AnsweredRequest) => void {
  return ({ method, route, status, seconds }) => {
    const of = route === undefined ? { method: OTHER, route: OTHER } : { method, route };
    const outcome = { ...labels, ...of, status: String(status) };
    metrics.count(`${service}_http_requests_total${labelsText(outcome)}`);
    const name = `${service}_http_request_duration_seconds`;
    metrics.observe(`${name}${labelsText({ ...labels, route: of.route })}`, seconds);
  };
}
