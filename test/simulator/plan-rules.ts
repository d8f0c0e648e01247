import type { ConsensusRules } from '../../src/core/chain/rules.ts';
import { bftRules } from '../support/bft-chain.ts';
import type { Plan } from './faults.ts';

export function gasIn(ms: number, nanosecondsPerGas: number): bigint {
  return nanosecondsPerGas === 0 ? 0n : BigInt(Math.floor((ms * 1e6) / nanosecondsPerGas));
}

export function rulesOf(plan: Plan, height: number): ConsensusRules {
  const { transition } = plan;
  const {
    blockPeriodMs,
    emptyBlockPeriodSeconds,
    requestTimeoutMs,
    maxRequestTimeoutMs,
    proposerPolicy,
  } = transition && height >= transition.height ? transition : plan;
  return bftRules(height < plan.switchAt ? 'ibft' : 'qbft', {
    blockPeriodMs,
    emptyBlockPeriodSeconds,
    requestTimeoutMs,
    maxRequestTimeoutMs,
    proposerPolicy,
  });
}
