/** The thread that child.ts starts: it watches the devnet even while the process is busy. */
import { Socket } from 'node:net';
import { CHANNEL, STOP_PATIENCE_MS } from './child.ts';

let isReleased = false;
const channel = new Socket({ fd: CHANNEL, readable: true, writable: false });
channel.on('data', () => {
  isReleased = true;
  channel.destroy();
});
channel.on('error', () => {});
channel.on('close', () => {
  if (isReleased) return;
  process.kill(process.pid, 'SIGTERM');
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), STOP_PATIENCE_MS);
});
