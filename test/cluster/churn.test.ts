import { afterAll, beforeAll, expect, it } from 'vitest'
import { install, SELECTOR, NAMESPACE as SYSTEM, uninstall } from './agent.ts'
import { apply, isReady, kubectl, type Pod, pods, shell, until } from './cluster.ts'
import { NAMESPACE, remove, workload } from './workloads.ts'

const SECONDS = Number(process.env.CNI_CHURN_SECONDS ?? 300)
const PODS = 30

beforeAll(() => install())
afterAll(async () => {
  await remove('suite=churn')
  await uninstall()
})

it(
  `${PODS} pods that come and go for ${SECONDS} s: each starts with its rules, and nothing is left of them`,
  async () => {
    const end = performance.now() + SECONDS * 1000
    const wrong: string[] = []
    const deleted = new Set<string>()
    let made = 0
    await until(
      'all have come and gone',
      async () => {
        const all = await pods(NAMESPACE, 'suite=churn')
        // One command reads all pods, to keep the load of the test small.
        const started = all.filter((one) => isReady(one) && !deleted.has(one.metadata.name))
        wrong.push(...started.flatMap(faultsOf))
        for (const { metadata } of started) deleted.add(metadata.name)
        const names = started.map(({ metadata }) => metadata.name)
        if (names.length > 0) await kubectl(['delete', 'pods', '-n', NAMESPACE, '--now', '--wait=false', ...names])
        const isOver = performance.now() > end
        const missing = isOver ? 0 : PODS - (made - deleted.size)
        const fresh = Array.from({ length: missing }, () => churning(made++))
        if (fresh.length > 0) await apply(...fresh)
        return isOver && all.length === 0
      },
      SECONDS * 1000 + 240_000,
    )
    expect(wrong).toEqual([])
    expect(deleted.size).toBe(made)
    const [agent] = await pods(SYSTEM, SELECTOR)
    expect(agent?.status.containerStatuses?.map(({ restartCount }) => restartCount)).toEqual([0])
    await remove('suite=churn')
    expect(await shell('ls /run/istio-cni/attachments | wc -l')).toBe('0\n')
    process.stdout.write(`${made} pods; anonymous memory of the agent ${await anonymousMB()} MB\n`)
  },
  SECONDS * 1000 + 300_000,
)

const churning = (index: number) =>
  workload({
    name: `churn-${index}`,
    sidecar: index % 2 === 0 ? 'native' : 'ordinary',
    labels: { suite: 'churn' },
  })

/** Faults of a pod. The validation of a pod without rules fails at its first attempt. */
const faultsOf = ({ metadata, status }: Pod): string[] =>
  (status.initContainerStatuses ?? [])
    .filter(({ restartCount, lastState }) => restartCount > 0 || lastState?.terminated !== undefined)
    .map(({ name }) => `${metadata.name}: ${name} failed first`)

async function anonymousMB(): Promise<string> {
  const text = await shell(`
    for p in /proc/[0-9]*; do
      if [ "$(cat "$p/comm" 2>/dev/null)" = install-cni ]; then awk '/RssAnon/ { print $2 }' "$p/status"; fi
    done`)
  return text
    .trim()
    .split('\n')
    .map((kB) => (Number(kB) / 1e3).toFixed(1))
    .join(', ')
}
