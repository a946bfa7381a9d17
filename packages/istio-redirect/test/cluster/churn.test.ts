import { afterAll, beforeAll, expect, it } from 'vitest'
import { install, SELECTOR, NAMESPACE as SYSTEM, uninstall } from './agent.ts'
import { apply, kubectl, type Pod, pods, ready, shell } from './cluster.ts'
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
    let started = 0
    const worker = async (_: unknown, index: number) => {
      for (let round = 0; performance.now() < end; round++) {
        const name = `churn-${index}-${round}`
        await apply(workload({ name, sidecar: index % 2 === 0 ? 'native' : 'ordinary', labels: { suite: 'churn' } }))
        wrong.push(...faultsOf(await ready(NAMESPACE, name)))
        started++
        await kubectl(['delete', 'pod', '-n', NAMESPACE, name, '--now'])
      }
    }
    await Promise.all(Array.from({ length: PODS }, worker))
    expect(wrong).toEqual([])
    expect(started).toBeGreaterThanOrEqual(PODS)
    const [agent] = await pods(SYSTEM, SELECTOR)
    expect(agent?.status.containerStatuses?.map(({ restartCount }) => restartCount)).toEqual([0])
    await remove('suite=churn')
    expect(await shell('ls /run/istio-cni/attachments | wc -l')).toBe('0\n')
    process.stdout.write(`${started} pods; anonymous memory of the agent ${await anonymousMB()} MB\n`)
  },
  SECONDS * 1000 + 300_000,
)

/** Its validation passed at once: a pod without rules fails there. */
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
