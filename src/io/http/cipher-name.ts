/** Names of TLS cipher suites. */

/**
 * Gives OpenSSL's name: `TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384` becomes
 * `ECDHE-RSA-AES256-GCM-SHA384`; names of TLS 1.3 are unchanged.
 */
export function opensslName(suite: string): string {
  if (!suite.includes('_WITH_')) return suite;
  return suite
    .replace(/^TLS_/, '')
    .replace('RSA_WITH_3DES_EDE_CBC', 'DES_CBC3')
    .replace(/^RSA_WITH_/, '')
    .replace('_WITH_', '_')
    .replace(/AES_(128|256)_CBC/, 'AES$1')
    .replace(/AES_(128|256)/, 'AES$1')
    .replace(/POLY1305_SHA256$/, 'POLY1305')
    .replaceAll('_', '-');
}
