import { afterAll, expect, it } from 'vitest'
import { atRest, chain, install, nodeFiles, uninstall } from './agent.ts'
import { apply, ready, until } from './cluster.ts'
import { NAMESPACE, remove, rulesIn, workload } from './workloads.ts'

afterAll(() => remove('suite=removal'))

it('the chart leaves the node as it was: binaries, lists byte for byte, no credentials; pods with rules keep them', async () => {
  const before = await atRest(nodeFiles)
  await install()
  expect(await chain()).toContain('istio-cni')
  expect(await nodeFiles()).not.toBe(before)
  await apply(workload({ name: 'stays', sidecar: 'native', labels: { suite: 'removal' } }))
  const stays = await ready(NAMESPACE, 'stays')
  await uninstall()
  await until('nothing of it is left', async () => (await nodeFiles()) === before, 20_000).catch(async () => {
    expect(await nodeFiles()).toBe(before)
  })
  expect(await rulesIn(stays)).toContain('ISTIO_REDIRECT')
  await apply(workload({ name: 'plain', labels: { suite: 'removal' } }))
  expect(await rulesIn(await ready(NAMESPACE, 'plain'))).not.toContain('ISTIO')
})
