/** `admin_exportChain`, `admin_importChain`: the chain as a file on the node's machine. */
import { RPC, RpcError } from '../../../io/rpc/method.ts';
import { type Context, method } from './context.ts';
import { BOOL } from './results.ts';
import { named, number, optional, text } from './shapes.ts';

const file = named('file', text);
const first = optional(named('first', number), undefined);
const last = optional(named('last', number), undefined);

/**
 * Only users of the machine can open the socket; other callers could otherwise choose where the
 * node writes.
 */
function checkLocal({ caller }: Context): void {
  if (caller.transport === 'ipc') return;
  throw new RpcError(
    RPC.server,
    'files of the machine are for callers of its IPC socket: "quorate attach --datadir ...", or "quorate export" and "quorate import" while the node is stopped',
  );
}

async function exportChain(
  context: Context,
  path: string,
  from: number | undefined,
  to: number | undefined,
): Promise<boolean> {
  checkLocal(context);
  const head = context.view.head().number;
  if (from === undefined && to !== undefined)
    throw new RpcError(RPC.server, 'last cannot be specified without first');
  const begin = from ?? 0;
  const end = to ?? head;
  if (end > head || begin > end)
    throw new RpcError(RPC.server, `no blocks ${begin} to ${end}: the head is ${head}`);
  await context.admin.files.write(path, begin, end);
  return true;
}

export const chainFileMethods = [
  method('admin_exportChain', {
    params: [file, first, last],
    result: BOOL,
    access: 'admin',
    about:
      'Writes blocks to a new file of this machine, gzipped where its name ends in .gz; from IPC only.',
    call: (context, [path, from, to]) => exportChain(context, path, from, to),
  }),
  method('admin_importChain', {
    params: [file],
    result: BOOL,
    access: 'admin',
    about: 'Takes the blocks of a file of this machine that follow the head; from IPC only.',
    async call(context, [path]) {
      checkLocal(context);
      await context.admin.files.read(path);
      return true;
    },
  }),
];
