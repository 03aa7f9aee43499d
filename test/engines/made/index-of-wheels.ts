import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';

/** A package of the index: what it needs, and the code of its module. */
type Wheel = {
  readonly name: string;
  readonly version: string;
  readonly requires?: readonly string[];
  readonly code?: string;
};

/** A simple index of packages on this machine. */
export type WheelIndex = {
  readonly url: string;
  /** the paths that were asked for */
  readonly asked: string[];
  /** whether it answers; a number: the status of every answer */
  mode: 'answers' | 'hangs' | number;
  /** Puts bytes that are no wheel where one is expected. */
  readonly breakWheel: (name: string) => void;
  readonly close: () => Promise<void>;
};

const WRITE = `
import sys, json, zipfile
for wheel, path in json.load(sys.stdin):
    name, version = wheel["name"], wheel["version"]
    info = f"{name}-{version}.dist-info"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(f"{name}.py", wheel.get("code") or f"VERSION = {version!r}\\n")
        needs = "".join(f"Requires-Dist: {one}\\n" for one in wheel.get("requires", []))
        head = f"Metadata-Version: 2.1\\nName: {name}\\nVersion: {version}\\n"
        archive.writestr(f"{info}/METADATA", head + needs)
        kind = "Root-Is-Purelib: true\\nTag: py3-none-any\\n"
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\\nGenerator: test\\n" + kind)
        archive.writestr(f"{info}/RECORD", "")
`;

/** Writes wheels into a folder and serves them on a free port. */
export async function serveWheels(
  folder: string,
  python: string,
  wheels: readonly Wheel[],
): Promise<WheelIndex> {
  const pathOf = ({ name, version }: Wheel): string => {
    mkdirSync(join(folder, name), { recursive: true });
    return join(folder, name, `${name}-${version}-py3-none-any.whl`);
  };
  const { status, stderr } = spawnSync(python, ['-I', '-c', WRITE], {
    input: JSON.stringify(wheels.map((one) => [one, pathOf(one)])),
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  const index: Omit<WheelIndex, 'url'> = {
    asked: [],
    mode: 'answers',
    breakWheel: (name) => {
      mkdirSync(join(folder, name), { recursive: true });
      writeFileSync(join(folder, name, `${name}-1.0-py3-none-any.whl`), 'this is no archive');
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  const server = createServer(({ url = '' }, response) => {
    index.asked.push(url);
    if (index.mode === 'hangs') return;
    if (typeof index.mode === 'number') {
      response.writeHead(index.mode).end();
      return;
    }
    const [name = '', file] = url.split('/').slice(2);
    try {
      if (file === undefined || file === '') {
        const links = readdirSync(join(folder, name)).map((one) => `<a href="${one}">${one}</a>`);
        response.setHeader('Content-Type', 'text/html').end(links.join('\n'));
      } else response.end(readFileSync(join(folder, name, file)));
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return Object.assign(index, { url: `http://127.0.0.1:${port}/simple` });
}
