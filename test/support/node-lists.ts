/**
 * For tests of node lists: a folder for each test, two nodes to list, and the log lines about them.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';

export const A =
  '6c4a4972e5ab2617cd318bd28753e16b03e7a67399587a69cfe911b4be65ccc9baa09ba968b641c0a45ab21886fa5147a3ebeed64b849b141b9039f3ecc2be4e';
export const B =
  '1dd9d65c4552b5eb43d5ad55a2ee3f56c6cbc1c64a5c8d659f51fcd51bace24351232b8d7821617d2b29b54b81cdefb9b3e9c37d7fd5f63270bcc9e1a6f6a439';
export const url = (id: string) => `enode://${id}@node.example:30303?discport=0&raftport=50400`;

export let folder: string;
export const logged: string[] = [];
export const log = (_: string, message: string) => {
  logged.push(message);
};

/** Call once per test file. */
export function nodeListFolders(): void {
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'quorate-nodes-'));
    logged.length = 0;
  });
  afterEach(() => rmSync(folder, { recursive: true }));
}

export function write(name: string, value: unknown): void {
  writeFileSync(join(folder, name), typeof value === 'string' ? value : JSON.stringify(value));
}
