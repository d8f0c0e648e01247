import { afterEach, describe, expect, it } from 'vitest';
import { VirtualTime } from '../../../../../test/support/virtual-time.ts';
import { fail } from '../../../../core/base/errors.ts';
import { ASYNC_SENDS_MAX, AsyncSends, type CallbackShape } from './async-sends.ts';
import type { TransactionArgs } from './send-args.ts';

const OWN = new Uint8Array(20).fill(1);
const ARGS = { from: OWN } as TransactionArgs;
const CALLER = '192.0.2.7';
const HASH = new Uint8Array(32).fill(7);
const HASH_TEXT = `0x${'07'.repeat(32)}`;
const URL_TEXT = 'http://client.example:81/callback?token=secret';
const MINUTE_MS = 60_000;

class Setting {
  readonly time = new VirtualTime(0);
  readonly posted: { url: string; body: string; atMs: number }[] = [];
  readonly logged: string[] = [];
  /** Answers of the client's server, in order; the last one is repeated. */
  answers: (number | Error)[] = [200];
  send: () => Promise<Uint8Array> = async () => HASH;
  readonly sends: AsyncSends;

  constructor(shape: CallbackShape = 'both') {
    this.sends = new AsyncSends({
      shape,
      callbacks: {
        check: ({ hostname }, { isKnown }) => {
          if (hostname === 'refused.example') throw fail('CALLBACK_HOST_REFUSED', hostname);
          if (hostname === 'own.example' && !isKnown) throw fail('CALLBACK_HOST_REFUSED', hostname);
        },
        post: async (url, body, { address }) => {
          expect(address).toBe(CALLER);
          this.posted.push({ url: url.href, body, atMs: this.time.nowMs() });
          const answer = this.answers.length > 1 ? this.answers.shift()! : this.answers[0]!;
          if (typeof answer === 'number') return answer;
          throw answer;
        },
      },
      timers: this.time,
      log: (level, message, fields) =>
        this.logged.push(`${level} ${message} ${JSON.stringify(fields)}`),
    });
  }

  begin(id: string | undefined, callbackUrl = URL_TEXT, args = ARGS): void {
    const wallet = { addresses: () => [OWN] };
    const submitter = { send: () => this.send() };
    this.sends.begin({ wallet, submitter, args, callbackUrl, id, remote: CALLER });
  }

  until(isDone: () => boolean): Promise<void> {
    return this.time.until(isDone, MINUTE_MS, 'the callback');
  }
}

let setting: Setting;
afterEach(() => setting.sends.stop());

describe('a send in the background', () => {
  it.each([
    ['67', '"67"'],
    ['"a"', '"\\"a\\""'],
    ['"b-1"', '"\\"b-1\\""'],
  ])('tells the hash under the id %s as JSON text', async (id, told) => {
    setting = new Setting();
    setting.begin(id);
    await setting.until(() => setting.posted.length === 1);
    const members = `"id":${told},"txHash":"${HASH_TEXT}"`;
    expect(setting.posted[0]!.body).toBe(`{"result":{${members}},${members}}\n`);
    expect(setting.posted[0]!.url).toBe(URL_TEXT);
  });

  it('tells an error that a client may see, and no other', async () => {
    setting = new Setting();
    setting.send = () => {
      throw fail('ACCOUNT_UNKNOWN', 'unknown account');
    };
    setting.begin('1');
    await setting.until(() => setting.posted.length === 1);
    const members = '"id":"1","error":"unknown account"';
    expect(setting.posted[0]!.body).toBe(`{"result":{${members}},${members}}\n`);
    setting.send = () => Promise.reject(new TypeError('private detail'));
    setting.begin('2');
    await setting.until(() => setting.posted.length === 2);
    expect(JSON.parse(setting.posted[1]!.body).error).toBe('internal error');
  });

  it.each([
    ['both', (members: string) => `{"result":{${members}},${members}}`],
    ['ledger', (members: string) => `{"result":{${members}}}`],
    ['seed', (members: string) => `{"result":{${members}}}`],
    ['goquorum', (members: string) => `{${members}}`],
  ] as const)('has the shape %s', async (shape, bodyOf) => {
    setting = new Setting(shape);
    setting.begin('7');
    await setting.until(() => setting.posted.length === 1);
    setting.send = () => Promise.reject(fail('ACCOUNT_UNKNOWN', 'unknown account'));
    setting.begin('8');
    await setting.until(() => setting.posted.length === 2);
    expect(setting.posted.map(({ body }) => body)).toEqual([
      `${bodyOf(`"id":"7","txHash":"${HASH_TEXT}"`)}\n`,
      `${bodyOf('"id":"8","error":"unknown account"')}\n`,
    ]);
  });

  it('tells a stranger that their account is unknown, and calls nobody that they may not name', async () => {
    setting = new Setting();
    setting.send = () => Promise.reject(fail('ACCOUNT_UNKNOWN', 'unknown account'));
    const stranger = { from: new Uint8Array(20).fill(2) } as TransactionArgs;
    for (const args of [stranger, {} as TransactionArgs]) {
      expect(() => setting.begin('1', 'http://own.example/', args)).toThrow('own.example');
      setting.begin('1', URL_TEXT, args);
    }
    setting.begin('2', 'http://own.example/');
    await setting.until(() => setting.posted.length === 3);
    expect(setting.posted.map(({ url }) => url)).toEqual([
      URL_TEXT,
      URL_TEXT,
      'http://own.example/',
    ]);
    expect(JSON.parse(setting.posted[0]!.body).error).toBe('unknown account');
  });

  it('calls nobody, and sends nothing, where the place is refused', async () => {
    setting = new Setting();
    let count = 0;
    setting.send = async () => {
      count++;
      return HASH;
    };
    const begin = (url: string) => () => setting.begin('1', url);
    expect(begin('ftp://client.example')).toThrow('not an http or https URL');
    expect(begin('http://refused.example/')).toThrow('refused.example');
    await setting.sends.stop();
    expect([count, setting.posted]).toEqual([0, []]);
  });

  it('needs neither a callback nor an id', async () => {
    setting = new Setting();
    let count = 0;
    setting.send = async () => {
      count++;
      return HASH;
    };
    setting.begin('1', '');
    setting.begin(undefined);
    await setting.until(() => setting.posted.length === 1);
    expect(count).toBe(2);
    expect(JSON.parse(setting.posted[0]!.body)).toEqual({
      result: { txHash: HASH_TEXT },
      txHash: HASH_TEXT,
    });
  });
});

describe('a callback', () => {
  it('is tried again while the server fails or is silent, with growing pauses', async () => {
    setting = new Setting();
    setting.answers = [503, new Error('connect ECONNREFUSED'), 200];
    setting.begin('1');
    await setting.until(() => setting.posted.length === 3);
    expect(setting.posted.map(({ atMs }) => atMs)).toEqual([0, 500, 1_500]);
    await setting.sends.stop();
    expect(setting.logged).toEqual([]);
  });

  it('is given up in the end, or at once where the server refuses; no secret is logged', async () => {
    setting = new Setting();
    setting.answers = [new Error('silence')];
    setting.begin('1');
    await setting.until(() => setting.logged.length === 1);
    expect(setting.posted.length).toBe(4);
    setting.answers = [404];
    setting.begin('2');
    await setting.until(() => setting.logged.length === 2);
    expect(setting.posted.length).toBe(5);
    expect(setting.logged.join()).not.toContain('secret');
  });
});

describe('bounds', () => {
  it('refuses more than a hundred at once, and takes more when some are done', async () => {
    setting = new Setting();
    const waiting: (() => void)[] = [];
    setting.send = () => new Promise((resolve) => waiting.push(() => resolve(HASH)));
    for (let n = 0; n < ASYNC_SENDS_MAX; n++) setting.begin(String(n));
    expect(() => setting.begin('one more')).toThrow('too many concurrent requests');
    waiting.shift()!();
    await setting.until(() => setting.posted.length === 1);
    await setting.time.pass(1);
    setting.begin('"one more"');
    for (const go of waiting) go();
    await setting.until(() => setting.posted.length === ASYNC_SENDS_MAX + 1);
  });

  it('finishes what is under way when it is stopped, and takes nothing new', async () => {
    setting = new Setting();
    setting.answers = [503, 503, 200];
    setting.begin('1');
    await setting.until(() => setting.posted.length === 1);
    const stopped = setting.sends.stop();
    expect(() => setting.begin('2')).toThrow('shutting down');
    await stopped;
    expect(setting.posted.map(({ atMs }) => atMs)).toEqual([0, 0, 0]);
    expect(setting.logged).toEqual([]);
  });

  it('reports what did not finish in time', async () => {
    setting = new Setting();
    setting.send = () => new Promise(() => {});
    setting.begin('1');
    let isStopped = false;
    void setting.sends.stop().then(() => {
      isStopped = true;
    });
    await setting.until(() => isStopped);
    expect(setting.logged).toEqual([
      'error Sends in the background did not finish before the node stopped {"count":1}',
    ]);
    setting = new Setting();
  });
});
