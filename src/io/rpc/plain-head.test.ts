import { describe, expect, it } from 'vitest';
import { parsePlainHead } from './plain-head.ts';

const LINES = ['Host: localhost:8545', 'Content-Type: application/json', 'Content-Length: 12'];
const head = (lines: readonly string[], first = 'POST / HTTP/1.1') =>
  `${[first, ...lines].join('\r\n')}\r\n\r\n`;
const and = (...lines: string[]) => parsePlainHead(head([...LINES, ...lines]));

describe('parsePlainHead', () => {
  it('reads what clients send', () => {
    const plain = { host: 'localhost:8545', contentType: 'application/json', contentLength: 12 };
    expect(and()).toEqual({ ...plain, acceptsGzip: false });
    const more = ['connection: Keep-Alive', 'accept: */*', 'User-Agent: a (b) c'];
    expect(and('accept-encoding: gzip, deflate', ...more)).toEqual({ ...plain, acceptsGzip: true });
  });

  it.each([
    'Authorization: Bearer x',
    'Origin: http://a.example',
    'Quorum-PSI: PS1',
    'traceparent: 00-1-2-01',
    'Transfer-Encoding: chunked',
    'Expect: 100-continue',
    'Upgrade: websocket',
    'Connection: close',
    'Connection: keep-alive, Upgrade',
    'X-Other: 1',
  ])('leaves headers with an effect, and unknown ones: %s', (line) => {
    expect(and(line)).toBeUndefined();
  });

  it.each([
    ['the same header twice', head([...LINES, 'content-length: 12'])],
    ['no host', head(LINES.slice(1))],
    ['no length', head(LINES.slice(0, 2))],
    ['letters in the length', head([...LINES.slice(0, 2), 'Content-Length: 1x'])],
    ['a negative length', head([...LINES.slice(0, 2), 'Content-Length: -1'])],
    ['two lengths', head([...LINES.slice(0, 2), 'Content-Length: 1, 1'])],
    ['another verb', head(LINES, 'GET / HTTP/1.1')],
    ['another path', head(LINES, 'POST /?PSI=PS1 HTTP/1.1')],
    ['another version', head(LINES, 'POST / HTTP/1.0')],
    ['a space before the colon', head([...LINES, 'Accept : x'])],
    ['a space before the name', head([...LINES, ' Accept: x'])],
    ['a folded line', head([...LINES, 'Accept: x', ' y'])],
    ['an empty value', head([...LINES, 'Accept: '])],
    ['a space after the value', head([...LINES, 'Accept: x '])],
    ['a tab', head([...LINES, 'Accept: x\ty'])],
    ['a lone line feed', head([...LINES, 'Accept: x\nAccept: y'])],
    ['a lone carriage return', head([...LINES, 'Accept: x\rAccept: y'])],
    ['a character beyond ASCII', head([...LINES, 'User-Agent: é'])],
    ['a null byte', head([...LINES, 'User-Agent: \0'])],
    ['no empty line', head(LINES).slice(0, -2)],
    ['a long head', head([...LINES, `User-Agent: ${'x'.repeat(5_000)}`])],
  ])('leaves %s', (_, text) => {
    expect(parsePlainHead(text)).toBeUndefined();
  });
});
