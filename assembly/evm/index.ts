/** The functions and constants that the host uses. */
export { analyse } from './analysis';
export {
  ARENA,
  CODES,
  CODES_END,
  CONTROL,
  GAS,
  OPCODES,
  STACKS,
  STACKS_END,
  SURROUNDINGS,
} from './layout';
export { EXIT_OPCODE, EXIT_POLL, EXIT_RETURN, EXIT_REVERT, EXIT_STOP, run } from './loop';
