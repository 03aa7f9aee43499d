import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { needs, type Missing } from '../packages.ts';

const VERSION = '24.10.0';
/** Kept between runs: 40 MB. */
const HERE = join(tmpdir(), `planner-test-nextflow-${VERSION}-1`);

/** The launcher of Nextflow, which has the jars of Maven Central. */
export const NEXTFLOW = join(HERE, 'nextflow');

/** Brings Nextflow if it is missing. @returns why it is not available */
export function nextflowMissing(): Missing {
  const missing = needs('default-jre-headless', 'maven', 'bubblewrap');
  if (missing !== undefined || existsSync(NEXTFLOW)) return missing;
  const draft = mkdtempSync(`${HERE}-`);
  chmodSync(draft, 0o755);
  writeFileSync(join(draft, 'pom.xml'), POM);
  const words = ['-q', '-B', 'dependency:copy-dependencies', `-DoutputDirectory=${draft}/lib`];
  const { status } = spawnSync('mvn', words, { cwd: draft, timeout: 600_000 });
  if (status !== 0) return 'Maven Central does not give Nextflow';
  mkdirSync(join(draft, 'lib'), { recursive: true });
  writeFileSync(join(draft, 'nextflow'), LAUNCHER, { mode: 0o755 });
  renameSync(draft, HERE);
  return undefined;
}

const POM = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>tests</groupId><artifactId>nextflow</artifactId><version>1</version>
  <dependencies><dependency>
    <groupId>io.nextflow</groupId><artifactId>nextflow</artifactId><version>${VERSION}</version>
  </dependency></dependencies>
</project>
`;

const OPENED = [
  'java.lang',
  'java.io',
  'java.nio',
  'java.net',
  'java.util',
  'java.util.concurrent',
  'java.util.concurrent.locks',
  'java.util.concurrent.atomic',
  'sun.nio.ch',
  'sun.nio.fs',
  'sun.net.www.protocol.http',
  'sun.net.www.protocol.https',
];

const OPENS = OPENED.map((name) => `--add-opens=java.base/${name}=ALL-UNNAMED`).join(' ');

/** As Nextflow's own launcher does it, without looking for another version; wherever it lies. */
const LAUNCHER = `#!/bin/sh
export NXF_HOME=$HOME/.nextflow
exec java -Xmx400m -Djava.io.tmpdir="$NXF_TEMP" ${OPENS} \\
  -cp "$(dirname "$0")/lib/*" nextflow.cli.Launcher "$@"
`;
