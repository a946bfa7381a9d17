import { afterEach, expect, it } from 'vitest'
import { agentLog, install, uninstall } from './agent.ts'
import { apply, events, pod, ready, shell, until } from './cluster.ts'
import { NAMESPACE, remove, rulesIn, workload } from './workloads.ts'

/** Values of each mode, and the agent's capabilities in that mode. It has no other capabilities. */
const modes = {
  repairPods: { 'repair.repairPods': true },
  deletePods: { 'repair.repairPods': false, 'repair.deletePods': true },
  labelPods: { 'repair.repairPods': false, 'repair.labelPods': true },
} as const

/** Creates a pod before the agent starts. Its validation fails repeatedly. */
async function brokenPod(name: string): Promise<string> {
  await apply(workload({ name, sidecar: 'native', labels: { suite: 'repair' } }))
  return until('its validation fails for want of rules', async () => {
    const { metadata, status } = await pod(NAMESPACE, name)
    const [validation] = status.initContainerStatuses ?? []
    const exits = [validation?.state, validation?.lastState].map((state) => state?.terminated?.exitCode)
    return exits.includes(126) && metadata.uid
  })
}

const capabilities = {
  repairPods: ['net_admin', 'sys_admin', 'sys_chroot', 'sys_ptrace'],
  deletePods: [],
  labelPods: [],
} as const

/** Installs the agent in a mode, and checks its rights at the API server and its capabilities. */
async function installed(mode: keyof typeof modes): Promise<void> {
  await install(...Object.entries(modes[mode]).map(([key, value]) => `${key}=${value}`))
  const can = await shell(`
    for p in /proc/[0-9]*; do
      if [ "$(cat "$p/comm" 2>/dev/null)" = install-cni ]; then grep -E 'CapPrm|CapBnd|NoNewPrivs' "$p/status"; fi
    done`)
  const bits = { net_admin: 12, sys_chroot: 18, sys_ptrace: 19, sys_admin: 21 }
  const mask = capabilities[mode]
    .reduce((sum, name) => sum | (1 << bits[name]), 0)
    .toString(16)
    .padStart(16, '0')
  expect(can).toMatch(new RegExp(`CapPrm:\\s${mask}\\n.*CapBnd:\\s${mask}\\n`, 's'))
  expect(can).toMatch(/NoNewPrivs:\s1/)
}

afterEach(async () => {
  const log = await agentLog()
  await remove('suite=repair')
  await uninstall()
  expect(log).toContain('the plugin is installed')
  expect(log).not.toContain('forbidden')
})

it('in place: a pod that started before the plugin gets its rules and starts', async () => {
  const uid = await brokenPod('raced-repair')
  await installed('repairPods')
  const repaired = await ready(NAMESPACE, 'raced-repair')
  expect(repaired.metadata.uid).toBe(uid)
  expect(await rulesIn(repaired)).toContain('ISTIO_REDIRECT')
})

it('by deletion: it is deleted, and an event says why', async () => {
  const uid = await brokenPod('raced-delete')
  await installed('deletePods')
  await until('it is deleted', async () => {
    const found = await pod(NAMESPACE, 'raced-delete').catch(() => undefined)
    return found?.metadata.uid !== uid || found.metadata.deletionTimestamp !== undefined
  })
  expect(await until('the event is there', eventOf('raced-delete'))).toContain('pod detected as broken, deleted')
})

it('by label: it is labelled, and an event says why', async () => {
  await brokenPod('raced-label')
  await installed('labelPods')
  await until('it has the label', async () => {
    const { metadata } = await pod(NAMESPACE, 'raced-label')
    return metadata.labels?.['cni.istio.io/uninitialized'] === 'true'
  })
  expect(await until('the event is there', eventOf('raced-label'))).toContain('pod detected as broken, labeled')
})

const eventOf = (name: string) => async () =>
  (await events(NAMESPACE, name)).find((text) => text.includes('detected as broken'))
