import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { agentReady, CHART, chain, HELM, NAMESPACE as SYSTEM, status, uninstall } from './agent.ts'
import { apply, ready, shell, until } from './cluster.ts'
import { hasOriginal, installOriginal, loadOriginal, originalPlugin } from './original.ts'
import { NAMESPACE, remove, rulesIn, workload } from './workloads.ts'

const it = test.skipIf(!hasOriginal)
const labels = { suite: 'migration' }

beforeAll(async () => {
  if (hasOriginal) await loadOriginal()
})
afterAll(async () => {
  await remove('suite=migration')
  await uninstall()
})

const meshPod = async (name: string) => {
  await apply(workload({ name, sidecar: 'native', labels }))
  return ready(NAMESPACE, name)
}

const installed = async (): Promise<string> => (await shell('sha256sum < /opt/cni/bin/istio-cni')).slice(0, 64)

it('from Istio’s chart and back, by the commands of the guide: pods keep their rules, and new ones have them', async () => {
  await installOriginal('hub=docker.io/istio', 'tag=1.30.3', 'repair.repairPods=true')
  const its = createHash('sha256').update(originalPlugin()).digest('hex')
  expect(await installed()).toBe(its)
  const before = await meshPod('before')
  const rules = await rulesIn(before)
  expect(rules).toContain('ISTIO_REDIRECT')

  await shell(`cd /tmp
    ${HELM} get values istio-cni --namespace ${SYSTEM} -o yaml > values.yaml
    ${HELM} upgrade istio-cni ${CHART} --namespace ${SYSTEM} -f values.yaml --set hub=localhost --set tag=cluster \
      --set variant=${process.env.CNI_IMAGE_VARIANT ?? ''}`)
  await agentReady()
  await until('the node is in order', async () => (await status()).includes(': healthy'))
  expect(await installed()).not.toBe(its)
  expect((await chain()).filter((type) => type === 'istio-cni')).toHaveLength(1)
  expect(await rulesIn(before)).toBe(rules)
  const between = await meshPod('between')
  const ours = await rulesIn(between)
  expect(ours).toContain('ISTIO_REDIRECT')

  await shell(`${HELM} rollback istio-cni --namespace ${SYSTEM}`)
  await agentReady()
  await until('the original’s plugin is back', async () => (await installed()) === its)
  expect((await chain()).filter((type) => type === 'istio-cni')).toHaveLength(1)
  expect(await rulesIn(between)).toBe(ours)
  expect(await rulesIn(await meshPod('after'))).toContain('ISTIO_REDIRECT')
})
