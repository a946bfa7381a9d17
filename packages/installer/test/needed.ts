import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { FakeNode } from './node.ts'

/** Writes a cached ADD result as container runtimes do. Returns the file's path below the node's folder. */
export function cacheResult(node: FakeNode, containerId: string, types: readonly string[]): string {
  const name = `cache/results/pods-${containerId}-eth0`
  const config = JSON.stringify({ name: 'pods', plugins: types.map((type) => ({ type })) })
  const result = {
    kind: 'cniCacheV1',
    containerId,
    config: Buffer.from(config).toString('base64'),
    ifName: 'eth0',
    networkName: 'pods',
  }
  return put(node, name, JSON.stringify(result))
}

/** Writes the state file of an attachment, as `@cni/skel` does. */
export const recordAttachment = (node: FakeNode): string => put(node, `records/${'a'.repeat(32)}.json`, '{}')

/** Writes a Multus configuration whose `delegates` contain the plugin. */
export const copyToMultus = (node: FakeNode): string =>
  put(
    node,
    'net/00-multus.conf',
    JSON.stringify({ name: 'multus', type: 'multus', delegates: [{ name: 'pods', plugins: [{ type: 'mesh' }] }] }),
  )

function put(node: FakeNode, name: string, text: string): string {
  mkdirSync(dirname(node.path(name)), { recursive: true })
  writeFileSync(node.path(name), text, { mode: 0o600 })
  return name
}
