/**
 * A thread that loads for as long as its owner wants: state 1 while it loads, 2 when it is ready.
 */
import { parentPort, workerData } from 'node:worker_threads';

const state = new Int32Array(workerData.settings.state);
Atomics.store(state, 0, 1);
Atomics.wait(state, 1, 0);
Atomics.store(state, 0, 2);
parentPort.on('message', () => undefined);
parentPort.postMessage('loaded');
