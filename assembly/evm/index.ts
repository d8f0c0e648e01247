/** The functions and constants that the host uses. */
export { analyse } from './analysis';
export { answerPlace } from './answers';
export {
  ARENA,
  CODES,
  CODES_END,
  CONTROL,
  EXIT_OPCODE,
  EXIT_POLL,
  EXIT_RETURN,
  EXIT_REVERT,
  EXIT_STOP,
  FRAME_WORDS,
  GAS,
  LOGS,
  LOGS_END,
  OPCODES,
  RETURN_DATA,
  RETURN_DATA_END,
  RETURN_DATA_NEW,
  STACKS,
  STACKS_END,
  SURROUNDINGS,
} from './layout';
export { run } from './loop';
