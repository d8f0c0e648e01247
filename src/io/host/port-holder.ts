/** The process that listens on a TCP port of this machine, found in /proc (proc_net(5)). */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { commandLineOf } from './process-table.ts';

export interface PortHolder {
  readonly pid: number;
  readonly command: string;
}

/** undefined when no process uses the port, or when the system does not say which. */
export function holderOf(port: number): PortHolder | undefined {
  const sockets = new Set(['tcp', 'tcp6'].flatMap((table) => socketsAt(port, table)));
  if (sockets.size === 0) return undefined;
  for (const name of listed('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    for (const file of listed(`/proc/${name}/fd`)) {
      if (!sockets.has(targetOf(`/proc/${name}/fd/${file}`))) continue;
      return { pid: Number(name), command: commandLineOf(Number(name)) };
    }
  }
  return undefined;
}

/** Sockets in the form that links of file descriptors have. */
function socketsAt(port: number, table: string): string[] {
  const wanted = port.toString(16).toUpperCase().padStart(4, '0');
  try {
    const [, ...lines] = readFileSync(`/proc/net/${table}`, 'utf8').trim().split('\n');
    return lines
      .map((line) => line.trim().split(/\s+/))
      .filter(([, local]) => local?.endsWith(`:${wanted}`))
      .map((columns) => `socket:[${columns[9]}]`);
  } catch {
    return [];
  }
}

function listed(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function targetOf(link: string): string {
  try {
    return readlinkSync(link);
  } catch {
    return '';
  }
}
