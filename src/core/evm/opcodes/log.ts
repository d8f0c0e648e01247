/** 0xa0-0xa4: logs. */
import type { Hash32 } from '../../base/bytes.ts';
import { chargeMemory, GAS, rangeEnd, wordsOf } from '../gas.ts';
import type { Charge, Run } from '../operation.ts';
import { bytesOfWord } from '../words.ts';
import { requireWritable } from './storage.ts';

export function chargeLog(topicCount: number): Charge {
  return (frame, vm) => {
    requireWritable(frame, vm);
    const { stack, sp } = frame;
    const length = stack[sp - 2]!;
    const end = rangeEnd(stack[sp - 1]!, length);
    chargeMemory(frame, end, GAS.log + GAS.logTopic * topicCount + GAS.logByte * Number(length));
    vm.opcodesToPoll -= wordsOf(length);
  };
}

export function logOf(topicCount: number): Run {
  return (frame, vm) => {
    const { stack } = frame;
    const offset = Number(stack[--frame.sp]!);
    const length = Number(stack[--frame.sp]!);
    const topics: Hash32[] = [];
    for (let i = 0; i < topicCount; i++) topics.push(bytesOfWord(stack[--frame.sp]!));
    vm.env.world.addLog({
      address: frame.address,
      topics,
      data: frame.memory.copy(offset, length),
    });
    return undefined;
  };
}
