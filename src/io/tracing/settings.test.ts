import { expect, it } from 'vitest';
import type { Log } from '../../core/base/ports.ts';
import { parseOptions } from '../options/options.ts';
import { tracingRows, tracingSettings } from './settings.ts';

const ROWS = tracingRows('Traces');
const ENDPOINT = 'http://127.0.0.1:4318';

function settingsOf(
  argv: readonly string[],
  env: Record<string, string> = {},
  said: unknown[] = [],
) {
  const log: Log = (...line) => said.push(line);
  return tracingSettings(parseOptions(ROWS, { argv, env }), env, 'quorate-node', log);
}

it('is off unless an endpoint is given', () => {
  expect(settingsOf([])).toBeUndefined();
  expect(settingsOf(['--otel.ratio', '0.5'], { OTEL_SERVICE_NAME: 'x' })).toBeUndefined();
  expect(settingsOf(['--otel.endpoint', ENDPOINT], { OTEL_SDK_DISABLED: 'true' })).toBeUndefined();
  const none = { OTEL_EXPORTER_OTLP_ENDPOINT: ENDPOINT, OTEL_TRACES_EXPORTER: 'none' };
  expect(settingsOf([], none)).toBeUndefined();
});

it('says that flags are without effect while it is off', () => {
  const said: unknown[] = [];
  settingsOf(['--otel.ratio', '0.5'], {}, said);
  expect(JSON.stringify(said)).toContain('--otel.ratio');
  expect(JSON.stringify(said)).toContain('it needs --otel.endpoint');
  said.length = 0;
  settingsOf([], { OTEL_SERVICE_NAME: 'x' }, said);
  settingsOf(['--otel.endpoint', ENDPOINT, '--otel.ratio', '0.5'], {}, said);
  expect(said).toEqual([]);
});

it('takes all from flags', () => {
  const flags = ['--otel.endpoint', ENDPOINT, '--otel.ratio', '0.1', '--otel.service', 'n1'];
  expect(settingsOf(flags)).toEqual({
    url: new URL(`${ENDPOINT}/v1/traces`),
    headers: [],
    protocol: 'http/json',
    timeoutMs: 10_000,
    sampler: 'parentbased_traceidratio',
    ratio: 0.1,
    authorities: undefined,
    service: 'n1',
  });
});

it("takes OpenTelemetry's variables, over which flags prevail", () => {
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.example/base/',
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20abc, x-tenant=a',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
    OTEL_EXPORTER_OTLP_TIMEOUT: '500',
    OTEL_EXPORTER_OTLP_CERTIFICATE: 'ca.pem',
    OTEL_SERVICE_NAME: 'mine',
    OTEL_TRACES_SAMPLER: 'traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.25',
  };
  expect(settingsOf([], env)).toEqual({
    url: new URL('https://collector.example/base/v1/traces'),
    headers: [
      ['authorization', 'Bearer abc'],
      ['x-tenant', 'a'],
    ],
    protocol: 'http/protobuf',
    timeoutMs: 500,
    sampler: 'traceidratio',
    ratio: 0.25,
    authorities: 'ca.pem',
    service: 'mine',
  });
  const traces = { ...env, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://127.0.0.1:1/own' };
  expect(settingsOf([], traces)?.url.href).toBe('http://127.0.0.1:1/own');
  const flagged = settingsOf(['--otel.endpoint', ENDPOINT], traces);
  expect(flagged?.url.href).toBe(`${ENDPOINT}/v1/traces`);
});

it.each([
  [['--otel.endpoint', 'collector:4318'], {}, /--otel\.endpoint must be an address such as/],
  [['--otel.endpoint', 'ftp://x'], {}, /--otel\.endpoint must be/],
  [['--otel.endpoint', 'http://u:secret@x'], {}, /^(?!.*secret).*OTEL_EXPORTER_OTLP_HEADERS/],
  [['--otel.endpoint', ENDPOINT, '--otel.ratio', '2'], {}, /--otel\.ratio 2: 0 to 1/],
  [['--otel.endpoint', ENDPOINT], { OTEL_TRACES_SAMPLER: 'some' }, /OTEL_TRACES_SAMPLER some/],
  [['--otel.endpoint', ENDPOINT], { OTEL_TRACES_SAMPLER_ARG: 'x' }, /SAMPLER_ARG NaN: 0 to 1/],
  [['--otel.endpoint', ENDPOINT], { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, /PROTOCOL grpc: http/],
  [['--otel.endpoint', ENDPOINT], { OTEL_EXPORTER_OTLP_TIMEOUT: '0' }, /TIMEOUT 0: 1 to 60000/],
  [
    ['--otel.endpoint', ENDPOINT],
    { OTEL_EXPORTER_OTLP_HEADERS: 'secret' },
    /^(?!.*secret).*HEADERS/,
  ],
])('refuses %j %j', (argv, env, text) => {
  expect(() => settingsOf(argv, env as Record<string, string>)).toThrow(text);
});
