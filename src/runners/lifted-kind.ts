import type { EngineKind } from './engine-kind.ts';

/**
 * What is known of an engine of one type, for callers that have an engine of any type.
 *
 * @param own its settings in such an engine
 */
export function liftedKind<Engine, Settings>(
  kind: EngineKind<Settings>,
  own: (engine: Engine) => Settings,
): EngineKind<Engine> {
  const {
    volumeProblem,
    grantsOutbound,
    lackOf,
    textLimitOf,
    devicesOf,
    forecastOf,
    isGuaranteed,
    leastMemoryOf,
    headOf,
    onThisMachine,
    runsImagesHere,
    environmentsOf,
    takesEnvironments,
    ...rest
  } = kind;
  return {
    ...rest,
    volumeProblem: (engine) => volumeProblem(own(engine)),
    textLimitOf: (engine) => textLimitOf(own(engine)),
    ...(grantsOutbound && { grantsOutbound: (engine) => grantsOutbound(own(engine)) }),
    ...(lackOf && { lackOf: (engine, type) => lackOf(own(engine), type) }),
    ...(devicesOf && { devicesOf: (engine) => devicesOf(own(engine)) }),
    ...(forecastOf && { forecastOf: (engine) => forecastOf(own(engine)) }),
    ...(isGuaranteed && { isGuaranteed: (engine) => isGuaranteed(own(engine)) }),
    ...(headOf && { headOf: (engine, type) => headOf(own(engine), type) }),
    ...(leastMemoryOf && { leastMemoryOf: (engine, type) => leastMemoryOf(own(engine), type) }),
    ...(onThisMachine && { onThisMachine: (engine) => onThisMachine(own(engine)) }),
    ...(environmentsOf && { environmentsOf: (engine) => environmentsOf(own(engine)) }),
    ...(takesEnvironments && {
      takesEnvironments: {
        ...takesEnvironments,
        otherwise: (engine) => takesEnvironments.otherwise(own(engine)),
      },
    }),
    ...(runsImagesHere && { runsImagesHere: (engine) => runsImagesHere(own(engine)) }),
  };
}
