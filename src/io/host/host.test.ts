import { describe, expect, it, vi } from 'vitest';
import { helpText } from '../options/help-text.ts';
import { isUsageError, type OptionRow, parseOptions, peekFlag } from '../options/options.ts';
import { createLogger, formatLine } from '../telemetry/logger.ts';
import { MetricsRegistry } from '../telemetry/metrics.ts';
import { onStopSignal } from './signals.ts';

const NOW = new Date(2026, 10, 21, 2, 0, 18, 964).getTime();

describe('logger', () => {
  it('prints the lines of geth', () => {
    expect(formatLine('info', NOW, 'Enabling metrics collection', {})).toBe(
      'INFO [11-21|02:00:18.964] Enabling metrics collection \n',
    );
    expect(
      formatLine('info', NOW, 'Starting pprof server', {
        addr: 'http://127.0.0.1:23983/debug/pprof',
      }),
    ).toBe(
      'INFO [11-21|02:00:18.964] Starting pprof server                    addr=http://127.0.0.1:23983/debug/pprof\n',
    );
    const hash = new Uint8Array(32).fill(0xab);
    expect(
      formatLine('error', NOW, 'x', { hash, cap: 25_000_000, n: 1234n, err: new Error('a b') }),
    ).toBe(
      `ERROR[11-21|02:00:18.964] ${'x'.padEnd(40)} hash=ababab..ababab cap=25,000,000 n=1234 err="a b"\n`,
    );
  });

  it('strikes out secrets and control characters', () => {
    const line = formatLine('warn', NOW, 'a\nb', {
      password: 'hunter2',
      ptmToken: 'hunter2',
      url: 'https://user:hunter2@host/',
      header: 'Bearer hunter2',
      deep: { privateKey: 'hunter2' },
      text: 'x\ny',
    });
    expect(line).not.toContain('hunter2');
    expect(line.trim()).not.toContain('\n');
  });

  it("shows a node's URL whole, and hides a password wherever it stands", () => {
    const enode = `enode://${'ab'.repeat(64)}@127.0.0.1:30303?discport=0`;
    expect(formatLine('info', NOW, 'up', { enode })).toContain(`enode="${enode}"`);
    const line = formatLine('warn', NOW, 'no answer from https://user:hunter2@host', {
      long: `${'x'.repeat(4_080)} https://user:hunter2@host`,
    });
    expect(line).not.toContain('hunter2');
  });

  it('keeps to its verbosity, which can change', () => {
    const lines: string[] = [];
    const logger = createLogger({
      write: (l) => lines.push(l),
      clock: { nowMs: () => NOW },
      verbosity: 2,
    });
    logger.log('info', 'no');
    logger.log('warn', 'yes');
    logger.setVerbosity(5);
    logger.log('trace', 'too');
    logger.setVerbosity(0);
    logger.log('error', 'no');
    expect(lines.length).toBe(2);
  });
});

describe('metrics', () => {
  it('writes the text that geth writes', () => {
    const metrics = new MetricsRegistry();
    metrics.count('chain/inserts', 2);
    metrics.count('chain/inserts');
    metrics.gauge('chain/head/block', 7);
    for (let i = 1; i <= 100; i++) metrics.observe('chain/execution', i);
    metrics.probe('system/memory/used', () => 5);
    const text = metrics.exposition();
    expect(text).toContain('# TYPE chain_inserts gauge\nchain_inserts 3\n\n');
    expect(text).toContain('# TYPE chain_head_block gauge\nchain_head_block 7\n\n');
    expect(text).toContain('# TYPE chain_execution_count counter\nchain_execution_count 100\n\n');
    expect(text).toContain('chain_execution {quantile="0.5"} 50.5\n');
    expect(text).toContain('chain_execution {quantile="0.9999"} 100\n\n');
    expect(text).toContain('system_memory_used 5\n');
    expect(metrics.snapshot().chain_execution_mean).toBe(50.5);
  });

  it('does not grow without end', () => {
    const metrics = new MetricsRegistry();
    for (let i = 0; i < 10_000; i++) metrics.count(`rpc/method/${i}`);
    expect(Object.keys(metrics.snapshot()).length).toBe(4096);
  });
});

const ROWS: readonly OptionRow[] = [
  {
    flag: 'datadir',
    type: 'string',
    about: 'Folder of all data',
    group: 'Basics',
    env: 'QUORATE_DATADIR',
    default: './data',
  },
  { flag: 'http', type: 'boolean', about: 'Serve JSON-RPC over HTTP', group: 'API' },
  {
    flag: 'http.port',
    type: 'integer',
    about: 'Port of it',
    group: 'API',
    default: 8545,
    aliases: ['rpcport'],
    fileKey: 'Node.HTTPPort',
  },
  { flag: 'http.api', type: 'list', about: 'Namespaces', group: 'API', default: ['eth', 'net'] },
  {
    flag: 'ptm.timeout',
    type: 'duration',
    about: 'Patience',
    group: 'Privacy',
    default: 5000,
    env: 'PTM_TIMEOUT',
  },
];
const parse = (argv: string[], more = {}) => parseOptions(ROWS, { argv, ...more });

describe('options', () => {
  it('takes defaults < file < environment < flags', () => {
    const file = {
      name: 'config.toml',
      text: '[Node]\nHTTPPort = 1\n[http]\napi = ["web3"]\n[ptm]\ntimeout = "1m30s"',
    };
    const env = { PTM_TIMEOUT: '2s', QUORATE_DATADIR: '/env' };
    const found = parse(['--datadir', '/flag', '-http', 'init', '--', '--x'], { file, env });
    expect(found.string('datadir')).toBe('/flag');
    expect(found.boolean('http')).toBe(true);
    expect(found.number('http.port')).toBe(1);
    expect(found.list('http.api')).toEqual(['web3']);
    expect(found.number('ptm.timeout')).toBe(2000);
    expect(found.source('ptm.timeout')).toBe('environment');
    expect(found.positional).toEqual(['init', '--x']);
  });

  it('knows aliases, =, repeated lists and negative values', () => {
    const found = parse(['--rpcport=-1', '--http.api', 'a, b', '--http.api=c', '--http=false']);
    expect(found.number('http.port')).toBe(-1);
    expect(found.list('http.api')).toEqual(['a', 'b', 'c']);
    expect(found.boolean('http')).toBe(false);
    expect(peekFlag(['--config', 'a.toml'], 'config')).toBe('a.toml');
    expect(peekFlag(['--config=b.toml'], 'config')).toBe('b.toml');
  });

  it.each([
    [['--datadri', 'x'], 'flag provided but not defined: --datadri (did you mean --datadir?)'],
    [['--qqqqqqqqqqqq'], 'flag provided but not defined: --qqqqqqqqqqqq'],
    [['--http.port', 'abc'], 'invalid value "abc" for flag --http.port: expected a whole number'],
    [['--ptm.timeout', '5 days'], 'such as 500ms, 5s'],
    [['--http=maybe'], 'expected true or false'],
    [['--datadir'], 'flag needs an argument: --datadir'],
  ])('says what is wrong with %j', (argv, text) => {
    let error: unknown;
    try {
      parse(argv);
    } catch (caught) {
      error = caught;
    }
    expect((error as Error).message).toContain(text);
    expect(isUsageError(error)).toBe(true);
  });

  it('says what is wrong with a file', () => {
    const file = (text: string) => ({ file: { name: 'c.toml', text } });
    expect(() => parse([], file('[http]\nprot = 1'))).toThrow(
      'c.toml: unknown key http.prot (did you mean http.port?)',
    );
    expect(() => parse([], file('= 1'))).toThrow(/^c\.toml: /);
  });

  it("passes over keys of another command's options in a file that they share", () => {
    const others = [{ flag: 'auth.Issuer', type: 'string', about: '', group: '' }] as const;
    const parsed = (text: string) => parse([], { file: { name: 'c.toml', text, others } });
    expect(parsed('auth.issuer = "x"\nhttp.port = 7').number('http.port')).toBe(7);
    expect(() => parsed('auth.isuer = "x"')).toThrow('c.toml: unknown key auth.isuer');
  });

  it('teaches with the help text', () => {
    const text = helpText({
      command: 'quorate node',
      about: 'Runs one node.',
      examples: [{ does: 'a node with JSON-RPC', line: 'quorate node --http' }],
      rows: ROWS,
    });
    expect(text).toContain('Usage:\n  quorate node [options]\n');
    expect(text).toContain('  # a node with JSON-RPC\n  quorate node --http\n');
    expect(text).toContain('API:\n  --http ');
    expect(text).toMatch(/--http\.port, --rpcport <integer>\s+Port of it \[default 8545\]/);
    expect(text).toMatch(/--ptm\.timeout <duration> +Patience \[default 5s; PTM_TIMEOUT\]/);
  });
});

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

describe('signals', () => {
  it('stops once, then obeys the impatient', async () => {
    const stop = vi.fn(async () => {});
    const exits: number[] = [];
    // Libraries listen too, and their listeners would end this process.
    const others = new Set(SIGNALS.flatMap((signal) => process.listeners(signal)));
    const send = (signal: (typeof SIGNALS)[number]) => {
      for (const listener of process.listeners(signal)) if (!others.has(listener)) listener(signal);
    };
    const off = onStopSignal({ stop, log: () => {}, exit: (code) => exits.push(code) });
    send('SIGTERM');
    send('SIGINT');
    await vi.waitFor(() => expect(exits).toEqual([0]));
    send('SIGINT');
    expect(exits).toEqual([0, 1]);
    expect(stop).toHaveBeenCalledTimes(1);
    off();
  });
});
