import { setTimeout as sleep } from 'node:timers/promises'
import { isRunError } from '@cni/host'
import { messageOf } from '@cni/types'
import { hideProcess, makePod, NAMESPACE, showProcess } from '../lib/ambient/ambient-pods.ts'
import { until } from '../lib/until.ts'
import { damaged } from './damage.ts'
import { type SoakNode, SPARING } from './node.ts'
import type { Kind, Step } from './plan.ts'
import { isAsLabelled, publish, rulesIn, type SoakPod } from './pods.ts'
import { newTrouble, type Tally } from './tally.ts'

/** Runs the planned steps of the soak test on the node's pods, such as ADD, DEL or a damage. */
export interface Life extends Disposable {
  /** Starts a planned step without waiting. Steps of the same pod run in sequence. */
  begin(step: Step): void
  /** Number of started steps, such as ADD or DEL, that have not finished. */
  readonly open: number
  /** Resolves when all started steps of pods and node have finished. */
  settled(): Promise<void>
  readonly pods: ReadonlyMap<number, SoakPod>
  /** Map from a pod kind to its expected rules: the rules of the first pod of this kind. */
  readonly reference: ReadonlyMap<Kind, string>
}

/** Maximum number of plugin calls that run in parallel. */
const AT_ONCE = 6
/** Milliseconds in which the soak test repeats the failed ADD of a new pod. */
const START_MS = 90_000
/** Process id of the first pod in the simulated `/proc`. */
const FIRST_PID = 1000

export function newLife(node: SoakNode, tally: Tally): Life {
  const { api } = node
  const pods = new Map<number, SoakPod>()
  const reference = new Map<Kind, string>()
  const trouble = newTrouble()
  const hurt = new Set<number>()
  const turns = new Map<number | 'node', Promise<void>>()
  const open = new Set<Promise<void>>()
  const slots = slotsOf(AT_ONCE)

  const called = (verb: 'ADD' | 'CHECK' | 'DEL', pod: SoakPod): Promise<void> =>
    slots(async () => {
      const began = performance.now()
      await node.call(verb, pod)
      tally.took(verb, performance.now() - began)
    })
  /** A call may fail only during a disturbance, such as a server's restart or a damaged file. */
  const excused = (verb: string, pod: SoakPod, began: number, error: unknown): void => {
    if (trouble.since(began)) tally.failed(verb)
    else tally.wrong(`${verb} of ${pod.kind} pod ${pod.name}: ${words(error)}`)
  }

  const add = async (index: number, kind: Kind): Promise<void> => {
    const first = performance.now()
    const name = `soak-${index}`
    let uid: string | undefined
    for (;;) {
      const began = performance.now()
      const made = await makePod(name, index)
      const pod: SoakPod = { ...made, uid: uid ?? made.uid, kind, mesh: kind === 'ambient' }
      uid = pod.uid
      publish(api, pod, false)
      showProcess(node.path(), FIRST_PID + index, pod)
      try {
        if (kind === 'raced') await repaired(pod)
        else await called('ADD', pod)
        if (pod.mesh && !isAsLabelled(api, pod)) tally.wrong(`${name} is not enrolled after its ADD`)
        publish(api, pod, true)
        pods.set(index, pod)
        if (!reference.has(kind)) reference.set(kind, await rulesIn(pod.netns))
        return
      } catch (error) {
        excused('ADD', pod, began, error)
        await called('DEL', pod).catch((failure) => excused('DEL', pod, began, failure))
        await ended(index, pod)
        if (performance.now() - first > START_MS) throw error
        await sleep(500)
      }
    }
  }
  /** Starts the pod without calling the plugin. Waits until the agent has written the pod's rules. */
  const repaired = async (pod: SoakPod): Promise<void> => {
    const began = performance.now()
    publish(api, pod, true)
    await until(async () => (await rulesIn(pod.netns)) !== '', `${pod.name} is repaired`, SPARING)
    tally.took('repair', performance.now() - began)
  }
  const del = async (index: number, pod: SoakPod): Promise<void> => {
    for (let tries = 1; ; tries += 1) {
      const began = performance.now()
      try {
        await called('DEL', pod)
        break
      } catch (error) {
        excused('DEL', pod, began, error)
        if (tries === 20) break
        await sleep(500)
      }
    }
    await ended(index, pod)
    api.deletePod(NAMESPACE, pod.name)
    pods.delete(index)
  }
  const ended = async (index: number, { netns }: SoakPod): Promise<void> => {
    hideProcess(node.path(), FIRST_PID + index)
    await netns[Symbol.asyncDispose]()
  }
  const label = async (index: number, before: SoakPod, mesh: boolean): Promise<void> => {
    const began = performance.now()
    const pod = { ...before, mesh }
    pods.set(index, pod)
    publish(api, pod, true)
    const what = `${pod.name} is ${mesh ? 'in the mesh' : 'out of the mesh'}`
    await until(() => isAsLabelled(api, pod), what)
    tally.took(mesh ? 'label' : 'label removed', performance.now() - began)
  }
  const check = async (index: number, pod: SoakPod): Promise<void> => {
    const began = performance.now()
    try {
      await called('CHECK', pod)
    } catch (error) {
      if (hurt.has(index)) tally.failed('CHECK')
      else excused('CHECK', pod, began, error)
    }
  }
  const damage = async ({ what, pod: number }: Extract<Step, { do: 'damage' }>): Promise<void> => {
    const inMesh = [...pods].filter(([, { mesh }]) => mesh)
    const [index = -1, pod] = inMesh[number % inMesh.length] ?? []
    const began = performance.now()
    if (what === 'pod rules') hurt.add(index)
    try {
      const work = () => damaged(what, node, pod)
      await (what === 'binary' || what === 'token' ? trouble.during(work) : work())
      tally.took(`heal: ${what}`, performance.now() - began)
    } catch (error) {
      // Ignores the error if the damaged pod was deleted or left the mesh before the repair.
      if (pod !== undefined && pods.get(index) !== pod) return
      if (trouble.since(began)) tally.failed(`heal: ${what}`)
      else tally.wrong(`heal: ${what}: ${words(error)}`)
    } finally {
      hurt.delete(index)
    }
  }
  const restart = async (part: 'API server' | 'ztunnel'): Promise<void> => {
    const began = performance.now()
    await trouble.during(() => (part === 'ztunnel' ? node.restartZtunnel() : node.restartApi()))
    tally.took(`restart: ${part}`, performance.now() - began)
  }
  const worked = async (step: Step): Promise<void> => {
    if (step.do === 'damage') return damage(step)
    if (step.do === 'restart') return restart(step.part)
    if (step.do === 'add') return add(step.pod, step.kind)
    const pod = pods.get(step.pod)
    // The pod is missing because its ADD has failed. The failure is already recorded, so skip the step.
    if (pod === undefined) return
    if (step.do === 'label') return label(step.pod, pod, step.mesh)
    return step.do === 'check' ? check(step.pod, pod) : del(step.pod, pod)
  }
  return {
    pods,
    reference,
    get open() {
      return open.size
    },
    begin(step) {
      const key = turnOf(step)
      const before = key === undefined ? undefined : turns.get(key)
      const work = (before ?? Promise.resolve())
        .then(() => worked(step))
        .catch((error: unknown) => tally.wrong(`${step.do}: ${words(error)}`))
        .finally(() => {
          open.delete(work)
          if (key !== undefined && turns.get(key) === work) turns.delete(key)
        })
      open.add(work)
      if (key !== undefined) turns.set(key, work)
    },
    async settled() {
      while (open.size > 0) await Promise.all(open)
    },
    [Symbol.dispose]: () => trouble[Symbol.dispose](),
  }
}

// internal

/** Returns the key of a step: steps with equal keys run in sequence. Pod rule damage has no key: its repair is slow. */
const turnOf = (step: Step): number | 'node' | undefined => {
  if (step.do === 'damage') return step.what === 'pod rules' ? undefined : 'node'
  return step.do === 'restart' ? 'node' : step.pod
}

/** Limits the number of functions that run in parallel. Waiting functions start in the order of their calls. */
function slotsOf(most: number): <T>(work: () => Promise<T>) => Promise<T> {
  let free = most
  const waiting: (() => void)[] = []
  return async (work) => {
    if (free > 0) free -= 1
    else await new Promise<void>((resolve) => void waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next === undefined) free += 1
      else next()
    }
  }
}

/** Adds the plugin's output to the error message: a CNI plugin prints its error on stdout. */
const words = (error: unknown): string => (isRunError(error) && error.stdout !== '' ? error.stdout : messageOf(error))
