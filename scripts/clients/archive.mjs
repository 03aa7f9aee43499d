// Reads packages: wheels are ZIP archives, the others are tar files.
import { gunzipSync } from 'node:zlib';
import { unzipSync } from 'fflate';
import { extract } from 'tar-stream';

/** @returns {Promise<Map<string, Buffer>>} the content of each file by its name */
export function filesOf(/** @type {string} */ path, /** @type {Buffer} */ bytes) {
  return path.endsWith('.whl') ? zipped(bytes) : tarred(gunzipSync(bytes));
}

async function zipped(/** @type {Buffer} */ bytes) {
  const files = Object.entries(unzipSync(bytes)).filter(([name]) => !name.endsWith('/'));
  return new Map(files.map(([name, content]) => [name, Buffer.from(content)]));
}

async function tarred(/** @type {Buffer} */ bytes) {
  const files = new Map();
  const tar = extract();
  tar.end(bytes);
  for await (const entry of tar) {
    const parts = [];
    for await (const part of entry) parts.push(part);
    if (entry.header.type === 'file') files.set(entry.header.name, Buffer.concat(parts));
  }
  return files;
}
