/**
 * Log lines as JSON, under the names that log services of Java programs expect (Elastic, Google
 * Cloud, Graylog, Logstash).
 */
import { hostname } from 'node:os';
import type { LogLevel } from '../../core/base/ports.ts';

/** GETH: the format of geth's --log.json. */
export type LogFormat = 'PLAIN' | 'ECS' | 'GCP' | 'GELF' | 'LOGSTASH' | 'GETH';
/** Values of Web3Signer's --logging-format. */
export const LOG_FORMATS: readonly LogFormat[] = ['PLAIN', 'ECS', 'GCP', 'GELF', 'LOGSTASH'];

interface LogEvent {
  readonly level: LogLevel;
  readonly nowMs: number;
  readonly message: string;
  /** Texts without secrets; with GETH also numbers and booleans. */
  readonly fields: Readonly<Record<string, string | number | boolean>>;
}

const LOGGER = 'quorate';
/** Severities of syslog. */
const SEVERITY: Readonly<Record<LogLevel, number>> = {
  error: 3,
  warn: 4,
  info: 6,
  debug: 7,
  trace: 7,
};
const GCP_SEVERITY: Readonly<Record<LogLevel, string>> = {
  error: 'ERROR',
  warn: 'WARNING',
  info: 'INFO',
  debug: 'DEBUG',
  trace: 'DEBUG',
};

/** geth's names of levels (GoQuorum log/logger.go). */
const GETH_LEVEL: Readonly<Record<LogLevel, string>> = {
  error: 'eror',
  warn: 'warn',
  info: 'info',
  debug: 'dbug',
  trace: 'trce',
};

/** One line, with its line feed. */
export function jsonLine(format: Exclude<LogFormat, 'PLAIN'>, event: LogEvent): string {
  return `${JSON.stringify(recordOf(format, event))}\n`;
}

function recordOf(format: Exclude<LogFormat, 'PLAIN'>, event: LogEvent): object {
  const { level, nowMs, message, fields } = event;
  const time = new Date(nowMs).toISOString();
  switch (format) {
    case 'ECS': {
      const head = { '@timestamp': time, 'log.level': level.toUpperCase(), message };
      return { ...head, 'ecs.version': '1.2.0', 'log.logger': LOGGER, labels: fields };
    }
    case 'GCP': {
      const severity = GCP_SEVERITY[level];
      return { timestamp: time, severity, message, 'logging.googleapis.com/labels': fields };
    }
    case 'GELF': {
      const named = Object.entries(fields).map(([key, value]) => [`_${key}`, value]);
      const head = { version: '1.1', host: hostname(), short_message: message };
      const at = { timestamp: nowMs / 1000, level: SEVERITY[level], _logger: LOGGER };
      return { ...head, ...at, ...Object.fromEntries(named) };
    }
    case 'GETH':
      return { ...fields, lvl: GETH_LEVEL[level], msg: message, t: time };
    case 'LOGSTASH': {
      const head = { '@timestamp': time, '@version': 1, message, logger_name: LOGGER };
      return { ...fields, ...head, level: level.toUpperCase() };
    }
  }
}
