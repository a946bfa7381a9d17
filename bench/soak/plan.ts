/** Plans the timed steps of a soak test. Equal options give the same plan. */

/** Kinds of pods. A `raced` pod is a sidecar pod that started without the plugin. */
export type Kind = 'ambient' | 'sidecar' | 'outside' | 'raced'

/** Objects on the node that the soak test damages and the agent repairs. */
export const DAMAGES = ['list', 'binary', 'kubeconfig', 'token', 'host set', 'host rules', 'pod rules'] as const
export type Damage = (typeof DAMAGES)[number]

export type Step =
  | { readonly do: 'add'; readonly pod: number; readonly kind: Kind }
  | { readonly do: 'check' | 'del'; readonly pod: number }
  /** Adds the mesh label to a running pod, or removes the label. */
  | { readonly do: 'label'; readonly pod: number; readonly mesh: boolean }
  | { readonly do: 'damage'; readonly what: Damage; readonly pod: number }
  | { readonly do: 'restart'; readonly part: 'API server' | 'ztunnel' }

/** A planned step of the soak test, such as ADD, and its start in milliseconds. */
export type Timed = Step & { readonly at: number }

export interface PlanOptions {
  readonly seed: number
  readonly durationMs: number
  /** Number of pods that the soak test starts. */
  readonly adds: number
}

/** Number of running pods of each kind. It is constant, so that memory and times are comparable. */
const CROWD: Readonly<Record<Kind, number>> = { ambient: 20, sidecar: 8, outside: 6, raced: 2 }
const LABEL_EVERY = 7
/** Number of network list changes after which the agent's number of open replaced lists is constant. */
const FIRST_LISTS = 20
/** Interval between damages. Faster changes would look like a conflict with another program. */
const DAMAGE_MS = 10_000
const API_MS = 240_000
const ZTUNNEL_MS = 150_000

/** Plans all steps of the soak test, sorted by time. */
export function plan({ seed, durationMs, adds }: PlanOptions): Timed[] {
  const random = randomOf(seed)
  const live = new Map<Kind, number[]>()
  const steps: Timed[] = []
  const turns = kindSequence()
  let flipped: { readonly pod: number; readonly mesh: boolean } | undefined
  const some = (...kinds: readonly Kind[]): number | undefined => {
    const all = kinds.flatMap((kind) => live.get(kind) ?? [])
    return all[Math.floor(random() * all.length)]
  }
  for (let pod = 0; pod < adds; pod += 1) {
    const kind = turns[pod % turns.length] ?? 'ambient'
    const at = (share: number): number => durationMs * timeOf(pod + share, adds)
    const alike = live.get(kind) ?? []
    live.set(kind, alike)
    if (alike.length === CROWD[kind]) {
      const [gone] = alike.splice(Math.floor(random() * alike.length), 1)
      if (gone !== undefined) steps.push({ at: at(0), do: 'del', pod: gone })
      if (flipped?.pod === gone) flipped = undefined
    }
    steps.push({ at: at(0), do: 'add', pod, kind })
    alike.push(pod)
    steps.push({ at: at(0.4), do: 'check', pod: some('ambient', 'sidecar', 'outside', 'raced') ?? pod })
    if (pod % LABEL_EVERY !== 0) continue
    // Changes the label of one pod at a time, so that the mesh keeps nearly its size.
    const before: typeof flipped = flipped
    const other = before?.pod ?? some('ambient', 'outside')
    if (other === undefined) continue
    const mesh = before === undefined ? !(live.get('ambient') ?? []).includes(other) : !before.mesh
    flipped = before === undefined ? { pod: other, mesh } : undefined
    steps.push({ at: at(0.7), do: 'label', pod: other, mesh })
  }
  const every = (ms: number, step: (index: number) => Step): void => {
    const pause = Math.min(ms, durationMs / 3)
    for (let at = pause / 2, index = 0; at < durationMs; at += pause, index += 1) steps.push({ at, ...step(index) })
  }
  for (let index = 0; index < FIRST_LISTS; index += 1) {
    steps.push({ at: (index * durationMs) / 10 / FIRST_LISTS, do: 'damage', what: 'list', pod: 0 })
  }
  every(DAMAGE_MS, (index) => ({
    do: 'damage',
    what: DAMAGES[index % DAMAGES.length] ?? 'list',
    pod: Math.floor(random() * adds),
  }))
  every(ZTUNNEL_MS, () => ({ do: 'restart', part: 'ztunnel' }))
  every(API_MS, () => ({ do: 'restart', part: 'API server' }))
  return steps.sort((a, b) => a.at - b.at)
}

// internal

/** Start time of a pod, as a share of the soak test's total time. */
function timeOf(pods: number, adds: number): number {
  const crowd = Object.values(CROWD).reduce((sum, count) => sum + count, 0)
  return pods < crowd ? (0.1 * pods) / crowd : 0.1 + (0.9 * (pods - crowd)) / Math.max(1, adds - crowd)
}

/**
 * Sequence of pod kinds in which the soak test starts pods. Each kind appears `CROWD[kind]` times, at equal distances.
 */
function kindSequence(): Kind[] {
  const all = Object.entries(CROWD).flatMap(([kind, count]) =>
    Array.from({ length: count }, (_, index) => ({ kind: kind as Kind, order: (index + 0.5) / count })),
  )
  return all.sort((a, b) => a.order - b.order).map(({ kind }) => kind)
}

/** Generator of random numbers from 0 to below 1, by the algorithm Mulberry32. */
function randomOf(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
