/** The initial frames of calls and creations. */
import type { Address } from '../base/bytes.ts';
import { type Frame, takeFrame } from './frame.ts';
import { Program } from './program.ts';
import type { CallRequest, CreateRequest } from './requests.ts';

/** Returns a frame without a program: the caller sets the code or the precompile. */
export function callFrame(request: CallRequest, mark: number, isEntered: boolean): Frame {
  const frame = takeFrame();
  frame.type = request.type;
  frame.depth = request.depth;
  frame.gas = request.gas;
  frame.gasHigh = request.gasHigh;
  frame.gasStart = request.gas;
  frame.gasStartHigh = request.gasHigh;
  frame.address = request.address;
  frame.codeAddress = request.codeAddress;
  frame.caller = request.caller;
  frame.value = request.value;
  frame.input = request.input;
  frame.isStatic = request.isStatic;
  frame.isEntered = isEntered;
  frame.mark = mark;
  frame.outputOffset = request.outputOffset;
  frame.outputLength = request.outputLength;
  return frame;
}

export function creationFrame(request: CreateRequest, address: Address, mark: number): Frame {
  const frame = takeFrame();
  frame.type = request.type;
  frame.depth = request.depth;
  frame.program = new Program(request.initCode);
  frame.gas = request.gas;
  frame.gasHigh = request.gasHigh;
  frame.gasStart = request.gas;
  frame.gasStartHigh = request.gasHigh;
  frame.address = address;
  frame.codeAddress = address;
  frame.caller = request.caller;
  frame.value = request.value;
  frame.isStatic = false;
  frame.isEntered = true;
  frame.mark = mark;
  return frame;
}
