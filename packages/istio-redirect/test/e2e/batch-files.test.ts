import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tempNetns } from '@cni/netns/testing'
import { expect, test } from 'vitest'
import { add } from './add-pod.ts'
import { records, rulesIn } from './added-pod.ts'
import { podOf, type Serving, serving } from './serving-agent.ts'

/** A node where the plugin decides by itself. */
async function nodeAlone(): Promise<Serving> {
  const at = await serving(undefined, { SERVE_PLUGIN: 'false' })
  at.api.writeKubeconfig(at.node.path('run'))
  return at
}

/** Adds a pod, and tells its rules. */
async function added(at: Serving, name: string, native = false): Promise<string> {
  await using target = await tempNetns()
  const uid = `uid-${name}`
  at.api.setPod(podOf(name, { uid }))
  const { exitCode, stderr } = await add(at, target, { name, uid, agent: 'never', native })
  expect([exitCode, stderr]).toEqual([0, expect.stringContaining('"plan":"fresh"')])
  expect(records(at).get(`container-${name}`)).toMatchObject({ applied: true })
  return rulesIn(target)
}

const kept = (at: Serving): string[] => readdirSync(at.node.path('run/batches')).sort()

test('what a compiled plugin without an agent has made writes the same rules for the next pod', async () => {
  await using at = await nodeAlone()
  const rules = await added(at, 'first')
  expect(rules).toContain('ISTIO_OUTPUT')
  expect(kept(at)).toEqual(['nft-ipv4-redirect.json'])
  const path = at.node.path('run/batches/nft-ipv4-redirect.json')
  const text = readFileSync(path, 'utf8')
  expect(await added(at, 'second')).toBe(rules)
  expect(readFileSync(path, 'utf8')).toBe(text)
  await added(at, 'native', true)
  expect(kept(at)).toEqual(['nft-ipv4-redirect.json', 'nftables-ipv4-redirect.json'])
})

test('what the kernel does not take is made anew, and the pod has its rules all the same', async () => {
  await using at = await nodeAlone()
  const rules = await added(at, 'first')
  const path = at.node.path('run/batches/nft-ipv4-redirect.json')
  const document = JSON.parse(readFileSync(path, 'utf8'))
  writeFileSync(path, JSON.stringify({ ...document, batch: 'bm8gYmF0Y2g=' }))
  await using target = await tempNetns()
  at.api.setPod(podOf('second', { uid: 'uid-second' }))
  const { exitCode } = await add(at, target, { name: 'second', uid: 'uid-second', agent: 'never' })
  expect([exitCode, await rulesIn(target)]).toEqual([0, rules])
  expect(kept(at)).toEqual([])
  expect(await added(at, 'third')).toBe(rules)
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(document)
})
