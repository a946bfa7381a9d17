import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PluginResult } from '@cni/invoke'
import type { Grant, StoredPod } from '@cni/kube/testing'
import type { Attachment } from '@cni/libcni'
import { type Netns, netns } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import { type Node, startNode } from '../../src/testing/node/node.ts'
import { meshPod } from '../../src/testing/pods.ts'

/** A throw-away node with one pod namespace; everything is gone when it is disposed, even after a failure. */
export interface TestBed extends AsyncDisposable {
  readonly folder: string
  readonly nodeNetns: Netns
  readonly node: Node
  readonly pod: Netns
  readonly attachment: Attachment
  /** The plugin's own call, as a runtime starts it, and without the chain around it. */
  direct(command: string, conf?: object): DirectCall
  add(): Promise<{ ipv4: string; ipv6: string; result: PluginResult['result'] }>
  save(program?: 'iptables-save' | 'ip6tables-save'): Promise<string>
}

/** What a runtime starts. */
export interface DirectCall {
  readonly file: string
  readonly input: string
  readonly env: Readonly<Record<string, string>>
}

export const DUAL_STACK = { env: [{ name: 'ISTIO_DUAL_STACK', value: 'true' }] }

export async function testBed(
  plugin: (folder: string) => string,
  options: { pod?: StoredPod; conf?: Readonly<Record<string, unknown>>; grants?: readonly Grant[] } = {},
): Promise<TestBed> {
  const stack = new AsyncDisposableStack()
  const folder = mkdtempSync(join(tmpdir(), 'istio-redirect-'))
  stack.defer(() => rmSync(folder, { recursive: true, force: true }))
  const stored = options.pod ?? meshPod({ proxy: DUAL_STACK })
  const nodeNetns = stack.use(await tempNetns())
  const pod = stack.use(await tempNetns())
  const { conf = {}, grants = [] } = options
  const started = { folder, target: nodeNetns, plugin: plugin(folder), pods: [stored], conf, grants }
  const node = stack.use(await startNode(started))
  const { namespace, name } = stored.metadata
  const attachment: Attachment = {
    containerID: 'c0ffee',
    netns: pod.path,
    ifName: 'eth0',
    args: [
      ['IgnoreUnknown', '1'],
      ['K8S_POD_NAMESPACE', namespace],
      ['K8S_POD_NAME', name],
    ],
  }
  return {
    folder,
    nodeNetns,
    node,
    pod,
    attachment,
    direct(command, conf = {}) {
      const [, entry] = node.conflist.plugins
      return {
        file: join(node.binDir, 'istio-cni'),
        input: JSON.stringify({ ...entry, cniVersion: '1.0.0', name: 'demo', ...conf }),
        env: {
          PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
          CNI_COMMAND: command,
          CNI_CONTAINERID: attachment.containerID,
          CNI_NETNS: pod.path,
          CNI_IFNAME: attachment.ifName,
          CNI_PATH: node.binDir,
          CNI_ARGS: `IgnoreUnknown=1;K8S_POD_NAMESPACE=${namespace};K8S_POD_NAME=${name}`,
        },
      }
    },
    async add() {
      const { result } = await node.runtime.add(node.conflist, attachment)
      const addresses = (result.ips ?? []).map(({ address }) => address.split('/')[0] ?? '')
      const isIPv6 = (address: string): boolean => address.includes(':')
      return {
        result,
        ipv4: addresses.find((address) => !isIPv6(address)) ?? '',
        ipv6: addresses.find(isIPv6) ?? '',
      }
    },
    async save(program = 'iptables-save') {
      const { stdout } = await netns.exec(pod, [program])
      return stdout
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}
