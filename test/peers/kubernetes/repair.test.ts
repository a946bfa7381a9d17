import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, test, vi } from 'vitest'
import { podWatches } from '../../../packages/istio-redirect/src/agent/pods/pod-watches.ts'
import { startRepair } from '../../../packages/istio-redirect/src/agent/repair/start-repair.ts'
import { repairGrants } from '../../../packages/istio-redirect/src/testing/grants.ts'
import { repairDefaults } from '../../../packages/istio-redirect/test/repair/repair-defaults.ts'
import { type KubeServer, startKubeServer } from '../../../packages/kube/test/kube-server.ts'
import { forSuite } from '../../for-suite.ts'
import { PATH, peer } from '../peers.ts'
import { noServer, programs } from './missing-programs.ts'
import { firstCrash, type PodOutcome, repairPods } from './repair-pods.ts'

const original = peer('install-cni')
const missing = noServer ?? original.missing

const modes = ['label', 'delete'] as const
type Mode = (typeof modes)[number]

/** The effects of a controller on the pods of its node. */
interface Side {
  readonly outcomes: Readonly<Record<string, PodOutcome>>
  readonly events: readonly string[]
  readonly counts: Readonly<Record<string, number>>
}

describe.runIf(missing === undefined)(
  `the original repair controller and ours at a real API server${missing ? ` (skipped: ${missing})` : ''}`,
  () => {
    const server = forSuite(() => startKubeServer(programs))

    test.each(modes)('do the same in %s mode, except for a first crash', async (mode) => {
      const kube = server()
      const [a, b] = await Promise.all([theirs(kube, mode), ours(kube, mode)])
      const { [firstCrash]: untouched, ...seen } = a.outcomes
      const { [firstCrash]: touched, ...same } = b.outcomes
      expect(same).toEqual(seen)
      expect(Object.values(seen).filter(({ label, deleted }) => deleted || label === 'true').length).toBeGreaterThan(3)
      expect(untouched).toEqual({ label: undefined, deleted: false })
      expect(touched).toEqual({ label: mode === 'label' ? 'true' : undefined, deleted: mode === 'delete' })
      expect(b.events.filter((event) => !event.includes(firstCrash))).toEqual(a.events)
      // Excludes the pod of the first crash. Each change of our controller to a pod causes one more event of the pod.
      const { [`${mode}/success`]: success = 0, ...rest } = a.counts
      expect(b.counts).toEqual(
        mode === 'label'
          ? { 'label/success': success + 1, 'label/skip': (rest['label/skip'] ?? 0) + 1 }
          : { 'delete/success': success + 2 },
      )
    })
  },
)

const settled = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 20_000, interval: 100 })

/** Waits for events of at least four pods, and then for a second without a new event. */
async function quietly(
  pods: Awaited<ReturnType<typeof repairPods>>,
  counts: () => Promise<Readonly<Record<string, number>>>,
): Promise<void> {
  let before = ''
  let same = 0
  await settled(async () => {
    const events = await pods.events()
    const now = JSON.stringify([events, await counts()])
    same = now === before ? same + 1 : 0
    before = now
    expect(events.length > 3 && same >= 10).toBe(true)
  })
}

async function ours(kube: KubeServer, mode: Mode): Promise<Side> {
  const node = `ours-${mode}`
  const pods = await repairPods(kube, node)
  const tokenFile = await kube.allow(`agent-${mode}`, repairGrants[mode])
  const counts: Record<string, number> = {}
  const stop = new AbortController()
  const quiet = (): void => {}
  const done = startRepair({
    config: { ...repairDefaults, nodeName: node, labelPods: mode === 'label', deletePods: mode === 'delete' },
    api: { server: kube.url, caFile: kube.caFile, tokenFile, namespace: '' },
    log: { debug: quiet, info: quiet, warn: (message) => void expect.fail(message), error: quiet },
    metrics: {
      gauge: () => ({ set: quiet }),
      counter: () => ({
        inc({ type, result } = {}) {
          const key = `${type}/${result}`
          counts[key] = (counts[key] ?? 0) + 1
        },
      }),
    },
    watches: podWatches(),
    signal: stop.signal,
  })
  try {
    await pods.fail()
    await quietly(pods, async () => counts)
    return { outcomes: await pods.outcomes(), events: await pods.events(), counts }
  } finally {
    stop.abort()
    await done
  }
}

async function theirs(kube: KubeServer, mode: Mode): Promise<Side> {
  const node = `theirs-${mode}`
  const pods = await repairPods(kube, node)
  const token = await kube.allow(`theirs-${mode}`, repairGrants[mode])
  const root = mkdtempSync(join(tmpdir(), 'original-repair-'))
  const account = join(root, 'var/run/secrets/kubernetes.io/serviceaccount')
  for (const folder of ['host/etc/cni/net.d', 'host/opt/cni/bin', 'opt/cni/bin', 'tmp']) {
    mkdirSync(join(root, folder), { recursive: true })
  }
  mkdirSync(account, { recursive: true })
  copyFileSync(token, join(account, 'token'))
  copyFileSync(kube.caFile, join(account, 'ca.crt'))
  writeFileSync(join(account, 'namespace'), 'istio-system')
  copyFileSync(original.file, join(root, 'install-cni'))
  const port = 20_000 + (process.pid % 10_000) + (mode === 'label' ? 0 : 1)
  const child = spawn('unshare', ['--mount', 'sh', '-ec', inRoot, root], {
    stdio: 'ignore',
    env: {
      PATH,
      KUBERNETES_SERVICE_HOST: '127.0.0.1',
      KUBERNETES_SERVICE_PORT: String(kube.port),
      MONITORING_PORT: String(port),
      REPAIR_NODE_NAME: node,
      REPAIR_LABEL_PODS: String(mode === 'label'),
      REPAIR_DELETE_PODS: String(mode === 'delete'),
    },
  })
  try {
    await settled(async () => expect(await metrics(port)).toBeDefined())
    await pods.fail()
    await quietly(pods, () => metrics(port))
    return { outcomes: await pods.outcomes(), events: await pods.events(), counts: await metrics(port) }
  } finally {
    await end(child)
    rmSync(root, { recursive: true, force: true })
  }
}

/** Runs Istio's program with its usual paths. The machine's libraries are mounted for this program alone. */
const inRoot = `for each in usr bin lib lib64; do
  [ ! -e /$each ] || { mkdir "$0/$each"; mount --rbind /$each "$0/$each"; }
done
exec chroot "$0" /install-cni`

async function metrics(port: number): Promise<Record<string, number>> {
  const response = await new Promise<NodeJS.ReadableStream>((resolve, reject) => {
    get({ host: '127.0.0.1', port, path: '/metrics', agent: false }, resolve).on('error', reject)
  })
  const lines = (await text(response)).matchAll(
    /^istio_cni_repair_pods_repaired_total\{result="(\w+)",type="(\w+)"\} (\d+)$/gm,
  )
  return Object.fromEntries([...lines].map(([, result, type, count]) => [`${type}/${result}`, Number(count)]))
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  const closed = once(child, 'close')
  child.kill('SIGKILL')
  await closed
}
