import { join } from 'node:path'
import type { Grant, StoredPod } from '@cni/kube/testing'
import type { Attachment } from '@cni/libcni'
import { netns } from '@cni/netns'
import { forSuite } from '../../../../../test/for-suite.ts'
import { startNode } from '../../../src/testing/node/node.ts'
import { meshPod } from '../../../src/testing/pods.ts'
import { cniArgs, cniEnv } from '../../stage/cni-call.ts'
import { stage } from '../../stage/stage.ts'

/** Throw-away test node with one pod. Disposing removes everything, even after a failure. */
export type TestBed = Awaited<ReturnType<typeof testBed>>

export const DUAL_STACK = { env: [{ name: 'ISTIO_DUAL_STACK', value: 'true' }] }

export const testBed = (
  plugin: (folder: string) => string,
  options: { pod?: StoredPod; conf?: Readonly<Record<string, unknown>>; grants?: readonly Grant[] } = {},
) =>
  stage({ kernel: {} }, async ({ root: folder, node: nodeNetns, pod: newPod, stack }) => {
    const stored = options.pod ?? meshPod({ proxy: DUAL_STACK })
    const pod = await newPod()
    const { conf = {}, grants = [] } = options
    const started = { folder, target: nodeNetns, plugin: plugin(folder), pods: [stored], conf, grants }
    const node = stack.use(await startNode(started))
    const { namespace, name } = stored.metadata
    const attachment: Attachment = {
      containerID: 'c0ffee',
      netns: pod.path,
      ifName: 'eth0',
      args: cniArgs(namespace, name),
    }
    return {
      folder,
      nodeNetns,
      node,
      pod,
      attachment,
      /** Builds a call of our plugin as a container runtime makes it, without the other plugins of the chain. */
      direct(command: string, conf: object = {}) {
        const [, entry] = node.conflist.plugins
        return {
          file: join(node.binDir, 'istio-cni'),
          input: JSON.stringify({ ...entry, cniVersion: '1.0.0', name: 'demo', ...conf }),
          env: {
            PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
            ...cniEnv(command, { netns: pod.path, container: attachment.containerID, namespace, name }),
            CNI_PATH: node.binDir,
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
      async save(program: 'iptables-save' | 'ip6tables-save' = 'iptables-save') {
        const { stdout } = await netns.exec(pod, [program])
        return stdout
      },
    }
  })

/** Adds an address to the pod, because our plugin needs one and runs alone here. */
export const addLo = (bed: TestBed) => netns.exec(bed.pod, ['ip', 'address', 'add', '10.9.9.9/32', 'dev', 'lo'])

/** Creates a test node that all tests of a suite share. */
export const suiteBed = (...args: Parameters<typeof testBed>): (() => TestBed) => forSuite(() => testBed(...args))
