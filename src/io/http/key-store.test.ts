import { createPrivateKey, generateKeyPairSync, X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { makeCertificate, pkcs12 } from '../../../test/support/certificates.ts';
import { seeds } from '../../../test/support/effort.ts';
import { readKeyStore } from './key-store.ts';

/**
 * Key stores written by keytool of Java 17, with one EC key and with its certificate alone;
 * password "changeit".
 */
const JKS_KEY = Buffer.from(
  `
    /u3+7QAAAAIAAAABAAAAAQAEbm9kZQAAAaH8vO+lAAAAfzB9MA4GCisGAQQBKgIRAQEFAARrTvUQ8B8Uq3WNH5GhXZmP+6lz
    bfEP2JXRwDe++yzJ7KTpRvj0j+QyCg0a+ocP7bmeLk8/5ruk7oYHIvX3PGGfIoFl6smYbgkV1TUBHHzM/MwJrXMGIVFGJsL1
    M7T2wfac5X42Jkb4rFJHLqsAAAABAAVYLjUwOQAAAU4wggFKMIHwoAMCAQICCBSU0NQ7iCDEMAoGCCqGSM49BAMCMBAxDjAM
    BgNVBAMTBXN0b3JlMCAXDTI2MTEyMTA2MTMyMloYDzIxMjYxMDI4MDYxMzIyWjAQMQ4wDAYDVQQDEwVzdG9yZTBZMBMGByqG
    SM49AgEGCCqGSM49AwEHA0IABNw+ULU1M18woT8gpIgergwgUiWnAvTjsie36wxjIqn/gX9sdIunFDC7lO9kCG67vkkU5Jo1
    CgpYOwzfugc+xMqjMjAwMB0GA1UdDgQWBBRteZWDBq3qM+32DAjEFpV5RNmipjAPBgNVHREECDAGhwR/AAABMAoGCCqGSM49
    BAMCA0kAMEYCIQCokvuRo2+Ggrbuz5ojahgp9cEBuQd36DojcnMAodNu9wIhALIB08tve1PAPVOWzyLoeX/mPR0BzXWcke1z
    uKTgyzpL6g9bEA8/m22KfrN30zZgp8qLkLY=
  `,
  'base64',
);
const JKS_TRUST = Buffer.from(
  `
    /u3+7QAAAAIAAAABAAAAAgAFb3RoZXIAAAGh/LzwqQAFWC41MDkAAAFOMIIBSjCB8KADAgECAggUlNDUO4ggxDAKBggqhkjO
    PQQDAjAQMQ4wDAYDVQQDEwVzdG9yZTAgFw0yNjExMjEwNjEzMjJaGA8yMTI2MTAyODA2MTMyMlowEDEOMAwGA1UEAxMFc3Rv
    cmUwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAATcPlC1NTNfMKE/IKSIHq4MIFIlpwL047Int+sMYyKp/4F/bHSLpxQwu5Tv
    ZAhuu75JFOSaNQoKWDsM37oHPsTKozIwMDAdBgNVHQ4EFgQUbXmVgwat6jPt9gwIxBaVeUTZoqYwDwYDVR0RBAgwBocEfwAA
    ATAKBggqhkjOPQQDAgNJADBGAiEAqJL7kaNvhoK27s+aI2oYKfXBAbkHd+g6I3JzAKHTbvcCIQCyAdPLb3tTwD1Tls8i6Hl/
    5j0dAc11nJHtc7ik4Ms6S3c9yOfyL2ZDZhCiaJJ705v1fu8m
  `,
  'base64',
);
const P12_KEY = Buffer.from(
  `
    MIID7AIBAzCCA5YGCSqGSIb3DQEHAaCCA4cEggODMIIDfzCCASYGCSqGSIb3DQEHAaCCARcEggETMIIBDzCCAQsGCyqGSIb3
    DQEMCgECoIG9MIG6MGYGCSqGSIb3DQEFDTBZMDgGCSqGSIb3DQEFDDArBBTmu065hZ8eoK+rErZcAckMP/xnHAICJxACASAw
    DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEAoYC4k4Qe41YNF1qgxAfdUEUD/Z2/osOj/OFxI/j2o89G7ZO4kEyS/b8xPw
    SzaIOtdeczdDk6f4eXJry8sta2kdUJafWoprwvyE5tVjYf7J9uVS4CGF1dHS4Eigw1+TQL72MTwwFwYJKoZIhvcNAQkUMQoe
    CABuAG8AZABlMCEGCSqGSIb3DQEJFTEUBBJUaW1lIDE3OTUyNDE2MDM0MDYwggJRBgkqhkiG9w0BBwagggJCMIICPgIBADCC
    AjcGCSqGSIb3DQEHATBmBgkqhkiG9w0BBQ0wWTA4BgkqhkiG9w0BBQwwKwQUNsVYCamny6FgOJkKiPKBlcjB4X8CAicQAgEg
    MAwGCCqGSIb3DQIJBQAwHQYJYIZIAWUDBAEqBBC4gRl5RLFw35ttJZB/M67LgIIBwBGsbLXcrERbWfDXekGeXADbGLoydSRE
    6LfOr3EWlcCaaF/vcO/UZ618Rixz+jaqnUIbzV6uTr7vNg4aKIrxs7MFDy4VPpebyFgA7iqo3lAwwwNw5R0u0O5rfE7W4spU
    5SgNqYK1w+l3FhGJ3XZQ1CbDL2zpjouv+7lUnoY3gjD9Wkw8nehAvbuxFxL+HX+x0Fd5V8LoYYr3UyAxdc2Ooytzv0FMfptp
    Kl+f901VNYA6gQTBb4OfWYzShMFdsbt1yCZyOv8xsih65ylE1hMjDJfMxzKAdYDTL2THQDsG9frthJbdmqcDOy9MQYBqVZws
    FSuDFJRFh1x/zw8ykNgJwuNyAPy6yXyQZu4pvlFS2irGPsdVn7knDXXXPclFE3Kl7nrfhpQ6fXIZoL/rzRpUvGaLj0VyNO/b
    lXQ8RTE0s6o89adIbBWWWWVs5VRzVgL37ix+6pZ2g0+6C7FA3owc6nb7dbD7a7OWQINfEO2yGbKEvCqCh9CDGMmewXYtXkFw
    FlYp4DJ1QeQDmqNzhphmFqesKAREbS/IEPLeUWjdxFopK6GeSyou9L9QpEDQ1/WxJfmblrvKWAkKa6VVpD5Fpz0wTTAxMA0G
    CWCGSAFlAwQCAQUABCDsLF5VJfAU1QQkL211M6N1CDsYwLUGNgAmHCBo6wscfQQUYX9pKZsolvW5MC0aKIKpxvzsJ5sCAicQ
  `,
  'base64',
);
const P12_TRUST = Buffer.from(
  `
    MIICwgIBAzCCAmwGCSqGSIb3DQEHAaCCAl0EggJZMIICVTCCAlEGCSqGSIb3DQEHBqCCAkIwggI+AgEAMIICNwYJKoZIhvcN
    AQcBMGYGCSqGSIb3DQEFDTBZMDgGCSqGSIb3DQEFDDArBBRSMkSrAwisZSrjoV95thnANMewhgICJxACASAwDAYIKoZIhvcN
    AgkFADAdBglghkgBZQMEASoEELKLjUztScGihjhkYmU1kFeAggHA7s9c3pKUjWxHfct0MKwF3bcZCA0oVQClva9yVTN2hNMC
    NSYvFVbzUl2ULlgrzHjZ/10kFaPjmfopAQp7eVxicezvOtgfyS/oyKNtJ5akv9lFOb6KXEFQYXEOPvlphUfniHvPNUvP/Rdi
    PJIXQQQxYAzwVqFBwLSIwnwIoi4ZnPeOsm25Ye2BRB6QXmAPLo/Ro1sZekYq2aFqx7Jy5Tks1yP++VKIvG936ZKoAZ17sunN
    gO69Y4LJppFCbxpTtk7B4l1gdQ9Zaf4R2R4g1fcsiZbR61NPDqNCGWA+9dRatTYUIHcm/fbzgUXJsSDan4lSInH79OzH1N5G
    WKO0enUwqkwUUsKzpDAFVo28rAGuHT+dkuQMfBBYnSSdZt/dSQmE/1EueevJfq5NygXGWHAVg58rigCGLRVUGzdGOw5gGGHS
    61mQ1CWIr75QeJj2Tj7c1pXh23Ow80+qXI+YtRKuQJx2CfSlX9uLzFXLjjbUkxrNJwgXY2G0hDIadWP/cNCEPycmwp58xhlL
    DnAVWW0LCqbtjld0+6TAUrVnS1qpa5anGNsIeIkAxOe9tfvFpAza3f6yXdHyh/X6u1eWQGEO9zBNMDEwDQYJYIZIAWUDBAIB
    BQAEIL9T3/oG3jCLUeDPPu21w1J3RemQeZKuzicsGegu4pqoBBTfYKapdDPmrkVx2JGgu9DD9dLtRAICJxA=
  `,
  'base64',
);

const subjects = (pems: readonly string[]) => pems.map((pem) => new X509Certificate(pem).subject);

describe('key stores of Java', () => {
  it.each([
    ['JKS', JKS_KEY, JKS_TRUST],
    ['PKCS#12', P12_KEY, P12_TRUST],
  ])('%s: a key with its certificate, or certificates alone', (_kind, keys, trust) => {
    const own = readKeyStore(keys, 'changeit');
    expect(subjects([own.cert!])).toEqual(['CN=store']);
    expect(new X509Certificate(own.cert!).checkPrivateKey(createPrivateKey(own.key!))).toBe(true);
    expect(own.trusted).toEqual([]);
    const others = readKeyStore(trust, 'changeit');
    expect([others.key, others.cert]).toEqual([undefined, undefined]);
    expect(subjects(others.trusted)).toEqual(['CN=store']);
  });

  it.each([
    ['JKS', JKS_KEY],
    ['PKCS#12', P12_KEY],
  ])('%s: a wrong password, a cut or changed file are refused', (_kind, bytes) => {
    const refused = (changed: Buffer, password = 'changeit') =>
      expect(() => readKeyStore(changed, password)).toThrow(
        expect.objectContaining({ code: 'TLS_CONFIG_INVALID' }),
      );
    refused(bytes, 'wrong');
    refused(bytes, '');
    for (const length of [0, 4, 12, 40, bytes.length - 1]) refused(bytes.subarray(0, length));
    const whole = readKeyStore(bytes, 'changeit');
    const places = Array.from({ length: Math.ceil(bytes.length / 7) }, (_, at) => 7 * at);
    for (const at of seeds(places)) {
      const changed = Buffer.from(bytes);
      changed[at]! ^= 0x55;
      // Names and dates outside the encrypted part may differ; the key must not.
      try {
        expect(readKeyStore(changed, 'changeit')).toEqual(whole);
      } catch (error) {
        expect(error).toMatchObject({ code: 'TLS_CONFIG_INVALID' });
      }
    }
  });

  it('PKCS#12: an RSA key of ours, the authority behind it', () => {
    const authority = makeCertificate('authority');
    const one = makeCertificate('one', authority);
    const store = readKeyStore(pkcs12(one, 'secret', [authority]), 'secret');
    expect(createPrivateKey(store.key!).equals(createPrivateKey(one.key))).toBe(true);
    expect(store.cert!.match(/BEGIN CERTIFICATE/g)).toHaveLength(2);
    expect(subjects([store.cert!])).toEqual(['CN=one']);
  });

  it('anything else is refused, with how to convert it', () => {
    const { privateKey } = generateKeyPairSync('ed25519');
    const pem = Buffer.from(privateKey.export({ type: 'pkcs8', format: 'pem' }));
    for (const bytes of [pem, Buffer.from([0xce, 0xce, 0xce, 0xce, 0, 0, 0, 2]), Buffer.alloc(0)]) {
      expect(() => readKeyStore(bytes, 'x')).toThrow(/keytool -importkeystore/);
    }
  });
});
