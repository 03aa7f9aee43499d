import { describe, expect, test } from '@jest/globals';
import {
  containerBody,
  imageVolumes,
  type ContainerProgram,
} from '../../../src/runners/container/create/body.ts';
import type {
  ContainerDevice,
  ContainerSettings,
} from '../../../src/runners/container/settings.ts';
import { directoryOf } from '../../../src/runners/run/directory.ts';
import { shell } from '../workloads.ts';
import { containerSettings } from './settings.ts';

const settings = containerSettings({ address: { kind: 'unix', path: '/run/engine.sock' } });
const program: ContainerProgram = {
  entrypoint: undefined,
  command: undefined,
  environment: { HOME: '/root', GREETING: 'hello' },
  network: 'none',
};
const volumes = [
  { name: 'in', path: '/data/in', mode: 'r' },
  { name: 'data', path: '/data', mode: 'rw' },
] as const;
const work = shell('true', { cores: 1.5, memory: 100, scratch: 7, volumes });
const place = directoryOf('/jobs', work.job);
function bodyOf(
  more: Partial<ContainerProgram> = {},
  site: Partial<ContainerSettings> = {},
  podman = false,
  devices: readonly ContainerDevice[] = [],
) {
  return containerBody(
    work,
    place,
    { ...program, ...more },
    {
      image: 'sha256:1',
      own: [],
      user: '61184:61184',
      podman,
      settings: { ...settings, ...site },
      devices,
    },
  );
}

describe('what an engine is told of a job', () => {
  test('is what was offered', () => {
    expect(bodyOf()).toMatchObject({
      Image: 'sha256:1',
      User: '61184:61184',
      WorkingDir: '/job',
      HostConfig: {
        Memory: 100 * 2 ** 20,
        MemorySwap: 100 * 2 ** 20,
        CpuPeriod: 100_000,
        CpuQuota: 150_000,
        PidsLimit: 100,
      },
    });
  });

  test('leaves entry point and command to the image when the ask names none', () => {
    expect(Object.keys(bodyOf())).not.toEqual(expect.arrayContaining(['Entrypoint']));
    expect(Object.keys(bodyOf())).not.toEqual(expect.arrayContaining(['Cmd']));
    expect(bodyOf({ entrypoint: ['a'], command: [] })).toMatchObject({
      Entrypoint: ['a'],
      Cmd: [],
    });
  });

  test('always names the network, which is none unless task and site both ask for one', () => {
    expect(bodyOf()).toMatchObject({ NetworkDisabled: true, HostConfig: { NetworkMode: 'none' } });
    expect(bodyOf({}, { outbound: 'science' })).toMatchObject({
      HostConfig: { NetworkMode: 'none' },
    });
    expect(bodyOf({ network: 'outbound' })).toMatchObject({ HostConfig: { NetworkMode: 'none' } });
    expect(bodyOf({ network: 'outbound' }, { outbound: 'science' })).toMatchObject({
      NetworkDisabled: false,
      HostConfig: { NetworkMode: 'science' },
    });
  });

  test('grants no right on the machine', () => {
    expect(bodyOf({}, {}, true)).toMatchObject({
      HostConfig: {
        Privileged: false,
        CapDrop: ['ALL'],
        SecurityOpt: ['no-new-privileges'],
        ReadonlyRootfs: true,
      },
    });
  });

  test('includes the devices that were lent to the job, each file once, and names them to its programs', () => {
    const { Env, HostConfig } = Object(
      bodyOf({ environment: { NVIDIA_VISIBLE_DEVICES: 'all' } }, {}, false, [
        { id: 'GPU-1', files: ['/dev/nvidia1', '/dev/nvidiactl'], cdi: undefined },
        { id: 'GPU-2', files: ['/dev/nvidia2', '/dev/nvidiactl'], cdi: undefined },
        { id: 'GPU-3', files: [], cdi: 'nvidia.com/gpu=3' },
      ]),
    );
    expect(HostConfig).toMatchObject({
      Devices: ['/dev/nvidia1', '/dev/nvidiactl', '/dev/nvidia2'].map((path) => ({
        PathOnHost: path,
        PathInContainer: path,
        CgroupPermissions: 'rw',
      })),
      DeviceRequests: [{ Driver: 'cdi', DeviceIDs: ['nvidia.com/gpu=3'] }],
    });
    expect(Env.filter((line: string) => line.includes('VISIBLE'))).toEqual([
      'NVIDIA_VISIBLE_DEVICES=GPU-1,GPU-2,GPU-3',
      'CUDA_VISIBLE_DEVICES=GPU-1,GPU-2,GPU-3',
      'ROCR_VISIBLE_DEVICES=GPU-1,GPU-2,GPU-3',
    ]);
  });

  test('includes no device for a job that was promised none, whatever its image or its ask says', () => {
    const { Env, HostConfig } = Object(bodyOf({ environment: { NVIDIA_VISIBLE_DEVICES: 'all' } }));
    expect([HostConfig.Devices, HostConfig.DeviceRequests]).toEqual([undefined, undefined]);
    expect(Env).toContain('NVIDIA_VISIBLE_DEVICES=none');
  });

  test('mounts outer places before inner ones', () => {
    const { HostConfig } = Object(bodyOf());
    const targets: string[] = HostConfig.Mounts.map(({ Target }: { Target: string }) => Target);
    expect(targets.indexOf('/data')).toBeLessThan(targets.indexOf('/data/in'));
    expect(HostConfig.Mounts).toContainEqual({
      Type: 'bind',
      Source: `/jobs/${work.job}/volumes/in`,
      Target: '/data/in',
      ReadOnly: true,
    });
  });

  test('lets no variable of the ask replace one of ours', () => {
    const { Env } = Object(bodyOf());
    expect(Env).toEqual([
      'HOME=/job',
      'GREETING=hello',
      'CUDA_VISIBLE_DEVICES=',
      'NVIDIA_VISIBLE_DEVICES=none',
      'ROCR_VISIBLE_DEVICES=',
      'TMPDIR=/tmp',
      `PLANNER_JOB_ID=${work.job}`,
      'OMP_NUM_THREADS=1',
      'VOLUME_IN=/data/in',
      'VOLUME_DATA=/data',
    ]);
  });

  test('has a directory of the job for each volume of the image, but for those that the ask mounts', () => {
    expect(imageVolumes(['/declared/', '/data', '/', '/tmp', '/x/../y'], volumes, place)).toEqual([
      { source: `/jobs/${work.job}/volumes/.image-0`, target: '/declared', readOnly: false },
      { source: `/jobs/${work.job}/volumes/.image-1`, target: '/y', readOnly: false },
    ]);
  });
});
