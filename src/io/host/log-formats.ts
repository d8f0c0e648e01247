/** Log lines as JSON, under the names that log services of Java programs expect (Elastic, Google Cloud, Graylog, Logstash). */
import type { LogLevel } from '../../core/ports.ts';

export const LOG_FORMATS = ['PLAIN', 'ECS', 'GCP', 'GELF', 'LOGSTASH'] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];
