import { isRecord } from '../../../src/words/record.ts';

/**
 * The faults of a notebook by the JSON schema of nbformat 4.5, written out; empty if it is valid.
 */
export function nbformatProblems(notebook: unknown): readonly string[] {
  if (!isRecord(notebook)) return ['no object'];
  const { cells, metadata, nbformat, nbformat_minor: minor } = notebook;
  if (nbformat !== 4 || minor !== 5 || !Array.isArray(cells) || !isRecord(metadata))
    return ['not a notebook 4.5'];
  const ids = cells.map((cell: unknown) => (isRecord(cell) ? cell['id'] : undefined));
  const { kernelspec, language_info: info } = metadata;
  return [
    ...onlyKeys('notebook', notebook, ['cells', 'metadata', 'nbformat', 'nbformat_minor']),
    ...(new Set(ids).size === ids.length ? [] : ['ids of cells are not unique']),
    ...(isRecord(kernelspec) && isText(kernelspec['name']) && isText(kernelspec['display_name'])
      ? []
      : ['metadata.kernelspec']),
    ...(isRecord(info) && isText(info['name']) ? [] : ['metadata.language_info']),
    ...cells.flatMap((cell: unknown, index) => cellProblems(`cells[${index}]`, cell)),
  ];
}

function onlyKeys(where: string, value: object, keys: readonly string[]): readonly string[] {
  const found = Object.keys(value);
  return [
    ...found.filter((key) => !keys.includes(key)).map((key) => `${where}.${key} is not allowed`),
    ...keys.filter((key) => !found.includes(key)).map((key) => `${where}.${key} is missing`),
  ];
}

function isText(value: unknown): boolean {
  return (
    typeof value === 'string' ||
    (Array.isArray(value) && value.every((line) => typeof line === 'string'))
  );
}

function cellProblems(where: string, cell: unknown): readonly string[] {
  if (!isRecord(cell)) return [`${where} is no object`];
  const { cell_type: kind, id, source, outputs, execution_count: count, ...rest } = cell;
  const common = [
    ...(typeof id === 'string' && /^[\w-]{1,64}$/.test(id) ? [] : [`${where}.id`]),
    ...(isText(source) ? [] : [`${where}.source`]),
    ...onlyKeys(where, rest, [
      'metadata',
      ...(isRecord(rest['attachments']) && kind !== 'code' ? ['attachments'] : []),
    ]),
  ];
  if (kind !== 'code') {
    const extra =
      outputs !== undefined || count !== undefined || !['markdown', 'raw'].includes(String(kind));
    return [...common, ...(extra ? [`${where} is not a ${String(kind)} cell`] : [])];
  }
  if (!Array.isArray(outputs) || !(count === null || Number.isInteger(count)))
    return [...common, `${where} is no code cell`];
  return [
    ...common,
    ...outputs.flatMap((output, index) => outputProblems(`${where}.outputs[${index}]`, output)),
  ];
}

function outputProblems(where: string, output: unknown): readonly string[] {
  if (!isRecord(output)) return [`${where} is no object`];
  switch (output['output_type']) {
    case 'stream':
      return [
        ...onlyKeys(where, output, ['output_type', 'name', 'text']),
        ...(['stdout', 'stderr'].includes(String(output['name'])) && isText(output['text'])
          ? []
          : [`${where} is no stream`]),
      ];
    case 'display_data':
      return [
        ...onlyKeys(where, output, ['output_type', 'data', 'metadata']),
        ...bundleProblems(where, output['data']),
      ];
    case 'execute_result':
      return [
        ...onlyKeys(where, output, ['output_type', 'execution_count', 'data', 'metadata']),
        ...bundleProblems(where, output['data']),
        ...(Number.isInteger(output['execution_count']) ? [] : [`${where}.execution_count`]),
      ];
    case 'error':
      return [
        ...onlyKeys(where, output, ['output_type', 'ename', 'evalue', 'traceback']),
        ...(Array.isArray(output['traceback']) && isText(output['traceback'])
          ? []
          : [`${where}.traceback`]),
      ];
    default:
      return [`${where}.output_type`];
  }
}

function bundleProblems(where: string, data: unknown): readonly string[] {
  if (!isRecord(data)) return [`${where}.data is no object`];
  return Object.entries(data)
    .filter(
      ([mime, value]) =>
        !/^[\w.+-]+\/[\w.+-]+$/.test(mime) || (!mime.endsWith('json') && !isText(value)),
    )
    .map(([mime]) => `${where}.data["${mime}"] is no text`);
}
