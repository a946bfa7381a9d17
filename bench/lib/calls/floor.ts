import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from '@cni/host'
import type { Node } from '@cni/istio-redirect/testing/node'
import { netns } from '@cni/netns'
import { compiled } from '../compiled.ts'
import type { Contender } from '../race/contender.ts'
import { freshCopy } from '../scratch.ts'
import { call, MESH, type Plugin, podNamespace } from './plugin-calls.ts'

/** Creates measured programs for the minimum time of an ADD. Each program does one necessary step. */
export async function floor(node: Node, plugin: Plugin, folder: string): Promise<Contender[]> {
  const request = freshCopy(await compiled('request'))
  const ca = join(folder, 'api.crt')
  writeFileSync(ca, node.api.ca)
  const { namespace, name } = MESH.metadata
  const url = `${node.api.url}/api/v1/namespaces/${namespace}/pods/${name}`
  const rules = await rulesOf(node, plugin)
  const inPod = (label: string, program: readonly string[], stdin = ''): Contender => ({
    name: label,
    async prepare() {
      const podNetns = await podNamespace()
      const argv = ['/usr/bin/nsenter', `--net=${podNetns.path}`, '--', ...program] as const
      return { argv, env: { PATH: '/usr/sbin:/usr/bin' }, stdin, cleanUp: () => podNetns[Symbol.asyncDispose]() }
    },
  })
  return [
    { name: 'a request', prepare: async () => ({ argv: [request, url, ca, node.api.token] as const }) },
    inPod('nsenter', ['true']),
    inPod('nsenter and iptables-restore', ['iptables-restore', '--noflush'], rules),
  ]
}

async function rulesOf(node: Node, plugin: Plugin): Promise<string> {
  await using podNetns = await podNamespace()
  const { argv, env, stdin } = call(node, plugin, 'ADD', podNetns, MESH.metadata.name)
  await run(argv, { env, input: stdin })
  const { stdout } = await netns.exec(podNetns, ['iptables-save'])
  // Removes the lines that declare built-in chains. iptables-restore does not need these lines, and iptables-nft is
  // slow with them.
  return stdout.replaceAll(/^:\w+ ACCEPT .*\n/gm, '')
}
