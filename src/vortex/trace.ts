import { PyDict, PyList, repr, str } from '../python/index.ts';
import type { AmountsText, Clause, TraceStep } from './decision.ts';
import type { Entity } from './entity.ts';
import type { Ending } from './exceptions.ts';

/** Collects what happened, as data (1.21). Handed along as an argument: rules cannot see it. */
export class Trace {
  readonly steps: TraceStep[] = [];

  add(step: TraceStep): void {
    this.steps.push(step);
  }

  combined(parts: readonly Entity[], result: Entity): void {
    const names = parts.map((part) => `${part.cls.name}(${part.id})`);
    this.add({ step: 'combined', parts: names, amounts: amountsText(result), scheduling: result.tags.toJSON() });
  }

  ruleMatched(rule: Entity, condition: string | boolean): void {
    const matched = { amounts: amountsText(rule), scheduling: rule.tags.toJSON() };
    this.add({ step: 'rule', rule: rule.id, condition: conditionText(condition), matched });
  }

  ruleNotMatched(rule: Entity, condition: string | boolean): void {
    this.add({ step: 'rule', rule: rule.id, condition: conditionText(condition), matched: null });
  }

  resources(entity: Entity): void {
    this.add({ step: 'resources', amounts: amountsText(entity) });
  }

  matched(destination: Entity): void {
    const accepted = destination.destination?.accepted;
    const capacity = {
      cores: str(accepted?.max_accepted_cores ?? null),
      mem: str(accepted?.max_accepted_mem ?? null),
      gpus: str(accepted?.max_accepted_gpus ?? null),
    };
    this.add({ step: 'destination-matched', destination: destination.id, capacity });
  }

  refused(destination: Entity, clauses: readonly Clause[], job: Entity): void {
    this.add({
      step: 'destination-refused',
      destination: destination.id,
      clauses,
      amounts: amountsText(job),
      job: job.tags.toJSON(),
      scheduling: destination.scheduling,
    });
  }

  chosen(destination: string, entity: Entity): void {
    const runner = str(entity.destination?.runner ?? null);
    this.add({
      step: 'chosen',
      destination,
      runner,
      amounts: amountsText(entity),
      params: repr(entity.params ?? new PyDict()),
      env: repr(entity.env ?? new PyList([])),
    });
  }

  stopped(destination: string, { verdict, tryNext }: Ending): void {
    this.add({ step: 'destination-stopped', destination, verdict, tryNext });
  }
}

function amountsText(entity: Entity): AmountsText {
  const { cores, mem, gpus } = entity.amounts;
  return { cores: str(cores), mem: str(mem), gpus: str(gpus) };
}

function conditionText(condition: string | boolean): string {
  return typeof condition === 'string' ? condition : condition ? 'True' : 'False';
}
