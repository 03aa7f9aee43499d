import { readdirSync } from 'node:fs';

/** What programs need of /etc to run: no keys, no passwords, no settings of services. */
const NAMES: ReadonlySet<string> = new Set([
  'alternatives',
  'ca-certificates',
  // OpenSSL's own settings include them on Fedora and its relatives.
  'crypto-policies',
  'fonts',
  'gai.conf',
  'group',
  'host.conf',
  'hosts',
  'ld.so.cache',
  'ld.so.conf',
  'ld.so.conf.d',
  'localtime',
  'magic',
  'matplotlibrc',
  'mime.types',
  'networks',
  'nsswitch.conf',
  'OpenCL',
  'os-release',
  'papersize',
  'passwd',
  'perl',
  'pki',
  'protocols',
  'R',
  'resolv.conf',
  'rpc',
  'services',
  'terminfo',
  'texmf',
  'timezone',
  'vulkan',
]);

/**
 * Programs whose folders carry their version or flavour. Java does not begin to work with TLS without
 * its folder: `java-25-openjdk` of Debian, `java` of Fedora.
 */
const VERSIONED = /^(?:java(?:-\d+-openjdk)?|python3(?:\.\d+)?|ImageMagick-\d+|openmpi(?:-\w+)?)$/;

/** Of ssl only what holds no private key. */
const OF_SSL = ['/etc/ssl/certs', '/etc/ssl/openssl.cnf'];

/** The paths of /etc that jobs see. @param names what is in /etc */
export function visibleEtc(names: readonly string[] = readdirSync('/etc')): readonly string[] {
  const seen = names.filter((name) => NAMES.has(name) || VERSIONED.test(name));
  return [...seen.map((name) => `/etc/${name}`), ...OF_SSL];
}
