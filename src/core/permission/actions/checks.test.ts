import { expect, it } from 'vitest';
import { type ActionContext, nodeIn } from './checks.ts';

/** A valid public key: a point of the curve. */
const ID =
  '6c4a4972e5ab2617cd318bd28753e16b03e7a67399587a69cfe911b4be65ccc9' +
  'baa09ba968b641c0a45ab21886fa5147a3ebeed64b849b141b9039f3ecc2be4e';
const url = (host: string) => `enode://${ID}@${host}:21000?discport=0&raftport=50400`;

/** The fault that is found in a node's host. */
function fault(host: string, more: Partial<ActionContext>): string | undefined {
  const addressOf = (name: string) => (name === 'node1.example' ? '10.0.0.1' : undefined);
  const own = (name: string) => (/^[\d.]+$/.test(name) ? name : addressOf(name));
  const context = { isRaft: true, hasDns: false, addressOf: own, ...more } as ActionContext;
  try {
    return void nodeIn(context, url(host));
  } catch (error) {
    return (error as Error).message;
  }
}

it('a host name is resolved, but in a Raft cluster only where --raftdnsenable allows names', () => {
  expect(fault('10.0.0.1', {})).toBeUndefined();
  expect(fault('node1.example', {})).toBe('Hostname not supported in the network');
  expect(fault('node1.example', { hasDns: true })).toBeUndefined();
  expect(fault('unknown.example', { hasDns: true })).toBeUndefined();
  expect(fault('node1.example', { isRaft: false })).toBeUndefined();
  expect(fault('unknown.example', { isRaft: false })).toBe('Invalid enode id');
});
