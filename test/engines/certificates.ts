import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { command } from './daemon.ts';

/** Files of certificates of a test authority. */
export type Certificates = {
  readonly ca: string;
  readonly server: { readonly cert: string; readonly key: string };
  readonly client: { readonly cert: string; readonly key: string };
};

/** Makes an authority and its certificates for a server at 127.0.0.1 and for a client. */
export function makeCertificates(folder: string): Certificates {
  const at = (name: string): string => join(folder, name);
  const key = (name: string): string => {
    command('openssl', [
      'ecparam',
      '-name',
      'prime256v1',
      '-genkey',
      '-noout',
      '-out',
      at(`${name}-key.pem`),
    ]);
    return at(`${name}-key.pem`);
  };
  const ca = at('ca.pem');
  command('openssl', [
    'req',
    '-x509',
    '-new',
    '-key',
    key('ca'),
    '-days',
    '2',
    '-subj',
    '/CN=test authority',
    '-out',
    ca,
  ]);
  const signed = (name: string, extensions: string): { cert: string; key: string } => {
    const own = key(name);
    writeFileSync(at(`${name}.ext`), extensions);
    command('openssl', [
      'req',
      '-new',
      '-key',
      own,
      '-subj',
      `/CN=${name}`,
      '-out',
      at(`${name}.csr`),
    ]);
    command('openssl', [
      'x509',
      '-req',
      '-in',
      at(`${name}.csr`),
      '-CA',
      ca,
      '-CAkey',
      at('ca-key.pem'),
      '-CAcreateserial',
      '-days',
      '2',
      '-extfile',
      at(`${name}.ext`),
      '-out',
      at(`${name}.pem`),
    ]);
    return { cert: at(`${name}.pem`), key: own };
  };
  return {
    ca,
    server: signed('server', 'subjectAltName=IP:127.0.0.1\nextendedKeyUsage=serverAuth\n'),
    client: signed('client', 'extendedKeyUsage=clientAuth\n'),
  };
}
