import fc from 'fast-check';
import type { JobDescription } from '../../src/vortex/index.ts';
import { jobOf } from './job.ts';

/**
 * Rules that change entities in every way that is shared between jobs, or
 * remembered from one to the next.
 */
export const BUSY = `
global: {default_inherits: default, context: {list: [1], grade: low}}
tools:
  default:
    abstract: true
    cores: 2
    mem: cores * 2.5
    params: {native: '--cpus {cores}', nested: {list: [a, '{mem}'], fixed: 1.0}}
    env: [{name: A, value: '{mem}'}, {name: B, value: plain}]
    context: {own: [1], word: x}
    rules:
      - {id: size, if: input_size > 5, cores: 8, context: {word: y}}
      - id: mark
        if: user and user.username == 'ann'
        execute: |
          entity.params['owner'] = user.email
          list.append(2)
          own.append(len(own))
      - id: count
        if: "'many' in tool.id"
        execute: |
          entity.params['seen'] = len(list) + len(own)
          entity.params.pop('nested', None)
          entity.mem = 3.0
      - id: tags
        if: "'tag' in tool.id"
        execute: entity.tpv_tags.prefer.append('fast')
      - {id: plain, if: "'plain' in tool.id", params: {extra: '{word}'}, scheduling: {require: [big]}}
  .*gpu.*: {gpus: 1, scheduling: {require: [gpu]}}
  bwa.*: {cores: 4, max_mem: 9}
roles:
  staff.*: {params: {project: staff}, scheduling: {prefer: [big]}}
users:
  ann.*: {max_cores: 6}
destinations:
  default: {abstract: true, runner: slurm}
  small: {max_accepted_cores: 2, params: {queue: small}}
  big:
    scheduling: {accept: [big, fast]}
    params: {queue: 'big{cores}'}
    rules:
      - {id: room, if: entity.gpus or 0 > 0, fail: no room}
      - {id: note, if: "'plain' in tool.id", execute: "entity.params['queue'] = 'noted'"}
  gpu:
    scheduling: {require: [gpu]}
    max_accepted_mem: 20
    resubmit: {again: {condition: memory, destination: '{params["native"]}'}}
`;

/** Jobs that meet each of them. */
export const jobs = fc
  .record({
    id: fc.constantFrom('bwa', 'many', 'many_tag', 'plain', 'gpu/plain', 'tag_bwa', 'other'),
    user: fc.constantFrom(null, 'ann', 'bob'),
    role: fc.constantFrom('staff_a', 'guest'),
    size: fc.constantFrom(0, 4, 9),
  })
  .map(({ id, user, role, size }): JobDescription =>
    jobOf(id, {
      user: user === null ? null : { email: `${user}@example.org`, username: user },
      roles: [{ name: role }],
      inputs: [{ name: 'input', sizeBytes: size * 1024 ** 3 }],
    }),
  );
