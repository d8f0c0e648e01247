/**
 * Settings of traces: flags, and OpenTelemetry's environment variables
 * (https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/).
 */
import { fail } from '../../core/base/errors.ts';
import type { Log } from '../../core/base/ports.ts';
import type { Variables } from '../options/environment.ts';
import { flagsInVain, sayInVain } from '../options/needs.ts';
import type { OptionRow } from '../options/option-row.ts';
import type { ParsedOptions } from '../options/options.ts';

const TRACES_PATH = 'v1/traces';
const TIMEOUT_MS = 10_000;
const TIMEOUT_MS_MAX = 60_000;
const JSON_PROTOCOL = 'http/json';
const PROTOCOLS = [JSON_PROTOCOL, 'http/protobuf'] as const;
const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;
const FORM = 'an address such as http://127.0.0.1:4318';

export interface TracingSettings {
  readonly url: URL;
  readonly headers: readonly (readonly [string, string])[];
  readonly protocol: (typeof PROTOCOLS)[number];
  /** For a whole request to the collector. */
  readonly timeoutMs: number;
  readonly sampler: (typeof SAMPLERS)[number];
  /** For the samplers that take a share. */
  readonly ratio: number;
  /** File of the authorities that the collector's certificate may have. */
  readonly authorities: string | undefined;
  readonly service: string;
}

export function tracingRows(group: string): readonly OptionRow[] {
  return [
    {
      flag: 'otel.endpoint',
      type: 'string',
      unit: 'URL',
      env: 'OTEL_EXPORTER_OTLP_ENDPOINT',
      about: 'Send traces of transactions to this OpenTelemetry collector, over OTLP/HTTP',
      group,
    },
    {
      flag: 'otel.ratio',
      type: 'number',
      about: 'Share of transactions that are traced, 0 to 1; the same ones at each node',
      group,
    },
    {
      flag: 'otel.service',
      type: 'string',
      env: 'OTEL_SERVICE_NAME',
      about: 'Name of this service in traces; default: quorate-node, -signer or -ptm',
      group,
    },
  ];
}

/**
 * Undefined: traces are off, and flags that are without effect then are logged. `service`: the name
 * unless one is given. Throws OPTION_VALUE_INVALID.
 */
export function tracingSettings(
  options: ParsedOptions,
  env: Variables,
  service: string,
  log: Log,
): TracingSettings | undefined {
  const url = collectorUrl(options, env);
  if (!url) {
    sayInVain(inVain(options), log);
    return undefined;
  }
  const ratio = options.number('otel.ratio');
  const read = (name: string) =>
    env[`OTEL_EXPORTER_OTLP_TRACES_${name}`] || env[`OTEL_EXPORTER_OTLP_${name}`] || undefined;
  return {
    url,
    headers: headersOf(read('HEADERS')),
    protocol: protocolOf(read('PROTOCOL') ?? JSON_PROTOCOL),
    timeoutMs: timeoutOf(read('TIMEOUT')),
    ...(ratio === undefined ? samplerOf(env) : { sampler: 'parentbased_traceidratio', ratio }),
    authorities: read('CERTIFICATE'),
    service: options.string('otel.service') || service,
  };
}

function inVain(options: ParsedOptions) {
  const isFlag = (flag: string) => options.source(flag) !== 'environment';
  const flags = ['otel.ratio', 'otel.service'].filter(isFlag);
  return flagsInVain({ options }, [{ flags, isMet: () => false, what: '--otel.endpoint' }]);
}

/** Where traces go; undefined: traces are off. Throws OPTION_VALUE_INVALID. */
export function collectorUrl(options: ParsedOptions, env: Variables): URL | undefined {
  const given = options.string('otel.endpoint') || undefined;
  checkRatio('--otel.ratio', options.number('otel.ratio'));
  const isFlag = given !== undefined && options.source('otel.endpoint') !== 'environment';
  const own = isFlag ? undefined : env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT || undefined;
  if (own === undefined && given === undefined) return undefined;
  if (env.OTEL_SDK_DISABLED?.toLowerCase() === 'true') return undefined;
  if (env.OTEL_TRACES_EXPORTER === 'none') return undefined;
  return own === undefined ? tracesUrl(given!) : urlOf(own);
}

/** A base address gets the path of traces, as OTEL_EXPORTER_OTLP_ENDPOINT does. */
function tracesUrl(text: string): URL {
  const url = urlOf(text);
  if (url.pathname.endsWith(`/${TRACES_PATH}`)) return url;
  url.pathname = url.pathname.replace(/\/*$/, `/${TRACES_PATH}`);
  return url;
}

function urlOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '')
    return url;
  const secret = url && (url.username || url.password);
  throw invalid(
    secret
      ? '--otel.endpoint contains credentials: give them in OTEL_EXPORTER_OTLP_HEADERS'
      : `--otel.endpoint must be ${FORM}`,
  );
}

/** `name=value,name=value`, percent-encoded. */
function headersOf(text = ''): [string, string][] {
  return text
    .split(',')
    .filter((pair) => pair.trim() !== '')
    .map((pair) => {
      const at = pair.indexOf('=');
      const name = pair.slice(0, Math.max(at, 0)).trim();
      const value = decoded(pair.slice(at + 1).trim());
      const isValid = /^[!#$%&'*+.^_`|~\w-]+$/.test(name) && /^[\t\x20-\x7e]*$/.test(value ?? '\n');
      if (isValid) return [name, value!];
      throw invalid('OTEL_EXPORTER_OTLP_HEADERS must be name=value,name=value');
    });
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function protocolOf(text: string): TracingSettings['protocol'] {
  const known = PROTOCOLS.find((each) => each === text);
  if (known) return known;
  throw invalid(`OTEL_EXPORTER_OTLP_PROTOCOL ${text}: ${PROTOCOLS.join(' or ')}`);
}

function timeoutOf(text: string | undefined): number {
  const ms = text === undefined ? TIMEOUT_MS : Number(text);
  if (Number.isInteger(ms) && ms > 0 && ms <= TIMEOUT_MS_MAX) return ms;
  throw invalid(`OTEL_EXPORTER_OTLP_TIMEOUT ${text}: 1 to ${TIMEOUT_MS_MAX} ms`);
}

/** By default all traces are recorded, unless the caller's context says that this one is not. */
function samplerOf(env: Variables): Pick<TracingSettings, 'sampler' | 'ratio'> {
  const name = env.OTEL_TRACES_SAMPLER || 'parentbased_always_on';
  const sampler = SAMPLERS.find((each) => each === name);
  if (!sampler) throw invalid(`OTEL_TRACES_SAMPLER ${name}: one of ${SAMPLERS.join(', ')}`);
  const ratio = Number(env.OTEL_TRACES_SAMPLER_ARG || 1);
  checkRatio('OTEL_TRACES_SAMPLER_ARG', ratio);
  return { sampler, ratio };
}

function checkRatio(name: string, ratio: number | undefined): void {
  if (ratio === undefined || (ratio >= 0 && ratio <= 1)) return;
  throw invalid(`${name} ${ratio}: 0 to 1`);
}

function invalid(text: string): Error {
  return fail('OPTION_VALUE_INVALID', text);
}
