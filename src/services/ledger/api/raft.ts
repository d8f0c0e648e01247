/**
 * `raft_*`: members of a Raft cluster and its minter (GoQuorum raft/api.go). Texts and order of
 * checks are GoQuorum's.
 */
import { fail } from '../../../core/base/errors.ts';
import { type Param, ParamError } from '../../../io/rpc/method.ts';
import type { RaftAdmin } from '../view/node-admin.ts';
import { type Context, method } from './context.ts';
import { arrayOf, BOOL, NULL, OBJECT, TEXT } from './results.ts';
import { named, text } from './shapes.ts';

const NUMBER = { type: 'integer' } as const;
const RAFT_ID_MAX = 0xffff;
const GO_TYPE = 'Go value of type uint16';

/** A JSON number, or a decimal or hex string of one. */
const raftId: Param<number> = {
  name: 'raftId',
  schema: { oneOf: [{ type: 'integer', minimum: 0, maximum: RAFT_ID_MAX }, { type: 'string' }] },
  isOptional: false,
  parse(value) {
    const isNumeric = typeof value === 'string' && /^(\d{1,10}|0x[0-9a-f]{1,8})$/i.test(value);
    const id = isNumeric ? Number(value) : value;
    if (typeof id === 'number') {
      if (Number.isInteger(id) && id >= 0 && id <= RAFT_ID_MAX) return id;
      throw new ParamError(`json: cannot unmarshal number ${id} into ${GO_TYPE}`);
    }
    const kind = Array.isArray(id) ? 'array' : typeof id === 'boolean' ? 'bool' : typeof id;
    throw new ParamError(`json: cannot unmarshal ${kind} into ${GO_TYPE}`);
  },
};

const enode = named('enodeId', text);

function raftOf({ admin }: Context): RaftAdmin {
  if (!admin.raft) throw fail('ENGINE_NOT_RAFT', 'this chain has no Raft consensus');
  return admin.raft;
}

export const raftMethods = [
  method('raft_role', {
    params: [],
    result: TEXT,
    about: 'minter, verifier or learner; empty without a minter, or when this node was removed.',
    call: (context) => raftOf(context).role(),
  }),
  method('raft_leader', {
    params: [],
    result: TEXT,
    about: 'Public key of the node that mints.',
    call: (context) => raftOf(context).leader(),
  }),
  method('raft_cluster', {
    params: [],
    result: arrayOf(OBJECT),
    about: 'Members with their addresses and roles; this node is the last.',
    call: (context) =>
      raftOf(context)
        .cluster()
        .map(({ enode, ...member }) => (context.hasExtraFields ? { ...member, enode } : member)),
  }),
  method('raft_addPeer', {
    params: [enode],
    result: NUMBER,
    access: 'admin',
    about:
      'Adds a node as a peer, once the cluster has agreed. Returns the raft id to start it with.',
    call: (context, [url]) => raftOf(context).add(url, false),
  }),
  method('raft_addLearner', {
    params: [enode],
    result: NUMBER,
    access: 'admin',
    about: 'Adds a node that follows without a vote. Returns the raft id to start it with.',
    call: (context, [url]) => raftOf(context).add(url, true),
  }),
  method('raft_promoteToPeer', {
    params: [raftId],
    result: BOOL,
    access: 'admin',
    about: 'Gives a learner a vote.',
    async call(context, [id]) {
      await raftOf(context).promote(id);
      return true;
    },
  }),
  method('raft_removePeer', {
    params: [raftId],
    result: NULL,
    access: 'admin',
    about: 'Removes a member; its raft id is never reused.',
    async call(context, [id]) {
      await raftOf(context).remove(id);
      return null;
    },
  }),
  method('raft_getRaftId', {
    params: [enode],
    result: NUMBER,
    about: 'Raft id of another member.',
    call: (context, [url]) => raftOf(context).idOf(url),
  }),
];
