import { mkdirSync, symlinkSync } from 'node:fs'
import { basename } from 'node:path'
import { type Attachment, cni, encodeConf, parseNetworkList, planNetwork } from '@cni/libcni'
import type { Netns } from '@cni/netns'
import type { Conflist } from '@cni/types'
import { execIn, LOOPBACK, REFERENCE_PLUGINS } from '../../../src/testing/node/node.ts'
import type { AgentNode } from '../../stage/agent-node.ts'
import { ambientConf } from '../../stage/cni-call.ts'

/** Mode of node-level redirection: by iptables rules and tunnels, or by eBPF programs. */
export type RedirectedBy = 'node-iptables' | 'node-ebpf'

/** Creates the test node's pod network: a chain of Debian's ptp plugin and our plugin. */
export function nodeLevelNetwork(agents: AgentNode, node: Netns, plugin: string, redirected: RedirectedBy) {
  mkdirSync(agents.path('plugins'))
  for (const file of [...['loopback', 'ptp', 'host-local'].map((name) => `${REFERENCE_PLUGINS}/${name}`), plugin]) {
    symlinkSync(file, agents.path('plugins', basename(file)))
  }
  const ptp = {
    type: 'ptp',
    ipMasq: false,
    ipam: {
      type: 'host-local',
      dataDir: agents.path('ipam'),
      ranges: [[{ subnet: '10.61.0.0/24' }]],
      routes: [{ dst: '0.0.0.0/0' }],
    },
  }
  const ours = {
    type: basename(plugin),
    cni_agent_run_dir: agents.path('run'),
    ambient_redirect_mode: redirected,
    ...ambientConf,
  }
  const listOf = (...plugins: Conflist['plugins']): Conflist => ({ cniVersion: '1.0.0', name: 'ptp', plugins })
  const path = [agents.path('plugins')]
  const runtime = cni({
    path,
    cacheDir: agents.path('cache'),
    exec: execIn(node),
    env: { PATH: process.env.PATH },
    stderr: () => {},
  })
  const connect = async (list: Conflist, attachment: Attachment) => {
    await runtime.add(LOOPBACK, { ...attachment, ifName: 'lo' })
    const { result, document } = await runtime.add(list, attachment)
    return { ip: result.ips?.[0]?.address.split('/')[0] ?? '', document }
  }
  return {
    /** Connects a pod to the network and returns the pod's address. */
    add: async (attachment: Attachment) => (await connect(listOf(ptp, ours), attachment)).ip,
    /** Connects a pod by the ptp plugin, and prepares a later call of our plugin. */
    async addButOurs(attachment: Attachment) {
      const { document } = await connect(listOf(ptp), attachment)
      const { conflist } = parseNetworkList(JSON.stringify(listOf(ours)))
      const [planned] = planNetwork(conflist, { command: 'ADD', rt: attachment, path }).calls
      if (planned === undefined) throw new Error('no call of the plugin was planned')
      const argv = ['/usr/bin/nsenter', `--net=${node.path}`, plugin] as const
      const env = { ...planned.env, PATH: '/usr/sbin:/usr/bin:/sbin:/bin' }
      return { argv, env, stdin: encodeConf({ ...planned.conf, prevResult: document }) }
    },
    /** Removes the link and the address of a pod from the test node. */
    remove: (attachment: Attachment) => runtime.del(listOf(ptp), attachment),
  }
}
