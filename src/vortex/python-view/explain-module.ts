import {
  defineClass,
  enumBase,
  enumeration,
  nativeFunction,
  PyDict,
  PyList,
  PyModule,
  repr,
  typeName,
  raise,
} from '../../python/index.ts';
import type { PyObject, Value } from '../../python/index.ts';

/**
 * `tpv.core.explain`, for rules that import it. The engine's own explanation is elsewhere, out of
 * sight of rules.
 */

const CONTEXT_KEY = '__explain';

const phases = enumeration('ExplainPhase', 'tpv.core.explain', enumBase, [
  ['CONFIG_LOADING', 'Configuration Loading'],
  ['ENTITY_MATCHING', 'Entity Matching'],
  ['ENTITY_COMBINING', 'Entity Combining'],
  ['RULE_EVALUATION', 'Rule Evaluation'],
  ['RESOURCE_EVALUATION', 'Resource Evaluation'],
  ['DESTINATION_MATCHING', 'Destination Matching'],
  ['DESTINATION_RANKING', 'Destination Ranking'],
  ['DESTINATION_EVALUATION', 'Destination Evaluation'],
  ['RESOURCE_POOLS', 'Resource Pools'],
  ['FINAL_RESULT', 'Final Result'],
]);

type Step = { phase: Value; message: Value; detail: Value };
const step = nativeFunction(
  'ExplainStep(phase, message, detail=)',
  (phase = null, message = null, detail = null) => steps.wrap({ phase, message, detail }),
);
const steps = defineClass<Step>({
  name: 'ExplainStep',
  module: 'tpv.core.explain',
  attributes: {
    phase: { get: (self) => self.phase, set: (self, value) => (self.phase = value) },
    message: { get: (self) => self.message, set: (self, value) => (self.message = value) },
    detail: { get: (self) => self.detail, set: (self, value) => (self.detail = value) },
  },
  repr: ({ phase, message, detail }) =>
    `ExplainStep(phase=${repr(phase)}, message=${repr(message)}, detail=${repr(detail)})`,
});
steps.cls.create = (_cls, args, kwargs) => step.call(args, kwargs);

const collectors = defineClass<PyList>({
  name: 'ExplainCollector',
  module: 'tpv.core.explain',
  attributes: { steps: { get: (list) => list } },
  methods: {
    'add_step(phase, message, detail=)': (list, phase = null, message = null, detail = null) => {
      list.items.push(steps.wrap({ phase, message, detail }));
      return null;
    },
  },
  construct: () => new PyList([]),
});
collectors.cls.dict.set('CONTEXT_KEY', CONTEXT_KEY);
collectors.cls.dict.set(
  'from_context',
  nativeFunction('from_context(context)', (context: Value = null): Value => {
    if (!(context instanceof PyDict))
      return raise('AttributeError', `'${typeName(context)}' object has no attribute 'get'`);
    return context.get(CONTEXT_KEY) ?? null;
  }),
);

export const explain = new PyModule('tpv.core.explain', [
  ['ExplainPhase', phases],
  ['ExplainStep', steps.cls],
  ['ExplainCollector', collectors.cls],
] satisfies readonly (readonly [string, PyObject])[]);
