import { afterEach, beforeEach, expect, test } from 'vitest'
import { CriError } from '../../../../installer/src/cri/cri-error.ts'
import { judgeRuntime } from '../../../../installer/src/cri/judge-runtime.ts'
import { runtimeAnswer } from '../../../../installer/src/cri/runtime-answer.ts'
import { decodeStatus } from '../../../../installer/src/cri/status-message.ts'
import {
  containerdWith,
  containerdWithout,
  type Said,
  statusResponse,
} from '../../../../installer/test/stand-in-runtime.ts'
import { agentConfig } from '../config/agent-config.ts'
import { resolveValues } from '../config/resolve.ts'
import { metricsRegistry } from '../serve/metrics.ts'
import { type CriService, criService } from './cri-service.ts'

const config = (env: Record<string, string> = {}) =>
  agentConfig(resolveValues({}, [{ KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443', ...env }]))
const asking = config({ CRI_SOCKET: '/run/containerd/containerd.sock' })

const LOADED = containerdWith(['ptp', 'istio-cni'])
const MISSING = containerdWith(['ptp'])
const WITHOUT = 'installed, but containerd runs without it: its network "pods" has "ptp"'

let says: Said | Error
let isInstalled: boolean
let asked: number
let lines: string[]
let failures: number
let metrics: ReturnType<typeof metricsRegistry>
let service: CriService
const note = (level: string) => (msg: string) => void lines.push(`${level} ${msg}`)

const make = (graceMs: number): CriService =>
  criService({
    log: { debug: note('debug'), info: note('info'), warn: note('warn'), error: note('error') },
    metrics,
    isInstalled: () => isInstalled,
    failed: () => void failures++,
    async ask(_socket, wanted) {
      asked += 1
      if (says instanceof Error) throw says
      return judgeRuntime(runtimeAnswer(decodeStatus(statusResponse(says))), wanted)
    },
    intervals: { checkMs: 2, recheckMs: 1, graceMs },
  })
beforeEach(() => {
  says = LOADED
  isInstalled = true
  asked = 0
  lines = []
  failures = 0
  metrics = metricsRegistry()
  service = make(20)
})
afterEach(() => service.close('removed'))

/** Waits until the runtime was queried `count` more times. */
const rounds = async (count: number): Promise<void> => {
  const end = asked + count
  await expect.poll(() => asked).toBeGreaterThanOrEqual(end)
}
const states = async (): Promise<string> =>
  (await metrics.text())
    .split('\n')
    .flatMap((line) => /^istio_cni_runtime_plugin\{state="(\w+)"\} 1$/.exec(line)?.[1] ?? [])
    .join()

test('without the setting, the runtime is not queried and the metric is absent', async () => {
  await service.update(config())
  expect([asked, await states()]).toEqual([0, ''])
  await service.update(asking)
  await rounds(1)
  await service.update(config())
  expect(await states()).toBe('')
})

test('a runtime that runs the plugin is logged once', async () => {
  await service.update(asking)
  await rounds(3)
  expect(service.problems()).toEqual([])
  expect(lines).toEqual(['info containerd runs the plugin in network "pods"'])
  expect(await states()).toBe('loaded')
})

test('a missing plugin becomes a problem after the grace time, until the runtime has the plugin', async () => {
  says = MISSING
  await service.update(asking)
  await expect.poll(() => service.problems()).toEqual([`runtime: ${WITHOUT}`])
  await rounds(2)
  expect(lines).toEqual([`warn ${WITHOUT}`])
  expect(await states()).toBe('missing')
  says = LOADED
  await expect.poll(() => service.problems()).toEqual([])
  await expect.poll(() => lines).toContain('info the container runtime runs the plugin again')
  expect(await states()).toBe('loaded')
})

test('a plugin that is missing for a short time is not a problem', async () => {
  service = make(60_000)
  says = containerdWithout('cni config load failed')
  await service.update(asking)
  await rounds(5)
  expect(service.problems()).toEqual([])
  expect(lines).toEqual([])
})

test('the plugin is not missing before it is installed', async () => {
  isInstalled = false
  says = MISSING
  service = make(0)
  await service.update(asking)
  await rounds(3)
  expect(service.problems()).toEqual([])
  isInstalled = true
  await expect.poll(() => service.problems()).toHaveLength(1)
})

test('a failing query is logged once, counted, and clears the problem', async () => {
  service = make(0)
  says = MISSING
  await service.update(asking)
  await expect.poll(() => service.problems()).toHaveLength(1)
  says = new CriError('connection refused')
  await expect.poll(() => service.problems()).toEqual([])
  await rounds(3)
  expect(lines.slice(1)).toEqual([
    'warn cannot query the container runtime at /run/containerd/containerd.sock: connection refused',
  ])
  expect(failures).toBeGreaterThan(1)
  expect(await states()).toBe('unasked')
  says = LOADED
  await expect.poll(() => lines).toContain('info the container runtime answers again')
})

test('closing the part clears its problem', async () => {
  service = make(0)
  says = MISSING
  await service.update(asking)
  await expect.poll(() => service.problems()).toHaveLength(1)
  await service.close('removed')
  expect(service.problems()).toEqual([])
  expect(await states()).toBe('')
})
