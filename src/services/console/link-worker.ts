/** The thread of a Link, which sends its calls. */
import { workerData } from 'node:worker_threads';
import { reasonOf } from '../../io/host/reason.ts';
import { openWire } from '../../io/rpc-wire/open-wire.ts';
import { sayLoaded } from '../../io/threads/owned-thread.ts';
import type { Answer, LinkData, Question } from './link.ts';

const { endpoint, options, replies, port } = workerData as LinkData;
const count = new Int32Array(replies);

function tell(answer: Answer): void {
  port.postMessage(answer);
  Atomics.add(count, 0, 1);
  Atomics.notify(count, 0);
}

const wire = openWire(endpoint, options);
port.on('message', ({ id, request }: Question) => {
  wire.ask(request).then(
    (reply) => tell({ id, reply }),
    (error: unknown) => tell({ id, fault: reasonOf(error) }),
  );
});
sayLoaded();
