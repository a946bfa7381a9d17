import { behaviour } from '../../test/behaviour.suite.ts'
import { fakeKernel } from './fake-iptables.ts'

for (const backend of ['iptables-nft', 'iptables-legacy'] as const) {
  behaviour(`fake ${backend}`, async () => {
    const kernel = fakeKernel({ backend })
    return {
      ...{ where: 'host', backend, programs: 'always', port: kernel.port, tamper: kernel.tamper },
      [Symbol.asyncDispose]: async () => {},
    }
  })
}
