import { describe, expect, test } from 'vitest'
import { eventually } from '../../../packages/istio-redirect/test/stage/agent-node.ts'
import type { KubeServer } from '../../../packages/kube/test/kube-server.ts'
import { type ChartAgent, CONFLIST, chartAgent, NAMESPACE, suiteServer } from './chart-agent.ts'
import { type AccountRight, chartIn, type Mode, modes, rightsOf } from './chart-modes.ts'
import { missing } from './missing-programs.ts'
import { createBroken, createPod, isLabelled, podName, unlabel } from './pods.ts'
import { eventsIn } from './requests.ts'

interface Lesson {
  /** Provokes the need for the right and returns the plugin's output. Default: the agent's start needs the right. */
  readonly provoke?: (kube: KubeServer, on: ChartAgent) => Promise<string | undefined>
  /** Places besides the log that name the right. */
  readonly also?: readonly ('event' | 'status' | 'event of the pod')[]
  readonly env?: Readonly<Record<string, string>>
  /** Modes of the test. Default: all modes. */
  readonly modes?: readonly Mode[]
}

const stop = async (_: KubeServer, { agent }: ChartAgent): Promise<undefined> => {
  agent.kill('SIGTERM')
  await agent.exit
}

const brokenPod = async (kube: KubeServer): Promise<undefined> => {
  await createBroken(kube, podName())
}

/** Adds a pod without a UID, as older runtimes do. The agent has to ask the API server, or else the plugin. */
const added = (alone: boolean, kind: 'mesh' | 'ambient' | 'plain') => async (kube: KubeServer, on: ChartAgent) => {
  await eventually(on.ready, on.log, 20_000)
  const name = podName()
  await createPod(kube, name, kind)
  return on.add(name, { alone })
}

/** Lessons by account and right. A right of the chart without a lesson fails. */
const lessons: Readonly<Record<string, (mode: Mode) => Lesson>> = {
  'istio-cni: list pods': () => ({ also: ['event', 'status'] }),
  'istio-cni: watch pods': () => ({ also: ['event', 'status'] }),
  'istio-cni: get pods': () => ({ provoke: added(false, 'mesh') }),
  'istio-cni: list namespaces': () => ({ also: ['event', 'status'] }),
  'istio-cni: watch namespaces': () => ({ also: ['event', 'status'] }),
  'istio-cni: patch pods/status': (mode) =>
    mode === 'repair by label'
      ? { provoke: brokenPod, also: ['event of the pod'] }
      : { provoke: added(true, 'ambient'), also: ['event', 'status'], modes: ['ambient'] },
  'istio-cni: delete pods': () => ({ provoke: brokenPod, also: ['event of the pod'] }),
  'istio-cni: create events': (mode) =>
    mode.startsWith('repair by') ? { provoke: brokenPod } : { env: { POD_NAME: 'renamed-x7x7x' } },
  'istio-cni: patch events': (mode) =>
    mode === 'repair by label'
      ? { provoke: labelledTwice }
      : // The repeated fault takes twenty seconds, and the role is the same in all modes.
        { provoke: brokenTwice, modes: ['no repair'] },
  'istio-cni: get daemonsets': () => ({ also: ['event', 'status'] }),
  'istio-cni: get nodes': (mode) => ({ also: mode.startsWith('ambient') ? ['status'] : ['event', 'status'] }),
  'istio-cni: create serviceaccounts/token': () => ({ also: ['event', 'status'] }),
  'istio-cni-plugin: get pods': () => ({ provoke: added(true, 'mesh') }),
  'istio-cni-plugin: get namespaces': () => ({ provoke: added(true, 'plain') }),
}

describe.runIf(missing === undefined)(
  `one right less than the chart's at a real API server${missing ? ` (skipped: ${missing})` : ''}`,
  () => {
    const server = suiteServer()

    test.for(missing === undefined ? cases() : [])('%s', async ([, mode, right, { provoke, also = [], env = {} }]) => {
      const kube = server()
      const { verb, resource } = right
      const words = `cannot ${verb} resource "${resource}"`
      await using on = await chartAgent(kube, mode, { lacks: right, env })
      const said = (await provoke?.(kube, on)) ?? ''
      await eventually(
        () => (said + on.log()).includes(words),
        () => said + on.log(),
        20_000,
      )
      const inNamespace = async (namespace: string) => (await eventsIn(kube, namespace)).join('\n').includes(words)
      if (also.includes('event')) await eventually(() => inNamespace(NAMESPACE), on.log, 20_000)
      if (also.includes('event of the pod')) await eventually(() => inNamespace('demo'), on.log)
      if (also.includes('status')) await eventually(async () => (await on.status()).includes(words), on.log)
      await stop(kube, on)
    })

    test('every right of the chart has a test that misses it', () => {
      const known = Object.keys(modes).flatMap((mode) => rights(mode as Mode).map(nameOf))
      expect(Object.keys(lessons).sort()).toEqual([...new Set(known)].sort())
    })
  },
)

// internal

type Case = readonly [title: string, mode: Mode, right: AccountRight, lesson: Lesson]

function cases(): Case[] {
  return (Object.keys(modes) as Mode[]).flatMap((mode) =>
    rights(mode).flatMap((right): Case[] => {
      const lesson = lessons[nameOf(right)]?.(mode) ?? {}
      if (lesson.modes?.includes(mode) === false) return []
      return [[`${mode}: without ${nameOf(right)}`, mode, right, lesson]]
    }),
  )
}

const nameOf = ({ account, verb, resource }: AccountRight): string => `${account}: ${verb} ${resource}`

function rights(mode: Mode): AccountRight[] {
  const objects = chartIn(mode)
  return [...rightsOf(objects, 'istio-cni'), ...rightsOf(objects, 'istio-cni-plugin')]
}

/** Labels a pod twice: the API server counts a repeated event. */
async function labelledTwice(kube: KubeServer, on: ChartAgent): Promise<undefined> {
  const name = podName()
  await createBroken(kube, name)
  await eventually(() => isLabelled(kube, name), on.log)
  await unlabel(kube, name)
  await eventually(() => isLabelled(kube, name), on.log)
}

async function brokenTwice(kube: KubeServer, on: ChartAgent): Promise<undefined> {
  await eventually(on.ready, on.log, 20_000)
  const said = async (words: string) =>
    (await eventsIn(kube, NAMESPACE)).some((event) => event.startsWith('NotReady: ') && event.includes(words))
  on.node.write(CONFLIST, '')
  await eventually(() => said('unexpected end'), on.log, 25_000)
  on.node.write(CONFLIST, 'x')
  await eventually(() => said('JSON Parse error'), on.log, 25_000)
  on.node.write(CONFLIST, '')
}
