/**
 * Each text file is a script with its expected output. After an intended change,
 * `REWRITE_SCENARIOS=1 npx vitest run test/scenarios` writes the new output.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Player, rendered } from '../support/scenario.ts';
import { bftPlayer } from './bft.ts';
import { raftPlayer } from './raft.ts';

const PLAYERS: Readonly<Record<string, () => Player>> = {
  qbft: () => bftPlayer('qbft'),
  ibft: () => bftPlayer('ibft'),
  raft: () => raftPlayer(),
};

const isRewriting = process.env.REWRITE_SCENARIOS === '1';

describe.for(Object.keys(PLAYERS))('%s', (kind) => {
  const folder = join(import.meta.dirname, kind);
  const files = readdirSync(folder).filter((name) => name.endsWith('.txt'));

  it.for(files)('%s', (name) => {
    const file = join(folder, name);
    const script = readFileSync(file, 'utf8');
    const played = rendered(script, PLAYERS[kind]!());
    if (isRewriting) writeFileSync(file, played);
    else expect(played).toBe(script);
  });
});
