import { JOBS } from '../manifests/pod.ts';
import { memoryQuantity } from '../manifests/quantity.ts';
import { fieldsAt, listAt, only, ownName, refuseChart, textAt } from './checked.ts';

/** Kinds of volumes that are the chart's own; claims, the node's directories and tokens are not. */
const SOURCES = ['emptyDir', 'configMap', 'secret'] as const;

/**
 * The volumes of a chart's pod.
 *
 * @param scratch MiB that each empty directory may hold at most
 */
export function volumesAt(
  value: unknown,
  place: string,
  release: string,
  scratch: number,
): readonly object[] {
  return listAt(value, place).map((item, index) => {
    const at = `${place}[${index}]`;
    const volume = only(item, at, ['name', ...SOURCES]);
    const name = textAt(volume['name'], `${at}.name`);
    if (name === JOBS) refuseChart(`${at}.name`, `'${JOBS}' is the name of the job's own volume`);
    const kinds = SOURCES.filter((source) => volume[source] !== undefined);
    const [kind] = kinds;
    if (kind === undefined || kinds.length > 1)
      return refuseChart(at, `a volume has one of ${SOURCES.join(', ')}`);
    // On the node's disc, not in its memory, and bounded.
    if (kind === 'emptyDir') {
      only(volume.emptyDir, `${at}.emptyDir`, ['sizeLimit']);
      return { name, emptyDir: { sizeLimit: memoryQuantity(scratch) } };
    }
    const key = kind === 'secret' ? 'secretName' : 'name';
    const source = only(volume[kind], `${at}.${kind}`, [key, 'items', 'defaultMode', 'optional']);
    ownName(source[key], `${at}.${kind}.${key}`, release);
    return { name, [kind]: source };
  });
}

/** The chart's mounts; none of them may mount the job's own volume. */
export function chartMounts(value: unknown, place: string): readonly object[] {
  return listAt(value, place).map((item, index) => {
    const at = `${place}[${index}]`;
    const mount = only(item, at, ['name', 'mountPath', 'subPath', 'readOnly']);
    if (mount['name'] === JOBS)
      refuseChart(`${at}.name`, 'the directory of all jobs is not for charts');
    return mount;
  });
}

/** The environment of a container: values, and references to the chart's own configuration. */
export function environmentAt(value: unknown, place: string, release: string): readonly object[] {
  return listAt(value, place).map((item, index) => {
    const at = `${place}[${index}]`;
    const variable = only(item, at, ['name', 'value', 'valueFrom']);
    const from = only(variable['valueFrom'], `${at}.valueFrom`, [
      'configMapKeyRef',
      'secretKeyRef',
      'fieldRef',
    ]);
    for (const key of ['configMapKeyRef', 'secretKeyRef'] as const) {
      if (from[key] !== undefined)
        ownName(
          fieldsAt(from[key], `${at}.valueFrom.${key}`)['name'],
          `${at}.valueFrom.${key}.name`,
          release,
        );
    }
    return variable;
  });
}

/** `envFrom` of a container. */
export function environmentFrom(value: unknown, place: string, release: string): readonly object[] {
  return listAt(value, place).map((item, index) => {
    const at = `${place}[${index}]`;
    const source = only(item, at, ['prefix', 'configMapRef', 'secretRef']);
    for (const key of ['configMapRef', 'secretRef'] as const) {
      if (source[key] !== undefined)
        ownName(fieldsAt(source[key], `${at}.${key}`)['name'], `${at}.${key}.name`, release);
    }
    return source;
  });
}
