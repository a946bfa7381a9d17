import { attachmentState, definePlugin } from '@cni/skel'
import { CniError } from '@cni/types'
import { attachment, type Registry } from './registry.ts'

/** Error code of a failed CHECK, which other CNI plugins also use. */
const NOT_AS_ADDED = 100

/** Chained plugin that runs in the daemon. Each attachment's state is a file in `stateFolder`. */
export const whoIs = (known: Registry, stateFolder: string) =>
  definePlugin({
    name: 'who-is',
    chained: true,
    // DEL needs no check of the container's other attachments, because no rules are in the container's namespace.
    removal: 'always',
    state: attachmentState(attachment, { folder: stateFolder }),
    add(c) {
      const addresses = (c.prevResult.ips ?? []).map(({ address }) => address)
      const { namespace, name } = c.k8s ?? {}
      const found = { addresses, ...(namespace && name ? { pod: { namespace, name } } : {}) }
      c.state.write(found)
      c.undo(known.put(keyOf(c), found))
      return c.prevResult
    },
    check(c) {
      if (known.has(keyOf(c))) return
      throw new CniError(NOT_AS_ADDED, `nothing is known of ${c.ifName} of container ${c.containerID}`)
    },
    del(c) {
      known.remove(keyOf(c))
    },
    gc(c) {
      for (const { containerID, ifName } of c.state.stale()) {
        known.remove({ network: c.networkName, containerID, ifName })
      }
    },
    status(c) {
      c.log.debug('serving', { attachments: known.size })
    },
  })

interface Call {
  readonly networkName: string
  readonly containerID: string
  readonly ifName: string
}

const keyOf = ({ networkName: network, containerID, ifName }: Call) => ({ network, containerID, ifName })
