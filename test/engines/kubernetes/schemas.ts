import { Deployment } from 'kubernetes-models/apps/v1';
import { Job } from 'kubernetes-models/batch/v1';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import { ConfigMap, Pod, Secret, Service } from 'kubernetes-models/v1';

type Model = new (data: never) => { validate: () => void };

/** The published schemas of the kinds that this project makes. */
const MODELS: Readonly<Record<string, Model>> = {
  Deployment,
  Job,
  NetworkPolicy,
  ConfigMap,
  Pod,
  Secret,
  Service,
};

const models = new Map(Object.entries(MODELS));

/** @returns the fault of an object by its kind's published schema, or undefined */
export function schemaProblem(object: {
  readonly kind: string;
  readonly [key: string]: unknown;
}): string | undefined {
  const Kind = models.get(object.kind);
  if (Kind === undefined) return `there is no schema for ${object.kind}`;
  try {
    // The constructors' types take one kind each, which is only known at run time.
    Reflect.construct(Kind, [structuredClone(object)]).validate();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
