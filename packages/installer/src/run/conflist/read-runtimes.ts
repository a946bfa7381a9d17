import type { Change } from '../../change.ts'
import { candidatesOf } from '../../conf/candidate.ts'
import { type ConfFacts, confFacts } from '../../conf/conf-facts.ts'
import { judgeReadings, type RuntimeReading, readingsOf } from '../../conf/runtime-readings.ts'
import type { NetFiles } from '../../files/net-folder.ts'
import type { Health } from '../../health.ts'
import type { Settings } from '../../options.ts'

/** Network choices of container runtimes. `undefined` in standalone mode, where Multus calls the plugin instead. */
export function readRuntimes(
  { mode, type }: Settings,
  files: Pick<NetFiles, 'facts' | 'candidates'>,
): RuntimeReading[] | undefined {
  return mode === 'standalone' ? undefined : readingsOf(files, type)
}

/**
 * Determines which network each container runtime will choose from the CNI network folder after the planned changes.
 */
export function readRuntimesAfter(
  settings: Settings,
  files: NetFiles,
  changes: readonly Change[],
): RuntimeReading[] | undefined {
  const facts = new Map<string, ConfFacts>(files.facts)
  for (const [name, text] of changes.flatMap(({ texts = [] }) => [...texts])) {
    if (text === undefined) facts.delete(name)
    else facts.set(name, confFacts(name, Buffer.from(text), settings.type))
  }
  return readRuntimes(settings, { facts, candidates: candidatesOf(facts) })
}

/** Changes the state of a correct configuration file to `waiting` while no container runtime runs the plugin. */
export function withVerdict(
  health: readonly Health[],
  readings: readonly RuntimeReading[] | undefined,
  { runtime, type }: Settings,
): Health[] {
  if (readings === undefined) return [...health]
  const { verdict, relevant } = judgeReadings(readings, runtime)
  if (verdict !== 'fail') return [...health]
  const steps = new Set(relevant.flatMap(({ next }) => next ?? []))
  const reason = `no pod gets ${type}: ${relevant.map(({ text }) => text).join('; ')}. Next: ${[...steps].join('; ')}`
  return health.map((one) =>
    one.artefact === 'conflist' && one.state === 'ok' ? { ...one, state: 'waiting', reason } : one,
  )
}
