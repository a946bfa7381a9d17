import { netns } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import { netnsPort } from '../src/session/netns-port.ts'
import { behaviour } from './behaviour.suite.ts'
import { modes, programOf } from './modes.ts'

for (const mode of modes) {
  behaviour(`real ${mode.mode}`, async () => {
    const pod = await tempNetns()
    return {
      where: pod,
      ...mode,
      port: netnsPort({ netns: pod }, { shield: true }),
      async tamper(input, family = 'ipv4') {
        const program = programOf(mode.backend, family, 'restore')
        await netns.exec(pod, [program, '--noflush'], { input })
      },
      [Symbol.asyncDispose]: () => pod[Symbol.asyncDispose](),
    }
  })
}
