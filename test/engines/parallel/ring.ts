import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { needs, type Missing } from '../packages.ts';

/** A program of MPI that tests compile. */
export type Ring = {
  /** readable by everybody */
  readonly folder: string;
  /** each rank adds one to a token that goes round; then all wait for a file, if they get its name */
  readonly program: string;
  readonly close: () => void;
};

/** @returns why there is no MPI */
export function mpiMissing(): Missing {
  return needs('openmpi-bin', 'libopenmpi-dev');
}

/** The first rank prints `ring of 4 gave 4`, if the token came by the other three. */
const SOURCE = `
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv) {
  int rank, size, token = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (rank > 0) {
    MPI_Recv(&token, 1, MPI_INT, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    token++;
  }
  if (size > 1) MPI_Send(&token, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    if (size > 1) MPI_Recv(&token, 1, MPI_INT, size - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("ring of %d gave %d\\n", size, token);
    fflush(stdout);
  }
  while (argc > 1 && access(argv[1], F_OK) != 0) usleep(20000);
  MPI_Finalize();
  return 0;
}
`;

/** Compiles the program. */
export function compileRing(): Ring {
  const folder = mkdtempSync('/var/tmp/ring-');
  chmodSync(folder, 0o755);
  const program = join(folder, 'ring');
  writeFileSync(join(folder, 'ring.c'), SOURCE);
  execFileSync('mpicc', ['-o', program, join(folder, 'ring.c')], { timeout: 200_000 });
  return { folder, program, close: () => rmSync(folder, { recursive: true, force: true }) };
}
