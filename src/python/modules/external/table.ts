import { exceptionClass, exceptionNamed } from '../../objects/classes/exceptions.ts';
import { defineClass } from '../../objects/classes/host.ts';
import { moduleOf } from '../../objects/classes/module.ts';
import type { PyModule } from '../../objects/classes/module.ts';
import { stringArgument } from '../../builtins/strings.ts';
import { psycopg2, psycopg2Extras, sqlalchemy, sqlalchemyExc, sqlalchemyOrm } from './databases.ts';
import { os } from './files.ts';
import { osPath } from './os-path.ts';
import { logging } from '../logging/module.ts';
import { allFailing, allRaising, UNAVAILABLE } from './unavailable.ts';
import { pathlib } from './pathlib.ts';
import { requestsModules } from '../requests/module.ts';
import { urllibParse } from '../urllib/parse.ts';

const osError = exceptionNamed('OSError');

const subprocessError = exceptionClass('SubprocessError', undefined, 'subprocess');
const subprocess = moduleOf('subprocess', {
  SubprocessError: subprocessError,
  CalledProcessError: exceptionClass('CalledProcessError', subprocessError, 'subprocess'),
  TimeoutExpired: exceptionClass('TimeoutExpired', subprocessError, 'subprocess'),
  PIPE: -1,
  STDOUT: -2,
  DEVNULL: -3,
  ...allRaising('subprocess', ['run', 'call', 'check_output', 'Popen', 'check_call', 'getoutput']),
});

const gaiError = exceptionClass('gaierror', osError, 'socket');
const socket = moduleOf('socket', {
  error: osError,
  timeout: exceptionNamed('TimeoutError'),
  gaierror: gaiError,
  AF_INET: 2,
  AF_INET6: 10,
  AF_UNIX: 1,
  SOCK_STREAM: 1,
  SOCK_DGRAM: 2,
  ...allRaising('socket', [
    'socket',
    'create_connection',
    'gethostname',
    'getfqdn',
    'setdefaulttimeout',
  ]),
  ...allFailing('socket', gaiError, ['gethostbyname', 'getaddrinfo', 'gethostbyaddr']),
});

const urlError = exceptionClass('URLError', osError, 'urllib.error');
const urllibError = moduleOf('urllib.error', {
  URLError: urlError,
  HTTPError: exceptionClass('HTTPError', urlError, 'urllib.error'),
});
const requestClass = defineClass<string>({
  name: 'Request',
  module: 'urllib.request',
  attributes: { full_url: { get: (url) => url } },
  methods: { 'add_header(key, val)': () => null },
  construct: (args) => stringArgument(args[0], 'url must be a string'),
});
const urllibRequest = moduleOf('urllib.request', {
  Request: requestClass.cls,
  ...allFailing('urllib.request', urlError, [
    'urlopen',
    'urlretrieve',
    'build_opener',
    'install_opener',
  ]),
});
const urllib = moduleOf('urllib', {
  error: urllibError,
  request: urllibRequest,
  parse: urllibParse,
});

const YAML_CALLS = [
  'load',
  'safe_load',
  'load_all',
  'safe_load_all',
  'full_load',
  'dump',
  'safe_dump',
];
const yamlError = exceptionClass('YAMLError', undefined, 'yaml');
const yaml = moduleOf('yaml', {
  YAMLError: yamlError,
  SafeLoader: null,
  FullLoader: null,
  ...allFailing('yaml', yamlError, YAML_CALLS),
});

const ruamelError = exceptionClass('YAMLError', undefined, 'ruamel.yaml.error');
const ruamelClass = defineClass<null>({
  name: 'YAML',
  module: 'ruamel.yaml',
  attributes: { preserve_quotes: { get: () => false, set: () => undefined } },
  fallback: (_self, name) => allFailing('YAML', ruamelError, ['load', 'dump', 'load_all'])[name],
  construct: () => null,
});
const ruamelYamlError = moduleOf('ruamel.yaml.error', { YAMLError: ruamelError });
const ruamelYaml = moduleOf('ruamel.yaml', {
  YAML: ruamelClass.cls,
  YAMLError: ruamelError,
  error: ruamelYamlError,
  ...allFailing('ruamel.yaml', ruamelError, ['safe_load', 'load', 'round_trip_load']),
});
const ruamel = moduleOf('ruamel', { yaml: ruamelYaml });

const unbound = requestsModules(({ method, url }) => ({
  kind: 'failed',
  error: 'ConnectionError',
  message: `${method} ${url}: requests is ${UNAVAILABLE} unless the site binds it`,
}));

/** Modules that would reach outside the snippet. */
export const externalModules: readonly PyModule[] = [
  logging,
  os,
  osPath,
  pathlib,
  subprocess,
  socket,
  urllib,
  urllibError,
  urllibRequest,
  urllibParse,
  ...unbound.values(),
  yaml,
  ruamel,
  ruamelYaml,
  ruamelYamlError,
  psycopg2,
  psycopg2Extras,
  sqlalchemy,
  sqlalchemyExc,
  sqlalchemyOrm,
];
