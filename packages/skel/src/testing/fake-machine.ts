import { type Netns, NetnsError } from '@cni/netns/handle'
import type { NetnsPort } from '../io.ts'
import type { StateFolder } from '../state/state-folder.ts'
import { FakeNetns, fakeNetns } from './fake-netns.ts'
import { memoryStateFolder } from './memory-state-folder.ts'

/** Values of `CNI_NETNS` in tests. A test selects one by its key, in the option `netns` of `testPlugin`. */
export const PATHS = {
  fake: '/run/netns/test',
  host: '/proc/self/ns/net',
  missing: '/run/netns/missing',
  none: '',
} as const

/**
 * Fake node for `serveDaemon` and `runPlugin` in tests without root. Network namespaces are fakes, and state files stay
 * in memory.
 *
 * @param pods - the existing network namespaces, created by `fakeNetns`. If omitted, every path leads to the same fake
 *   namespace.
 * @example
 * ```ts
 * using pod = fakeNetns('/run/netns/pod', 1)
 * await using daemon = await serveDaemon(plugin, { socket, ...fakeMachine(pod) })
 * const { result } = await testPlugin(shim({ name: 'greet', socket }), { netns: pod }).add()
 * ```
 */
export function fakeMachine(...pods: readonly Netns[]): {
  /** Opens the fake namespaces of the given pods by their paths, and the fake namespace of the node. */
  readonly netns: NetnsPort
  /** Returns a state folder in memory for each path. */
  stateFolder(path: string): StateFolder
} {
  const folders = new Map<string, StateFolder>()
  return {
    netns: { open: (path) => openFake(path, pods), current: () => host(PATHS.host) },
    stateFolder(path) {
      const folder = folders.get(path) ?? memoryStateFolder(path)
      folders.set(path, folder)
      return folder
    },
  }
}

function openFake(path: string, pods: readonly Netns[]): Netns {
  const pod = pods.find((each) => each.path === path)
  if (pod !== undefined) return new FakeNetns(path, pod)
  if (path === PATHS.host) return host(path)
  if (path !== PATHS.missing && pods.length === 0) return fakeNetns(path, 2)
  throw new NetnsError('NOT_FOUND', `No network namespace at "${path}": it does not exist`, { path })
}

/** Fake namespace of the node, with a device number that no pod's namespace has. */
const host = (path: string): Netns => new FakeNetns(path, { dev: -1n, ino: 1n })
