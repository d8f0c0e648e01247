/** GET /healthcheck, in the form that Vert.x writes (Web3Signer Eth1Runner). */
import { type HttpReply, json } from '../../../io/http/server.ts';
import type { HealthReport } from '../keys/accounts.ts';

interface Check {
  readonly id: string;
  readonly status: 'UP' | 'DOWN';
  readonly checks?: readonly Check[];
  readonly data?: Readonly<Record<string, number>>;
}

/** Status 503 while a check reports a failure. */
export function healthReply({ sources, unexpected, isUp }: HealthReport): HttpReply {
  const checks: Check[] = sources.map(({ id, loaded, errors }) => ({
    id,
    status: errors === 0 ? 'UP' : 'DOWN',
    data: { 'keys-loaded': loaded, 'error-count': errors },
  }));
  if (unexpected) checks.push({ id: 'unexpected', status: 'DOWN' });
  const status = isUp ? 'UP' : 'DOWN';
  const all: Check[] = [{ id: 'default-check', status: 'UP' }];
  if (checks.length > 0) all.push({ id: 'keys-check', status, checks });
  return json(isUp ? 200 : 503, { status, checks: all, outcome: status });
}
