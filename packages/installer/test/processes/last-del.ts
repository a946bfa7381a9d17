/** Test process that runs DEL of a plugin for each executable path on stdin. */
import { createInterface } from 'node:readline'
import { definePlugin, runPlugin } from '@cni/skel'

const plugin = definePlugin({ name: 'mesh', removal: 'always', add: () => ({}), del() {} })

for await (const executable of createInterface({ input: process.stdin })) {
  const { exitCode, stderr } = await runPlugin(plugin, {
    executable,
    env: { CNI_COMMAND: 'DEL', CNI_CONTAINERID: 'c1', CNI_IFNAME: 'eth0', CNI_PATH: '/opt/cni/bin' },
    stdin: () => '{"cniVersion":"1.0.0","name":"pods","type":"mesh"}',
  })
  const isLast = stderr.includes('was removed')
  process.stdout.write(`${exitCode === 0 ? (isLast ? 'removed' : 'left') : stderr.replaceAll('\n', ' ')}\n`)
}
