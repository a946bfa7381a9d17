import { randomUUID } from 'node:crypto'
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { release, uninstall } from './agent.ts'
import { apply, nodeFolder, onNode, shell, until } from './cluster.ts'
import { remove, workload } from './workloads.ts'

/** The number of mesh pods per contender. The original's plugin is `istio-cni` in the folder of `CNI_PEERS`. */
const PODS = Number(process.env.CNI_SANDBOX_PODS ?? 0)
const original = join(process.env.CNI_PEERS ?? '', 'istio-cni')
const canRun = PODS > 0 && process.env.CNI_PEERS !== undefined && existsSync(original)

/** The first host number of each contender's pods. A pod's address shows which plugin list was in use. */
const contenders = { none: 20, original: 100, ours: 180 } as const
type Contender = keyof typeof contenders
const names = ['none', 'original', 'ours'] as const

/** The list that the agent manages. containerd uses another list, so the agent does not change it. */
const MANAGED = '90-managed.conflist'
const USED = '/etc/cni/net.d/05-measured.conflist'
const COPY = 'original-istio-cni'
const ITS_FOLDER = '/run/original-istio-cni'

beforeAll(async () => {
  if (!canRun) return
  await shell(`cp /etc/cni/net.d/10-bridge.conflist /etc/cni/net.d/${MANAGED}`)
  // The agent is never ready, as containerd does not use its list.
  await release(`cniConfFileName=${MANAGED}`)
  await until('the agent has put its plugin into its list, and serves', async () =>
    shell(`grep -q istio-cni /etc/cni/net.d/${MANAGED} && test -S /run/istio-cni/serve.sock && echo yes`),
  )
  copyFileSync(original, join(nodeFolder, 'opt/cni/bin', COPY))
  await shell(`mkdir -p ${ITS_FOLDER}; cp /run/istio-cni/istio-cni-kubeconfig ${ITS_FOLDER}/`)
})
afterAll(async () => {
  if (!canRun) return
  await shell(`rm -rf ${USED} ${ITS_FOLDER} /opt/cni/bin/${COPY}`)
  await uninstall()
  rmSync(join(nodeFolder, 'etc/cni/net.d', MANAGED), { force: true })
})

it.skipIf(!canRun)(
  `RunPodSandbox of ${PODS} mesh pods each, in turn: what we add is less than what the original adds`,
  async () => {
    const took: Record<Contender, number[]> = { none: [], original: [], ours: [] }
    const loads = [loadavg()[0] ?? 0]
    // The first round warms up. The order rotates, so that each contender follows each other contender.
    for (let round = -1; round < PODS; round++) {
      for (let turn = 0; turn < names.length; turn++) {
        const name = names[(turn + round + names.length) % names.length] ?? 'none'
        const ms = await sandboxMs(name)
        if (round >= 0) took[name].push(ms)
      }
      loads.push(loadavg()[0] ?? 0)
    }
    const none = median(took.none)
    const added = (median(took.ours) - none) / (median(took.original) - none)
    const row = (name: Contender) => `${name} ${median(took[name]).toFixed(0)} (${quartiles(took[name])})`
    process.stdout.write(
      `RunPodSandbox, ms, median (quartiles): ${names.map(row).join(', ')}; added ${added.toFixed(2)} × the original's; load ${Math.min(...loads).toFixed(1)} to ${Math.max(...loads).toFixed(1)}\n`,
    )
    expect(added).toBeLessThan(1)
  },
  PODS * 60_000 + 120_000,
)

/** Starts one mesh pod. Returns the time in containerd's log from kubelet's call to the answer. */
async function sandboxMs(contender: Contender): Promise<number> {
  for (;;) {
    // A unique name: the log still has the pods of earlier runs.
    const name = `measured-${randomUUID()}`
    await use(contender)
    await apply(workload({ name, sidecar: 'ordinary', validated: false, labels: { suite: 'sandboxes' } }))
    const { id, ms } = await until(`the sandbox of ${name}`, async () => sandbox(name))
    const host = hostOf(id)
    await remove('suite=sandboxes')
    const first = contenders[contender]
    // containerd has not read the new list yet: try again.
    if (host >= first && host < first + 70) return ms
  }
}

/** The id and duration of a pod's last sandbox from containerd's log; `undefined` until they are logged. */
function sandbox(name: string): { id: string; ms: number } | undefined {
  const lines = readFileSync(join(nodeFolder, 'var/log/containerd.log'), 'utf8')
    .split('\n')
    .filter((line) => line.includes(`Name:${name},`) && line.includes('msg="RunPodSandbox for '))
  const [began = '', ended = ''] = lines.slice(-2)
  const id = /returns sandbox id \\"(\w+)\\"/.exec(ended)?.[1]
  return id === undefined ? undefined : { id, ms: (nanoseconds(ended) - nanoseconds(began)) / 1e6 }
}

/** The last byte of the address of a sandbox. */
function hostOf(id: string): number {
  const folder = join(nodeFolder, 'var/lib/cni/networks/k8s-pod-network')
  const found = readdirSync(folder).find(
    (name) => name.startsWith('10.') && readFileSync(join(folder, name), 'utf8').startsWith(id),
  )
  return Number(found?.split('.').at(-1))
}

/** Makes containerd use the list of a contender. */
async function use(contender: Contender): Promise<void> {
  const list = JSON.parse(await shell(`cat /etc/cni/net.d/${MANAGED}`))
  const plugins: Array<{ type: string; ipam?: { ranges: object[][] } }> = list.plugins
  const own = plugins.findIndex(({ type }) => type === 'istio-cni')
  const [entry] = own === -1 ? [] : plugins.splice(own, 1)
  if (entry === undefined) throw new Error('the agent has not put its plugin into its list')
  const first = contenders[contender]
  const prefix = '10.244.0.'
  for (const { ipam } of plugins) {
    if (ipam === undefined) continue
    ipam.ranges = [
      [
        {
          subnet: `${prefix}0/24`,
          rangeStart: `${prefix}${first}`,
          rangeEnd: `${prefix}${first + 69}`,
          gateway: `${prefix}1`,
        },
      ],
    ]
  }
  if (contender === 'ours') plugins.push(entry)
  if (contender === 'original') plugins.push({ ...entry, type: COPY, ...{ cni_agent_run_dir: ITS_FOLDER } })
  await onNode(['bash', '-euc', `cat > ${USED}.new; mv ${USED}.new ${USED}`], { input: JSON.stringify(list) })
  await until('the list is there', async () => (await shell(`cat ${USED}`)) === JSON.stringify(list))
}

/** The time of a log line in nanoseconds since midnight, which a number represents exactly. */
function nanoseconds(line: string): number {
  const [, hours, minutes, seconds] = /^time="[^T]*T(\d\d):(\d\d):([\d.]+)Z"/.exec(line) ?? []
  return (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1e9
}

const at = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(share * (values.length - 1))] ?? Number.NaN
const median = (values: readonly number[]): number => at(values, 0.5)
const quartiles = (values: readonly number[]): string => `${at(values, 0.25).toFixed(0)}–${at(values, 0.75).toFixed(0)}`
