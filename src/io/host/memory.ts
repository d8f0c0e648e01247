import { totalmem } from 'node:os';

/** Bytes of the machine's memory, or of what this process may have of it. */
export function memoryOfProcess(): number {
  const total = totalmem();
  const most = process.constrainedMemory();
  return most > 0 && most < total ? most : total;
}
