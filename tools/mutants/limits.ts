/**
 * The limits of docs/limits.md, each with the line that implements it and the test that checks it.
 */

import type { Limit } from './limit.ts';
import { AGREEMENT_LIMITS } from './limits-agreement.ts';
import { COMMAND_LIMITS } from './limits-commands.ts';
import { DELIVERY_LIMITS } from './limits-deliveries.ts';
import { EXECUTION_LIMITS } from './limits-execution.ts';
import { EXPLORER_LIMITS } from './limits-explorer.ts';
import { FILTER_LIMITS } from './limits-filters.ts';
import { HTTP_LIMITS } from './limits-http.ts';
import { MANAGER_LIMITS } from './limits-manager.ts';
import { METRICS_LIMITS } from './limits-metrics.ts';
import { PEER_LIMITS } from './limits-peers.ts';
import { RAFT_LIMITS } from './limits-raft.ts';
import { RAMP_LIMITS } from './limits-ramp.ts';
import { READ_LIMITS } from './limits-reads.ts';
import { SERVER_LIMITS } from './limits-servers.ts';
import { TRACE_LIMITS } from './limits-traces.ts';
import { WAITING_LIMITS } from './limits-waiting.ts';

export const LIMITS: readonly Limit[] = [
  ...SERVER_LIMITS,
  ...HTTP_LIMITS,
  ...MANAGER_LIMITS,
  ...DELIVERY_LIMITS,
  ...READ_LIMITS,
  ...FILTER_LIMITS,
  ...EXECUTION_LIMITS,
  ...AGREEMENT_LIMITS,
  ...PEER_LIMITS,
  ...RAFT_LIMITS,
  ...EXPLORER_LIMITS,
  ...RAMP_LIMITS,
  ...COMMAND_LIMITS,
  ...TRACE_LIMITS,
  ...METRICS_LIMITS,
  ...WAITING_LIMITS,
];
