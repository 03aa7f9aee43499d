import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isExactNumber, parsedExactJson } from '../../../../src/runners/workflows/exact-json.ts';
import { isRecord, textOf } from '../../../../src/words/record.ts';

/** The output object of a job, with its files below a folder. */
export async function fetchOutputs(job: string, folder: string): Promise<unknown> {
  const base = `${job}/results/output`;
  const response = await fetch(base);
  if (response.status !== 200) throw new Error(`${response.status} from ${base}`);
  return placed(parsedExactJson(await response.text()), base, folder);
}

async function placed(value: unknown, base: string, folder: string): Promise<unknown> {
  if (Array.isArray(value)) {
    const items: unknown[] = [];
    for (const item of value) items.push(await placed(item, base, folder));
    return items;
  }
  if (!isRecord(value) || isExactNumber(value)) return value;
  const name = textOf(value['basename']);
  const isDirectory = value['class'] === 'Directory';
  const path = isDirectory ? await directoryAt(folder, name) : folder;
  const inner: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value))
    inner[key] = await placed(item, base, key === 'listing' ? path : folder);
  if (isDirectory) return { ...inner, ...placeOf(path) };
  if (value['class'] !== 'File' || typeof value['location'] !== 'string') return inner;
  const file = await freePath(folder, name);
  const response = await fetch(new URL(value['location'], base));
  if (response.status !== 200) throw new Error(`${response.status} for the output ${name}`);
  await writeFile(file, Buffer.from(await response.arrayBuffer()));
  return { ...inner, ...placeOf(file) };
}

async function directoryAt(folder: string, name: string): Promise<string> {
  const path = await freePath(folder, name);
  await mkdir(path, { recursive: true });
  return path;
}

function placeOf(path: string): object {
  return { path, location: pathToFileURL(path).href };
}

/** Files of different steps may have the same name, which they keep in a folder of their own. */
async function freePath(folder: string, name: string): Promise<string> {
  const path = join(folder, name);
  return existsSync(path) ? join(await mkdtemp(join(folder, 'again-')), name) : path;
}
