import {
  defineClass,
  PyClass,
  PyDict,
  PyList,
  PyModule,
  standardModules,
} from '../../python/index.ts';
import type { Value } from '../../python/index.ts';
import { lenientParse } from './helpers/legacy-version.ts';
import { galaxyExceptions } from './exceptions.ts';
import { appClass, modelClasses } from './galaxy.ts';
import { utilModules } from './galaxy-util.ts';
import { galaxyModel } from '../jobs/query.ts';

const FIELDS = [
  'id',
  'runner',
  'url',
  'shell',
  'tags',
  'legacy',
  'converted',
  'env',
  'params',
  'resubmit',
] as const;

/** A destination that a rule makes itself. */
const destinations = defineClass<Map<string, Value>>({
  name: 'JobDestination',
  module: 'galaxy.jobs',
  attributes: Object.fromEntries(
    FIELDS.map((name) => [
      name,
      { get: (fields) => fields.get(name), set: (fields, value) => void fields.set(name, value) },
    ]),
  ),
  fallback: (fields, name) => fields.get(name),
  construct: (_args, kwargs = new Map()) => new Map([...destinationFields(), ...kwargs]),
});

const mapper = new PyModule('galaxy.jobs.mapper', [
  ['JobMappingException', galaxyExceptions.JobMappingException],
  ['JobNotReadyException', galaxyExceptions.JobNotReadyException],
]);
const jobs = new PyModule('galaxy.jobs', [
  ['mapper', mapper],
  ['JobDestination', destinations.cls],
  ...['JobWrapper', 'JobConfiguration'].map((name): [string, Value] => [
    name,
    new PyClass(name, [], { module: 'galaxy.jobs' }),
  ]),
]);
const app = new PyModule('galaxy.app', [['UniverseApplication', appClass]]);
const model = new PyModule('galaxy.model', [...modelClasses, ...galaxyModel.members]);
const packaging = standardModules.get('packaging.version');
const version = new PyModule('galaxy.tool_util.version', [
  [
    'parse_version',
    lenientParse(packaging instanceof PyModule ? (packaging.members.get('parse') ?? null) : null),
  ],
]);
const toolUtil = new PyModule('galaxy.tool_util', [['version', version]]);

/** The modules of Galaxy that are the same for all jobs. */
export const galaxyModules: readonly PyModule[] = [
  mapper,
  jobs,
  ...utilModules,
  toolUtil,
  version,
  model,
  app,
];

function destinationFields(): readonly (readonly [string, Value])[] {
  return [
    ...FIELDS.map((name) => [name, null] as const),
    ['legacy', false],
    ['converted', false],
    ['env', new PyList([])],
    ['params', new PyDict()],
    ['resubmit', new PyList([])],
  ];
}
