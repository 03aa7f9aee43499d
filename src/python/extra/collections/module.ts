import { collectionsAbc } from '../../modules/collections-abc.ts';
import { orderedDictClass } from './ordered-dict.ts';
import { counterClass } from './counter.ts';
import { defaultDictClass } from './defaultdict.ts';
import { moduleOf } from '../../objects/classes/module.ts';
import type { PyModule } from '../../objects/classes/module.ts';
import { chainMapClass } from './chainmap.ts';
import { deque } from './deque.ts';
import { namedtuple } from '../../modules/namedtuple.ts';

/** The module `collections`. */
export const collections: PyModule = moduleOf('collections', {
  defaultdict: defaultDictClass,
  Counter: counterClass,
  OrderedDict: orderedDictClass,
  ChainMap: chainMapClass,
  deque,
  namedtuple,
  abc: collectionsAbc,
});
