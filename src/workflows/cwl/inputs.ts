import { isRecord } from '../../words/record.ts';
import { addressIn } from './address.ts';
import { CWL, fullName } from './names.ts';

/** The rules of documents hold for inputs, too: these read a URL, or move what others start from. */
const DIRECTIVES: ReadonlySet<string> = new Set([
  '$import',
  '$include',
  '$mixin',
  '$base',
  '$graph',
  '$profile',
  '$schemas',
]);

/** Why a key may not be among inputs of CWL; undefined: it may. */
export function whyNoCwlInput(
  key: string,
  around: Readonly<Record<string, unknown>>,
): string | undefined {
  if (DIRECTIVES.has(key)) return `inputs are values: ${key} is not followed in them`;
  if (fullName(key, around['$namespaces']) === OVERRIDES)
    return 'requirements of a tool belong in cwl:requirements: what overrides them is not judged';
  if (key === '$namespaces' && !hasOnlyPrefixes(around[key]))
    return '$namespaces of inputs maps short names to URLs';
  return key === 'id' && addressIn(around[key]) !== undefined && hasFile(around)
    ? 'an id that is a URL moves the files beside it to its host: give the key another name'
    : undefined;
}

const OVERRIDES = 'http://commonwl.org/cwltool#overrides';

/** The requirements among inputs; undefined: there are none. */
export function requirementsIn(inputs: unknown): unknown {
  if (!isRecord(inputs)) return undefined;
  const { $namespaces: namespaces, ...values } = inputs;
  return Object.entries(values).findLast(
    ([key]) => fullName(key, namespaces) === `${CWL}requirements`,
  )?.[1];
}

/** A prefix that looks like the path of a file would move that file. */
function hasOnlyPrefixes(namespaces: unknown): boolean {
  return (
    isRecord(namespaces) &&
    Object.entries(namespaces).every(
      ([name, url]) =>
        typeof url === 'string' && /^[a-z][\w.-]*$/i.test(name) && !/^(?:https?|file)$/i.test(name),
    )
  );
}

function hasFile(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasFile);
  if (!isRecord(value)) return false;
  const kind = value['class'];
  return kind === 'File' || kind === 'Directory' || Object.values(value).some(hasFile);
}
