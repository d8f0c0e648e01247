import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatEnode, parseEnode } from './enode.ts';
import { isConsensusCode } from './istanbul.ts';

const ID =
  '6c4a4972e5ab2617cd318bd28753e16b03e7a67399587a69cfe911b4be65ccc9baa09ba968b641c0a45ab21886fa5147a3ebeed64b849b141b9039f3ecc2be4e';

describe('node URLs', () => {
  it('are written as they are read', () => {
    const host = fc.oneof(fc.ipV4(), fc.ipV6(), fc.domain());
    const port = fc.nat(65_535);
    fc.assert(
      fc.property(host, port, port, fc.option(port, { nil: undefined }), (name, tcp, udp, raft) => {
        const at = name.includes(':') ? `[${name}]` : name;
        const raftQuery = raft === undefined ? '' : `&raftport=${raft}`;
        const node = parseEnode(`enode://${ID}@${at}:${tcp}?discport=${udp}${raftQuery}`);
        const parts = { id: ID, host: name, tcpPort: tcp, udpPort: udp, raftPort: raft };
        expect(node).toMatchObject(parts);
        expect(parseEnode(formatEnode(node))).toEqual(node);
      }),
    );
  });

  it('nonsense is refused with a code', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.string().map((tail) => `enode://${ID}@${tail}`),
        ),
        (url) => {
          try {
            parseEnode(url);
          } catch (error) {
            expect((error as { code: string }).code).toBe('ENODE_INVALID');
          }
        },
      ),
    );
    expect(() => parseEnode('enode://'.padEnd(2_000, 'x'))).toThrow('too long');
    expect(() => parseEnode(`enode://${'00'.repeat(64)}@1.2.3.4:1`)).toThrow('invalid public key');
    expect(() => parseEnode(`enode://${ID}@:1?raftport=5`)).toThrow('empty hostname in raft url');
  });
});

it('istanbul codes that carry consensus', () => {
  const codes = Array.from({ length: 22 }, (_, code) => code).filter(isConsensusCode);
  expect(codes).toEqual([0x11, 0x12, 0x13, 0x14, 0x15]);
});
