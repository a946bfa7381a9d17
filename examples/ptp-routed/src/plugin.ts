import { ipam } from '@cni/invoke'
import { attachmentState, definePlugin } from '@cni/skel'
import { attach } from './add.ts'
import { verify } from './check.ts'
import { config, kept } from './conf.ts'
import { collect, detach } from './del.ts'
import { machine, type Place } from './place.ts'

/** Main plugin that connects each pod to the node by a routed veth pair. */
export function ptpRouted(options: Partial<Place> = {}) {
  const place: Place = { ...machine, ...options }
  return definePlugin({
    name: 'ptp-routed',
    about: 'Connects a pod with the node by a veth of its own and routes.',
    config,
    state: attachmentState(kept),
    add: (c) => attach(c, place),
    check: (c) => verify(c, place),
    del: (c) => detach(c, place),
    gc: (c) => collect(c, place),
    async status(c) {
      await ipam(c, place.delegates).status()
    },
  })
}
