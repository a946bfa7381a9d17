import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { writeFileAtomic } from '@cni/host'
import { attachmentState, definePlugin, netConf } from '@cni/skel'
import { CniError } from '@cni/types'
import * as z from 'zod/mini'

/** Chained plugin that writes each pod's addresses to a file on the node. DEL removes the file. */
export const plugin = definePlugin({
  name: 'publish',
  chained: true,
  config: netConf({ folder: z.string() }),
  state: attachmentState(z.object({ file: z.string() })),
  add(c) {
    const file = join(c.conf.folder, c.containerID)
    c.state.write({ file })
    c.undo(() => rmSync(file, { force: true }))
    writeFileAtomic(file, (c.prevResult.ips ?? []).map(({ address }) => `${address}\n`).join(''))
    return c.prevResult
  },
  check(c) {
    const file = c.state.read()?.file
    if (file !== undefined && !existsSync(file)) throw new CniError(100, `${file} is gone`)
  },
  del(c) {
    const file = c.state.read()?.file
    if (file !== undefined) rmSync(file, { force: true })
  },
})
